/* The ping-pong loops of write_lat and send_lat. */
#include "config.h"
#include "traffic/loops.h"

#include <errno.h>

#include "traffic/sampler.h"
#include "traffic/single.h"

/* pingpong.receive when no receive waits to be given back. */
#define NOTHING_TAKEN UINT32_MAX

/*
 * True when VALUE is the count of the awaited message.  On an unreliable
 * transport, the TIMED end skips late answers to messages that it gave up.  The
 * other end accepts any new count and stores it in *COUNT.
 */
static ALWAYS_INLINE bool is_awaited(const struct flow *f, const bool timed,
				     uint8_t value, uint8_t *count)
{
	if (timed || !f->unreliable)
		return value == *count;
	if (value == (uint8_t)(*count - 1))
		return false;
	*count = value;
	return true;
}

/* Check a verified message and derive its count, *VALUE.  Returns 1; 0 when WC
 * brought no message; or a negative errno. */
static int take_verified(struct flow *f, const struct ibv_wc *wc,
			 uint8_t *value)
{
	uint64_t sequence = 0;
	int ret = verify_received(f, wc, &sequence);

	*value = (uint8_t)(sequence + 1);
	return ret == VERIFY_MESSAGE ? 1 : ret;
}

/* Like take_verified(), also without verification, when the host cannot read
 * the memory.  The count matters only where messages may be lost. */
static int take_slowly(struct flow *f, const struct ibv_wc *wc,
		       const enum op op, uint8_t *value)
{
	if (f->verify)
		return take_verified(f, wc, value);
	if (op_has_imm(op))
		*value = (uint8_t)be32toh(wc->imm_data);
	if (op_has_imm(op) || !f->shape.size || !f->unreliable)
		return 1;
	return copier_flag(f, f->pingpong.flag_in, value) ?: 1;
}

/* Poll for the awaited message where the host cannot read the memory.  Returns
 * as arrived(). */
static int poll_by_copy(struct flow *f, const bool timed, uint8_t *count)
{
	uint8_t value;

	return copier_flag(f, f->pingpong.flag_in, &value) ?:
	       is_awaited(f, timed, value, count);
}

/* Take receive completion WC.  Returns 1 if it is the awaited message, 0 if
 * not, or a negative errno. */
static ALWAYS_INLINE int take_message(struct flow *f, const struct ibv_wc *wc,
				      const bool timed, const enum op op,
				      uint8_t *count)
{
	uint32_t slot = (uint32_t)(wc->wr_id & FLOW_COUNT_MASK);
	uint8_t value = *count;
	int is = 1;

	if (wc->status != IBV_WC_SUCCESS)
		return flow_completion_failed(f, wc, true);
	f->receives->outstanding--;
	f->idle_polls = 0;
	if (__builtin_expect(f->slow_path, 0))
		is = take_slowly(f, wc, op, &value);
	else if (op_has_imm(op))
		value = (uint8_t)be32toh(wc->imm_data);
	else if (f->shape.size)
		value = flow_flag(f->pingpong.flag_in);
	if (is < 0)
		return is;
	if (is && (!f->unreliable || is_awaited(f, timed, value, count))) {
		f->pingpong.receive = slot;
		return 1;
	}
	return repost(f, f->receives, slot);
}

/* Poll once for the awaited message.  Returns 1 if it arrived, 0 if not, or a
 * negative errno. */
static ALWAYS_INLINE int arrived(struct flow *f, const bool timed,
				 const enum op op, uint8_t *count)
{
	struct ibv_wc wc;
	int n;

	if (!op_table[op].receives && !f->slow_path)
		return is_awaited(f, timed, flow_flag(f->pingpong.flag_in),
				  count);
	if (!op_table[op].receives && !f->verify)
		return poll_by_copy(f, timed, count);
	n = ibv_poll_cq(f->recv_cq, 1, &wc);
	if (n == 0)
		return 0;
	if (n < 0)
		return flow_verb_failed(f, "ibv_poll_cq", 0, EIO);
	return take_message(f, &wc, timed, op, count);
}

/* Results of a wait, besides a negative errno. */
enum { OVER, ARRIVED, LOST };

/*
 * Wait for the message that carries *COUNT.
 * Returns ARRIVED; OVER when the phase reached UNTIL first; LOST when, on an
 * unreliable transport, f->loss_timeout has passed since SENT, when the TIMED
 * end posted the ping; or a negative errno, because a failed send completes
 * with an error, signaled or not.
 */
static ALWAYS_INLINE int await(struct flow *f, const bool timed,
			       const enum op op, uint8_t *count,
			       uint64_t sent, const enum phase until)
{
	int ret;

	for (;;) {
		for (int i = 0; i < SPINS_PER_CHECK; i++) {
			ret = arrived(f, timed, op, count);
			if (ret)
				return ret;
			if (f->wait)
				break;
		}
		ret = reap(f) ?: idle(f);
		if (ret)
			return ret;
		if (flow_phase(f) >= until)
			return OVER;
		if (timed && f->unreliable &&
		    clock_ticks(f->clock) - sent > f->loss_timeout)
			return LOST;
	}
}

/* Repost the receive of the message that was answered, if it took one. */
static ALWAYS_INLINE int repost_taken(struct flow *f)
{
	const uint32_t slot = f->pingpong.receive;

	f->pingpong.receive = NOTHING_TAKEN;
	return slot == NOTHING_TAKEN ? 0 : repost(f, f->receives, slot);
}

/* Finish the work of a post while the answer is on its way.  Check the phase
 * here, too: when answers arrive at once, await() never does. */
