#include "config.h"
#include "traffic/latency.h"

#include <endian.h>
#include <errno.h>

#include "traffic/post.h"
#include "traffic/receive.h"

/* No receive is to be given back. */
#define NOTHING_TAKEN UINT32_MAX

/* Turns of a wait between two looks at the phase and the send queue.  A look
 * that coincides with the answer delays it, so they are rare: some 10 us apart
 * at a memory flag, well under a millisecond at a completion queue. */
#define SPINS_PER_LOOK 16384

/* A sequence of samples: the rules of which count, apart from the clock. */
struct sampler {
	uint64_t start;		/* of the sample under way; 0: not counted */
	uint64_t left;		/* samples still to be started */
};

static struct sampler sampler_init(const struct flow *f)
{
	return (struct sampler){
		.left = f->shape.iterations ? f->shape.iterations : UINT64_MAX,
	};
}

/* Begin a sample at NOW if the warm-up is over and more are wanted. */
static ALWAYS_INLINE void sample_begin(struct flow *f, struct sampler *s,
				       uint64_t now)
{
	s->start = 0;
	if (flow_phase(f) < PHASE_MEASURE || s->left == 0)
		return;
	s->left--;
	s->start = now;
	if (__builtin_expect(!f->opened, 0)) {
		f->opened = now;
		f->warmup = f->completed;
	}
}

static ALWAYS_INLINE void sample_end(struct flow *f, struct sampler *s,
				     uint64_t now)
{
	if (!s->start)
		return;
	histogram_record(f->latency, now - s->start);
	if (f->samples)
		samples_put(f->samples, s->start, now - s->start);
	f->closed = now;
	f->counted++;
}

/* True when the loop has measured what it was asked for: of a time that was
 * over before the first sample began, one. */
static ALWAYS_INLINE bool finished(const struct flow *f,
				   const struct sampler *s)
{
	return s->left == 0 || (!f->shape.iterations && f->opened &&
				flow_phase(f) >= PHASE_DRAIN);
}

/* Take what has completed from the send queue, without waiting. */
static int reap(struct flow *f)
{
	struct ibv_wc wc[POLL_BATCH];
	int n = poll_batch(f, f->send_cq, wc);

	for (int i = 0; i < n; i++) {
		if (wc[i].status != IBV_WC_SUCCESS)
			return flow_completion_failed(f, &wc[i]);
		retire_send(f, &wc[i]);
	}
	if (n > 0)
		f->idle_turns = 0;
	return n < 0 ? n : 0;
}

/* Until the send queue has room, which it nearly always has. */
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

/* Make the next message ready, so that it only needs to be handed over. */
static ALWAYS_INLINE void prepare_next(struct flow *f, struct flow_qp *q)
{
	bool quiet = q->quiet_left > 0;

	q->next = &q->lists[quiet ? FLOW_QUIET : FLOW_SIGNALLED];
	q->quiet_left = quiet ? q->quiet_left - 1 : f->quiet;
	q->next->requests->wr.wr_id = q->tag | (q->posted + 1);
}

/* Post it.  It carries COUNT, by which the other end knows it. */
static ALWAYS_INLINE int post_next(struct flow *f, struct flow_qp *q,
				   uint8_t count, const enum op op,
				   const enum post_method method)
{
	int ret;

	if (op_has_imm(op))
		q->next->requests->wr.imm_data = htobe32(count);
	else if (op_table[op].pingpong)
		*f->flag_out = count;
	ret = hand_over(q, q->next->requests, 1, op, method);
	if (__builtin_expect(ret != 0, 0))
		return post_failed(f, q, ret);
	q->posted++;
	f->posted++;
	return 0;
}

/*
 * Is VALUE what came in answer, or next?  On an unreliable transport the end
 * that is TIMED skips what answers a message it gave up, and the other answers
 * whatever comes: then *COUNT becomes that.
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

/* A receive completion: a message, but is it the one awaited? */
static ALWAYS_INLINE int take_message(struct flow *f, const struct ibv_wc *wc,
				      const bool timed, const enum op op,
				      uint8_t *count)
{
	struct flow_receives *r = f->receives;
	uint8_t value = *count;
	int ret;

	if (wc->status != IBV_WC_SUCCESS)
		return flow_completion_failed(f, wc);
	r->posted--;
	f->idle_turns = 0;
	if (op_has_imm(op))
		value = (uint8_t)be32toh(wc->imm_data);
	else if (f->shape.size)
		value = *f->flag_in;
	if (!f->unreliable || is_awaited(f, timed, value, count)) {
		f->taken = (uint32_t)(wc->wr_id & FLOW_COUNT_MASK);
		return 1;
	}
	ret = give_back(f, r, (uint32_t)(wc->wr_id & FLOW_COUNT_MASK));
	return ret < 0 ? ret : 0;
}

