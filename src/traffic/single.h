/* Sending single messages on one QP: shared by the latency loops. */
#pragma once

#include <endian.h>
#include <errno.h>

#include "traffic/copier.h"
#include "traffic/post.h"
#include "traffic/receive.h"
#include "traffic/verify.h"

/* Spins of a wait between two checks of the phase and the send queue.  A check
 * may delay the discovery of an answer, so checks are rare: some 10 us apart
 * with a memory flag, well under a millisecond with a completion queue.
 * Sanitizers make a spin a hundred times as long. */
#ifdef SANITIZED
#define SPINS_PER_CHECK 64
#else
#define SPINS_PER_CHECK 16384
#endif

/* Retire completed sends, without waiting, and count them in *COMPLETED.
 * Returns 0 or a negative errno. */
static ALWAYS_INLINE int reap_into(struct flow *f, uint64_t *completed)
{
	struct ibv_wc wc[POLL_BATCH];
	int n = poll_batch(f, f->send_cq, wc);

	for (int i = 0; i < n; i++) {
		if (wc[i].status != IBV_WC_SUCCESS)
			return flow_completion_failed(f, &wc[i], false);
		retire_send(f, &wc[i], completed);
	}
	if (n > 0)
		f->idle_polls = 0;
	return n < 0 ? n : 0;
}

static inline int reap(struct flow *f)
{
	return reap_into(f, &f->completed);
}

/* Wait until the send queue has room, which it nearly always has.  Returns 0 or
 * a negative errno. */
static ALWAYS_INLINE int await_room(struct flow *f, struct flow_qp *q)
{
	while (__builtin_expect(q->posted - q->completed >= f->shape.depth,
				0)) {
		int ret = reap(f);

		if (ret)
			return ret;
		if (flow_phase(f) == PHASE_ABORT)
			return -ECANCELED;
	}
	return 0;
}

/* Prepare the next send, so that only the posting is left to do. */
static ALWAYS_INLINE void prepare_next(struct flow *f, struct flow_qp *q)
{
	const bool signaled = !q->unsignaled_left;

	q->unsignaled_left = signaled ? f->layout.unsignaled :
					q->unsignaled_left - 1;
	q->requests->wr.send_flags = q->flags[signaled];
	q->requests->wr.wr_id = q->tag | (q->posted + 1);
}

/* Post the send prepared last, by POST.  Its message carries COUNT, by which
 * the other end recognises it.  Returns 0 or a negative errno. */
static ALWAYS_INLINE int post_next(struct flow *f, struct flow_qp *q,
				   uint8_t count, const enum op op,
				   post_one_fn *post)
{
	struct flow_request *r = q->requests;
	int ret;

	if (__builtin_expect(f->slow_path, 0)) {
		slow_post(f, q, r, count, &ret);
	} else {
		if (op_has_imm(op))
			r->wr.imm_data = htobe32(count);
		else if (op_table[op].pingpong)
			*f->pingpong.flag_out = count;
		ret = post(q, r);
	}
	if (__builtin_expect(ret != 0, 0))
		return post_failed(f, q, ret);
	q->posted++;
	f->posted++;
	return 0;
}

/* Make the prepared send use SLOT at both ends. */
static ALWAYS_INLINE void place_next(const struct flow *f, struct flow_qp *q,
				     uint32_t slot, const enum op op)
{
	const uint64_t offset = slot * f->pingpong.slot_step;
	struct flow_request *r = q->requests;

	r->sge.addr = q->local + offset;
	if (op_table[op].access)
		r->wr.wr.rdma.remote_addr = q->remote + offset;
}

/* Let the gap of F, if it has one, go by, unless the run is aborted.  NOW is
 * the time, in ticks; returns the time after. */
static ALWAYS_INLINE uint64_t pause_for_gap(const struct flow *f, uint64_t now)
{
	const uint64_t began = now;

	while (now - began < f->gap && flow_phase(f) != PHASE_ABORT)
		now = clock_ticks(f->clock);
	return now;
}