static ALWAYS_INLINE int finish_post(struct flow *f, struct flow_qp *q)
{
	int ret = repost_taken(f);

	if (!ret && q->posted - q->completed >= f->shape.cq_mod)
		ret = reap(f);
	if (!ret)
		ret = await_room(f, q);
	prepare_next(f, q);
	/* a send alone is no progress: every message may get lost */
	tell_progress(f, f->received);
	if (!ret && flow_phase(f) == PHASE_ABORT)
		ret = -ECANCELED;
	return ret;
}

/* Await the next message in the next slot, and answer it from there. */
static ALWAYS_INLINE void next_slot(struct flow *f, struct flow_qp *q,
				    const enum op op)
{
	struct flow_pingpong *p = &f->pingpong;
	uint32_t slot = p->slot + 1 < p->slots ? p->slot + 1 : 0;
	ptrdiff_t way = ((ptrdiff_t)slot - p->slot) * (ptrdiff_t)p->slot_step;

	p->slot = slot;
	p->flag_in += way;
	p->flag_out += way;
	place_next(f, q, slot, op);
}

/* Count the answer, or discard the sample in S if the answer is lost.  Returns
 * OUTCOME. */
static ALWAYS_INLINE int take_answer(struct flow *f, struct sampler *s,
				     int outcome)
{
	if (outcome == ARRIVED)
		f->received++;
	if (outcome == LOST) {
		f->lost += s->start != 0;
		s->start = 0;
	}
	return outcome;
}

/*
 * What precedes the samples of the end that measures: if it sends second, the
 * message that it answers first; if the other end starts slowly, the first
 * round trip.  *COUNT becomes that of the next message.  Returns as await().
 */
static ALWAYS_INLINE int begin_pingpong(struct flow *f, struct flow_qp *q,
					uint8_t *count, const enum op op,
					post_one_fn *post)
{
	uint8_t first = *count;
	int ret = 0;

	if (!f->pingpong.second && !f->pingpong.slow_start)
		return ARRIVED;
	if (!f->pingpong.second) {
		ret = post_next(f, q, (*count)++, op, post);
		if (!ret)
			ret = finish_post(f, q);
	}
	return ret ? ret : await(f, true, op, &first, 0, PHASE_ABORT);
}

/* Answer the last message as well, with COUNT, if this end is the second and
 * sends a given number; wait until that has arrived. */
static ALWAYS_INLINE int answer_last(struct flow *f, struct flow_qp *q,
				     uint8_t count, const enum op op,
				     post_one_fn *post)
{
	int ret = repost_taken(f);

	if (ret || !f->pingpong.second || !f->shape.iterations)
		return ret;
	ret = post_next(f, q, count, op, post);
	while (!ret && q->completed < q->posted) {
		ret = reap(f);
		if (!ret && flow_phase(f) == PHASE_ABORT)
			ret = -ECANCELED;
	}
	return ret;
}

/* Sequence numbers continue from size to size; other counts restart at 1. */
static uint8_t first_count(const struct flow *f, const struct flow_qp *q)
{
	return f->verify ? (uint8_t)(q->posted + 1) : 1;
}

/*
 * Either end of a ping-pong.  The TIMED end sends first, unless it is the
 * second, and reads the clock just before each post, where one sample ends and
 * the next begins, unless it is to pause in between.  The other end waits
 * first, and answers until PHASE_DRAIN.
 */
static ALWAYS_INLINE int pingpong_loop(struct flow *f, const bool timed,
				       const enum op op)
{
	post_one_fn *const post = choose_post_one(op, f->method);
	struct flow_qp *q = &f->qps[0];
	struct sampler s = sampler_init(f), last;
	bool over = finished(f, &s);
	uint8_t count = first_count(f, q);
	int ret = ARRIVED;

	prepare_next(f, q);
	if (timed)
		ret = begin_pingpong(f, q, &count, op, post);
	if (ret != ARRIVED)
		return ret < 0 ? ret : -ECANCELED;
	for (;; count += timed || f->pingpong.slot == 0) {
		uint64_t now = 0, answered;
		uint8_t awaited;

		if (!timed) {
			ret = await(f, timed, op, &count, 0, PHASE_DRAIN);
			if (take_answer(f, &s, ret) != ARRIVED)
				break;
		} else {
			now = clock_ticks(f->clock);
			if (over) {
				sample_end(f, &s, now);
				/* the next size must not number it anew */
				return answer_last(f, q, count, op, post);
			}
		}
		answered = now;
		if (timed)
			now = pause_for_gap(f, now);
		ret = post_next(f, q, count, op, post);
		if (ret)
			break;
		if (timed) {
			last = s;
			sample_begin(f, &s, now);
			sample_end(f, &last, answered);
		}
		ret = finish_post(f, q);
		if (ret)
			break;
		if (!timed && op == OP_WRITE && f->pingpong.slots > 1)
			next_slot(f, q, op);
		if (timed) {
			over = finished(f, &s);
			awaited = (uint8_t)(count + f->pingpong.second);
			ret = await(f, timed, op, &awaited, now, PHASE_ABORT);
			if (take_answer(f, &s, ret) <= OVER)
				break;
		}
	}
	return ret < 0 ? ret : flow_phase(f) == PHASE_ABORT ? -ECANCELED : 0;
}

int latency_ping(struct flow *f, enum op op)
{
	return pingpong_loop(f, true, op);
}

int latency_pong(struct flow *f, enum op op)
{
	return pingpong_loop(f, false, op);
}