/* Did the message awaited arrive?  1 yes, 0 not yet, or a negative errno. */
static ALWAYS_INLINE int arrived(struct flow *f, const bool timed,
				 const enum op op, uint8_t *count)
{
	struct ibv_wc wc;
	int n;

	if (!op_table[op].receives)
		return is_awaited(f, timed, *f->flag_in, count);
	n = ibv_poll_cq(f->recv_cq, 1, &wc);
	if (n == 0)
		return 0;
	if (n < 0)
		return flow_verb_failed(f, "ibv_poll_cq", 0, EIO);
	return take_message(f, &wc, timed, op, count);
}

/* What a wait came to, besides a negative errno. */
enum { OVER, ARRIVED, LOST };

/*
 * Wait for the message that carries *COUNT.
 * Returns ARRIVED; OVER when the phase reached UNTIL first; LOST when it was
 * sent at SENT, on an unreliable transport, and f->patience is over; or a
 * negative errno: a failed send shows on the send queue, signalled or not.
 */
static ALWAYS_INLINE int await(struct flow *f, const bool timed,
			       const enum op op, uint8_t *count,
			       uint64_t sent, const enum phase until)
{
	int ret;

	for (;;) {
		for (int i = 0; i < SPINS_PER_LOOK; i++) {
			ret = arrived(f, timed, op, count);
			if (ret)
				return ret;
			if (f->wait)
				break;
		}
		ret = reap(f);
		if (!ret)
			ret = idle(f);
		if (ret)
			return ret;
		if (flow_phase(f) >= until)
			return OVER;
		if (timed && f->unreliable &&
		    clock_ticks(f->clock) - sent > f->patience)
			return LOST;
	}
}

/* What a post leaves to do, done while the answer is on its way.  An answer
 * may come before any wait: the phase is looked at here, too. */
static ALWAYS_INLINE int tidy(struct flow *f, struct flow_qp *q,
			      const enum op op)
{
	int ret = 0;

	if (op_table[op].receives && f->taken != NOTHING_TAKEN) {
		ret = give_back(f, f->receives, f->taken);
		f->taken = NOTHING_TAKEN;
	}
	if (!ret && q->posted - q->completed >= f->shape.signal_every)
		ret = reap(f);
	if (!ret)
		ret = await_room(f, q);
	prepare_next(f, q);
	tell_progress(f, f->received + f->completed);
	if (!ret && flow_phase(f) == PHASE_ABORT)
		ret = -ECANCELED;
	return ret;
}

/* The answer awaited: it counts, or the sample of S does not. */
static ALWAYS_INLINE int take_answer(struct flow *f, struct sampler *s,
				     int outcome)
{
	if (outcome == ARRIVED)
		f->received++;
	if (outcome == LOST) {
		f->lost++;
		s->start = 0;
	}
	return outcome;
}

/*
 * Either end of a ping-pong.  The one that is TIMED begins, and reads the
 * clock just before each post, where one sample ends and the next begins; the
 * other waits first, and answers until PHASE_DRAIN.
 */
static ALWAYS_INLINE int pingpong_loop(struct flow *f, const bool timed,
				       const enum op op,
				       const enum post_method method)
{
	struct flow_qp *q = &f->qps[0];
	struct sampler s = sampler_init(f), last;
	bool over = finished(f, &s);
	int ret;

	prepare_next(f, q);
	for (uint8_t count = 1;; count++) {
		uint64_t now = 0;

		if (!timed) {
			ret = await(f, timed, op, &count, 0, PHASE_DRAIN);
			if (take_answer(f, &s, ret) != ARRIVED)
				break;
		} else {
			now = clock_ticks(f->clock);
			if (over) {
				sample_end(f, &s, now);
				return 0;
			}
		}
		ret = post_next(f, q, count, op, method);
		if (ret)
			break;
		if (timed) {
			last = s;
			sample_begin(f, &s, now);
			sample_end(f, &last, now);
		}
		ret = tidy(f, q, op);
		if (ret)
			break;
		if (timed) {
			over = finished(f, &s);
			ret = await(f, timed, op, &count, now, PHASE_ABORT);
			if (take_answer(f, &s, ret) <= OVER)
				break;
		}
	}
	return ret < 0 ? ret : flow_phase(f) == PHASE_ABORT ? -ECANCELED : 0;
}

