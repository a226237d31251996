#include "config.h"
#include "traffic/latency.h"

#include <errno.h>

#include "traffic/single.h"

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

/* The answer to come goes to the slot after the last, where the next message
 * is awaited as well. */
static ALWAYS_INLINE void move_on(struct flow *f, struct flow_qp *q,
				  const enum op op)
{
	uint32_t slot = slot_after(f, f->slot);
	ptrdiff_t way = ((ptrdiff_t)slot - f->slot) * (ptrdiff_t)f->slot_step;

	f->slot = slot;
	f->flag_in += way;
	f->flag_out += way;
	place_next(f, q, slot, op);
}

/* Did the message awaited arrive?  1 yes, 0 not yet, or a negative errno. */
static ALWAYS_INLINE int arrived(struct flow *f, struct flow_qp *q,
				 const enum op op, uint8_t count)
{
	struct ibv_wc wc;
	int n;

	if (op == OP_WRITE)
		return *f->flag_in == count;
	n = ibv_poll_cq(f->recv_cq, 1, &wc);
	if (n == 0)
		return 0;
	if (n < 0)
		return flow_verb_failed(f, "ibv_poll_cq", 0, EIO);
	if (wc.status != IBV_WC_SUCCESS)
		return flow_completion_failed(f, &wc);
	q->recv_posted--;
	f->received++;
	return 1;
}

/*
 * Wait for the message that carries COUNT.
 * Returns 1; 0 when the phase reached UNTIL first; or a negative errno: a
 * failed send shows on the send queue, signalled or not.
 */
static ALWAYS_INLINE int await(struct flow *f, struct flow_qp *q,
			       const enum op op, uint8_t count,
			       const enum phase until)
{
	int ret;

	for (;;) {
		for (int i = 0; i < SPINS_PER_LOOK; i++) {
			ret = arrived(f, q, op, count);
			if (ret)
				return ret;
		}
		ret = reap(f);
		if (ret)
			return ret;
		if (flow_phase(f) >= until)
			return 0;
	}
}

/* What a post leaves to do, done while the answer is on its way.  An answer
 * may come before any wait: the phase is looked at here, too. */
static ALWAYS_INLINE int tidy(struct flow *f, struct flow_qp *q,
			      const enum op op)
{
	int ret = 0;

	if (op == OP_SEND && q->recv_posted < f->rx_depth)
		ret = post_receive(f, q);
	if (!ret && q->posted - q->completed >= f->shape.signal_every)
		ret = reap(f);
	if (!ret)
		ret = await_room(f, q);
	prepare_next(f, q);
	tell_progress(f, f->posted);
	if (!ret && flow_phase(f) == PHASE_ABORT)
		ret = -ECANCELED;
	return ret;
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
	for (uint8_t count = 1;; count += timed || f->slot == 0) {
		uint64_t now = 0;

		if (!timed) {
			ret = await(f, q, op, count, PHASE_DRAIN);
			if (ret <= 0)
				break;
		} else {
			now = clock_ticks(f->clock);
			if (over) {
				sample_end(f, &s, now);
				return 0;
			}
		}
		*f->flag_out = count;
		ret = post_next(f, q, op, method);
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
		if (!timed && op == OP_WRITE && f->slots > 1)
			move_on(f, q, op);
		if (timed) {
			over = finished(f, &s);
			ret = await(f, q, op, count, PHASE_ABORT);
			if (ret <= 0)
				break;
		}
	}
	return ret ? ret : flow_phase(f) == PHASE_ABORT ? -ECANCELED : 0;
}

/* Wait for the message outstanding to complete; *SEEN is when that was. */
static ALWAYS_INLINE int await_completion(struct flow *f, uint64_t *seen)
{
	struct ibv_wc wc;
	int n;

	for (;;) {
		for (int i = 0; i < SPINS_PER_LOOK; i++) {
			n = ibv_poll_cq(f->send_cq, 1, &wc);
			if (n == 0)
				continue;
			*seen = clock_ticks(f->clock);
			if (n < 0)
				return flow_verb_failed(f, "ibv_poll_cq", 0,
							EIO);
			if (wc.status != IBV_WC_SUCCESS)
				return flow_completion_failed(f, &wc);
			retire_send(f, &wc);
			return 0;
		}
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

		ret = post_next(f, q, op, method);
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

BOTH_METHODS(ping, SEND, pingpong_loop, true)
BOTH_METHODS(ping, WRITE, pingpong_loop, true)
BOTH_METHODS(pong, SEND, pingpong_loop, false)
BOTH_METHODS(pong, WRITE, pingpong_loop, false)
BOTH_METHODS(round_trip, READ, round_trip_loop)

#undef BOTH_METHODS
#undef LOOP

#define METHODS(name, id) \
	[OP_##id] = { \
		[POST_WR] = name##_##id##_WR, \
		[POST_LEGACY] = name##_##id##_LEGACY, \
	}

int latency_ping(struct flow *f, enum op op)
{
	static const latency_loop loops[OP_COUNT][POST_METHODS] = {
		METHODS(ping, SEND), METHODS(ping, WRITE),
	};

	return loops[op][f->method](f);
}

int latency_pong(struct flow *f, enum op op)
{
	static const latency_loop loops[OP_COUNT][POST_METHODS] = {
		METHODS(pong, SEND), METHODS(pong, WRITE),
	};

	return loops[op][f->method](f);
}

int latency_round_trip(struct flow *f, enum op op)
{
	static const latency_loop loops[OP_COUNT][POST_METHODS] = {
		METHODS(round_trip, READ),
	};

	return loops[op][f->method](f);
}
