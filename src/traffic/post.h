/* One message out, one receive in: the fast paths every loop shares. */
#ifndef TRAFFIC_POST_H
#define TRAFFIC_POST_H

#include <errno.h>

#include "traffic/flow.h"

/* Completions taken from a queue at once. */
#define POLL_BATCH 16

static ALWAYS_INLINE uint32_t qp_index_of(uint64_t wr_id)
{
	return (uint32_t)(wr_id >> FLOW_COUNT_BITS);
}

/*
 * Post the next message of Q with operation OP, a constant.  Every
 * signal_every-th is signalled, and the one that reaches the QP's limit.
 * Returns 0 or a negative errno, noted in F.
 */
static ALWAYS_INLINE int post_message(struct flow *f, struct flow_qp *q,
				      const enum op op)
{
	struct ibv_send_wr *bad;
	int ret;

	q->posted++;
	q->wr.wr_id = q->tag | q->posted;
	q->wr.send_flags = 0;
	if (--q->until_signal == 0 || q->posted == q->limit) {
		q->wr.send_flags = IBV_SEND_SIGNALED;
		q->until_signal = f->signal_every;
	}
	q->sge.addr = q->walk.local + q->walk.offset;
	if (op_table[op].access)
		q->wr.wr.rdma.remote_addr = q->walk.remote + q->walk.offset;
	q->walk.offset += f->step;
	if (q->walk.offset > f->last_offset)
		q->walk.offset = 0;
	ret = ibv_post_send(q->qp, &q->wr, &bad);
	if (__builtin_expect(ret != 0, 0))
		return flow_verb_failed(f, "ibv_post_send",
					qp_index_of(q->tag), ret);
	f->posted++;
	return 0;
}

/* Post one receive on Q.  Returns as post_message(). */
static inline int post_receive(struct flow *f, struct flow_qp *q)
{
	struct ibv_recv_wr *bad;
	int ret = ibv_post_recv(q->qp, &q->recv_wr, &bad);

	if (__builtin_expect(ret != 0, 0))
		return flow_verb_failed(f, "ibv_post_recv",
					qp_index_of(q->tag), ret);
	q->recv_posted++;
	return 0;
}

/*
 * Retire what the send completion WC stands for.
 * Returns the QP it belongs to, or NULL when it is an error, noted in F.
 */
static ALWAYS_INLINE struct flow_qp *retire_send(struct flow *f,
						 const struct ibv_wc *wc)
{
	struct flow_qp *q;
	uint64_t count;

	if (__builtin_expect(wc->status != IBV_WC_SUCCESS, 0)) {
		flow_completion_failed(f, wc);
		return NULL;
	}
	q = &f->qps[qp_index_of(wc->wr_id)];
	count = wc->wr_id & FLOW_COUNT_MASK;
	f->completed += count - q->completed;
	q->completed = count;
	return q;
}

/* Up to POLL_BATCH completions of CQ; the count, or a negative errno. */
static ALWAYS_INLINE int poll_batch(struct flow *f, struct ibv_cq *cq,
				    struct ibv_wc *wc)
{
	int n = ibv_poll_cq(cq, POLL_BATCH, wc);

	if (__builtin_expect(n < 0, 0))
		return flow_verb_failed(f, "ibv_poll_cq", 0, EIO);
	return n;
}

#endif