/* Wait for the message outstanding to complete; *SEEN is when that was. */
static ALWAYS_INLINE int await_completion(struct flow *f, uint64_t *seen)
{
	struct ibv_wc wc;
	int n;

	for (;;) {
		for (int i = 0; i < SPINS_PER_LOOK; i++) {
			n = ibv_poll_cq(f->send_cq, 1, &wc);
			if (n == 0 && f->wait)
				break;
			if (n == 0)
				continue;
			*seen = clock_ticks(f->clock);
			if (n < 0)
				return flow_verb_failed(f, "ibv_poll_cq", 0,
							EIO);
			if (wc.status != IBV_WC_SUCCESS)
				return flow_completion_failed(f, &wc);
			retire_send(f, &wc);
			f->idle_turns = 0;
			return 0;
		}
		n = idle(f);
		if (n)
			return n;
		if (flow_phase(f) == PHASE_ABORT)
			return -ECANCELED;
	}
}

static ALWAYS_INLINE int round_trip_loop(struct flow *f, const enum op op,
					 const enum post_method method)
{
	struct flow_qp *q = &f->qps[0];
	struct sampler s = sampler_init(f), last = { 0 };
	uint64_t seen = 0;
	int ret = 0;

	prepare_next(f, q);
	while (!finished(f, &s)) {
		uint64_t now = clock_ticks(f->clock);

		ret = post_next(f, q, 0, op, method);
		if (ret)
			break;
		sample_end(f, &last, seen);
		sample_begin(f, &s, now);
		prepare_next(f, q);
		tell_progress(f, f->posted);
		last.start = 0;
		ret = await_completion(f, &seen);
		if (!ret && flow_phase(f) == PHASE_ABORT)
			ret = -ECANCELED;
		if (ret)
			break;
		last = s;
	}
	sample_end(f, &last, seen);
	return ret;
}

typedef int (*latency_loop)(struct flow *f);

#define LOOP(name, id, method, loop, ...) \
	static int name##_##id##_##method(struct flow *f) \
	{ \
		return loop(f, ##__VA_ARGS__, OP_##id, POST_##method); \
	}
#define BOTH_METHODS(name, id, ...) \
	LOOP(name, id, WR, __VA_ARGS__) \
	LOOP(name, id, LEGACY, __VA_ARGS__)

#define PINGPONG(X) X(SEND) X(SEND_IMM) X(WRITE) X(WRITE_IMM)
#define ROUND_TRIP(X) X(READ) X(FETCH_ADD) X(CMP_SWAP)

#define PING(id) BOTH_METHODS(ping, id, pingpong_loop, true)
#define PONG(id) BOTH_METHODS(pong, id, pingpong_loop, false)
#define FETCH(id) BOTH_METHODS(round_trip, id, round_trip_loop)
PINGPONG(PING)
PINGPONG(PONG)
ROUND_TRIP(FETCH)
#undef FETCH
#undef PONG
#undef PING
#undef BOTH_METHODS
#undef LOOP

#define METHODS(name, id) \
	[OP_##id] = { \
		[POST_WR] = name##_##id##_WR, \
		[POST_LEGACY] = name##_##id##_LEGACY, \
	},

int latency_ping(struct flow *f, enum op op)
{
#define PING(id) METHODS(ping, id)
	static const latency_loop loops[OP_COUNT][POST_METHODS] = {
		PINGPONG(PING)
	};

	return loops[op][f->method](f);
}

int latency_pong(struct flow *f, enum op op)
{
#define PONG(id) METHODS(pong, id)
	static const latency_loop loops[OP_COUNT][POST_METHODS] = {
		PINGPONG(PONG)
	};

	return loops[op][f->method](f);
}

int latency_round_trip(struct flow *f, enum op op)
{
#define FETCH(id) METHODS(round_trip, id)
	static const latency_loop loops[OP_COUNT][POST_METHODS] = {
		ROUND_TRIP(FETCH)
	};

	return loops[op][f->method](f);
}
