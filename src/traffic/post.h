/* Posting sends and polling completions: shared by all loops. */
#pragma once

#include <errno.h>
#include <stddef.h>

#include "traffic/flow.h"

/* Maximum completions per poll. */
#define POLL_BATCH 16

static ALWAYS_INLINE uint32_t qp_index_of(uint64_t wr_id)
{
	return (uint32_t)(wr_id >> FLOW_COUNT_BITS);
}

/* Atomics have their remote address where RDMA operations have theirs. */
_Static_assert(offsetof(struct ibv_send_wr, wr.rdma.remote_addr) ==
	       offsetof(struct ibv_send_wr, wr.atomic.remote_addr), "");

/* Move the addresses of N sends, from R on, by BYTES; unsigned wraparound moves
 * them down. */
static ALWAYS_INLINE void move_sends(struct flow_request *r, uint32_t n,
				     uint64_t bytes, const enum op op)
{
	for (uint32_t i = 0; i < n; i++) {
		r[i].sge.addr += bytes;
		if (op_table[op].access)
			r[i].wr.wr.rdma.remote_addr += bytes;
	}
}

/* Begins each operation with its builder function of ibv_wr_start(3).  An
 * operation without a line here does not compile. */
#define BUILDER(id, ...) \
	static ALWAYS_INLINE void begin_##id(struct ibv_qp_ex *qpx, \
					     const struct ibv_send_wr *wr) \
	{ \
		__VA_ARGS__; \
	}
#define RDMA wr->wr.rdma.rkey, wr->wr.rdma.remote_addr
#define ATOMIC wr->wr.atomic.rkey, wr->wr.atomic.remote_addr

BUILDER(SEND, (void)wr; ibv_wr_send(qpx))
BUILDER(SEND_IMM, ibv_wr_send_imm(qpx, wr->imm_data))
BUILDER(WRITE, ibv_wr_rdma_write(qpx, RDMA))
BUILDER(WRITE_IMM, ibv_wr_rdma_write_imm(qpx, RDMA, wr->imm_data))
BUILDER(READ, ibv_wr_rdma_read(qpx, RDMA))
BUILDER(FETCH_ADD, ibv_wr_atomic_fetch_add(qpx, ATOMIC,
					   wr->wr.atomic.compare_add))
BUILDER(CMP_SWAP, ibv_wr_atomic_cmp_swp(qpx, ATOMIC,
					wr->wr.atomic.compare_add,
					wr->wr.atomic.swap))

#undef ATOMIC
#undef RDMA
#undef BUILDER

/* Begin one send of OP. */
static ALWAYS_INLINE void begin_send(struct ibv_qp_ex *qpx,
				     const struct ibv_send_wr *wr,
				     const enum op op)
{
	qpx->wr_id = wr->wr_id;
	qpx->wr_flags = wr->send_flags;
	switch (op) {
#define X(id, ...) \
	case OP_##id: \
		begin_##id(qpx, wr); \
		break;
	OP_LIST(X)
#undef X
	case OP_COUNT:
		break;
	}
}

/* Give the send begun last its destination, for UD and XRC. */
static ALWAYS_INLINE void set_destination(struct flow_qp *q, const enum op op)
{
	if (!op_table[op].access && q->ah)
		ibv_wr_set_ud_addr(q->qpx, q->ah, q->remote_qpn,
				   q->remote_qkey);
	if (q->target)
		ibv_wr_set_xrc_srqn(q->qpx, q->remote_srqn);
}

/* Give the send begun last its data and its destination. */
static ALWAYS_INLINE void end_send(struct flow_qp *q,
				   const struct flow_request *r,
				   const enum op op)
{
	if (!r->wr.num_sge)
		ibv_wr_set_sge_list(q->qpx, 0, NULL);
	else if (!op_table[op].fetches &&
		 r->wr.send_flags & IBV_SEND_INLINE)
		ibv_wr_set_inline_data(q->qpx, (void *)(uintptr_t)r->sge.addr,
				       r->sge.length);
	else
		ibv_wr_set_sge(q->qpx, r->sge.lkey, r->sge.addr, r->sge.length);
	set_destination(q, op);
}

/* Post LENGTH linked sends of F's operation, of one entry or of several.
 * Returns what the verb returned. */
int post_any(struct flow *f, struct flow_qp *q, struct flow_request *first,
	     uint32_t length);

/* Post LENGTH linked sends, from FIRST on; returns what the verb returned. */
static ALWAYS_INLINE int post_linked(struct flow_qp *q,
				     struct flow_request *first,
				     const uint32_t length, const enum op op,
				     const enum post_method method)
{
	struct ibv_send_wr *bad;

	if (method == POST_LEGACY)
		return ibv_post_send(q->qp, &first->wr, &bad);
	ibv_wr_start(q->qpx);
	for (uint32_t i = 0; i < length; i++) {
		begin_send(q->qpx, &first[i].wr, op);
		end_send(q, &first[i], op);
	}
	return ibv_wr_complete(q->qpx);
}

/* Posts one send of its operation; returns what the verb returned. */
typedef int post_one_fn(struct flow_qp *q, struct flow_request *r);

/* Returns the function that posts one send of OP by METHOD. */
post_one_fn *choose_post_one(enum op op, enum post_method method);

static inline int post_failed(struct flow *f, const struct flow_qp *q, int ret)
{
	return flow_verb_failed(f, f->method == POST_WR ? "ibv_wr_complete" :
							  "ibv_post_send",
				qp_index_of(q->tag), ret);
}

/* Retire the messages that the successful send completion WC covers, count them
 * in *COMPLETED and return their QP. */
static ALWAYS_INLINE struct flow_qp *retire_send(const struct flow *f,
						 const struct ibv_wc *wc,
						 uint64_t *completed)
{
	struct flow_qp *q = &f->qps[qp_index_of(wc->wr_id)];
	uint64_t count = wc->wr_id & FLOW_COUNT_MASK;

	*completed += count - q->completed;
	q->completed = count;
	return q;
}

/* Poll up to POLL_BATCH completions of CQ into WC; returns their number, or a
 * negative errno. */
static ALWAYS_INLINE int poll_batch(struct flow *f, struct ibv_cq *cq,
				    struct ibv_wc *wc)
{
	int n = ibv_poll_cq(cq, POLL_BATCH, wc);

	if (__builtin_expect(n < 0, 0))
		return flow_verb_failed(f, "ibv_poll_cq", 0, EIO);
	return n;
}

static ALWAYS_INLINE void tell_progress(struct flow *f, uint64_t messages)
{
	atomic_store_explicit(&f->progress->messages, messages,
			      memory_order_relaxed);
}
