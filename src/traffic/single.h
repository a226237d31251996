/* Sends that are handed over one at a time, when they are due: latency. */
#ifndef TRAFFIC_SINGLE_H
#define TRAFFIC_SINGLE_H

#include "traffic/post.h"

/* Take what has completed from the send queue, without waiting. */
static inline int reap(struct flow *f)
{
	struct ibv_wc wc[POLL_BATCH];
	int n = poll_batch(f, f->send_cq, wc);

	for (int i = 0; i < n; i++) {
		if (wc[i].status != IBV_WC_SUCCESS)
			return flow_completion_failed(f, &wc[i]);
		retire_send(f, &wc[i]);
	}
	return n < 0 ? n : 0;
}

/* Make the next message ready, so that it only needs to be handed over. */
static ALWAYS_INLINE void prepare_next(struct flow *f, struct flow_qp *q)
{
	bool quiet = q->quiet_left > 0;

	q->next = &q->lists[quiet ? FLOW_QUIET : FLOW_SIGNALLED];
	q->quiet_left = quiet ? q->quiet_left - 1 : f->quiet;
	q->next->requests->wr.wr_id = q->tag | (q->posted + 1);
}

static ALWAYS_INLINE int post_next(struct flow *f, struct flow_qp *q,
				   const enum op op,
				   const enum post_method method)
{
	int ret = hand_over(q, q->next->requests, 1, op, method);

	if (__builtin_expect(ret != 0, 0))
		return post_failed(f, q, ret);
	q->posted++;
	f->posted++;
	return 0;
}

/* Let the message that is ready go from SLOT to SLOT. */
static ALWAYS_INLINE void place_next(const struct flow *f, struct flow_qp *q,
				     uint32_t slot, const enum op op)
{
	struct flow_request *r = q->next->requests;

	r->sge.addr = q->local + slot * f->slot_step;
	if (op_table[op].access)
		r->wr.wr.rdma.remote_addr = q->remote + slot * f->slot_step;
}

/* The slot after SLOT; the first follows the last. */
static ALWAYS_INLINE uint32_t slot_after(const struct flow *f, uint32_t slot)
{
	return slot + 1 < f->slots ? slot + 1 : 0;
}

#endif
