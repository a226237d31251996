#include "config.h"
#include "traffic/latency.h"

#include <errno.h>

#include "traffic/post.h"

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
		.left = f->iterations ? f->iterations : UINT64_MAX,
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
	f->closed = now;
	f->counted++;
}

/* True when the loop has measured what it was asked for. */
static ALWAYS_INLINE bool finished(const struct flow *f,
				   const struct sampler *s)
{
	return s->left == 0 || (!f->iterations && flow_phase(f) >= PHASE_DRAIN);
}

static ALWAYS_INLINE void tell_progress(struct flow *f)
{
	atomic_store_explicit(&f->control->progress, f->posted,
			      memory_order_relaxed);
}

/* Take what has completed from the send queue, without waiting. */
static int reap(struct flow *f)
{
	struct ibv_wc wc[POLL_BATCH];
	int n = poll_batch(f, f->send_cq, wc);

	for (int i = 0; i < n; i++)
		if (!retire_send(f, &wc[i]))
			return -EIO;
	return n < 0 ? n : 0;
}

/* Post one, once the send queue has room, which it nearly always has. */
static ALWAYS_INLINE int post_when_room(struct flow *f, struct flow_qp *q,
					const enum op op)
{
	while (__builtin_expect(q->posted - q->completed >= f->depth, 0)) {
		int ret = reap(f);

		if (ret)
			return ret;
		if (flow_phase(f) == PHASE_ABORT)
			return -ECANCELED;
	}
	return post_message(f, q, op);
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
	if (!ret && q->posted - q->completed >= f->signal_every)
		ret = reap(f);
	tell_progress(f);
	if (!ret && flow_phase(f) == PHASE_ABORT)
		ret = -ECANCELED;
	return ret;
}

static ALWAYS_INLINE int ping_loop(struct flow *f, const enum op op)
{
	struct flow_qp *q = &f->qps[0];
	struct sampler s = sampler_init(f), last;
	uint8_t count = 0;
	int ret;

	for (;;) {
		uint64_t now = clock_ticks(f->clock);

		if (finished(f, &s)) {
			sample_end(f, &s, now);
			return 0;
		}
		*f->flag_out = ++count;
		ret = post_when_room(f, q, op);
		if (ret)
			return ret;
		last = s;
		sample_begin(f, &s, now);
		sample_end(f, &last, now);
		ret = tidy(f, q, op);
		if (ret)
			return ret;
		ret = await(f, q, op, count, PHASE_ABORT);
		if (ret <= 0)
			return ret ? ret : -ECANCELED;
	}
}

static ALWAYS_INLINE int pong_loop(struct flow *f, const enum op op)
{
	struct flow_qp *q = &f->qps[0];
	uint8_t count = 0;
	int ret;

	for (;;) {
		count++;
		ret = await(f, q, op, count, PHASE_DRAIN);
		if (ret <= 0)
			break;
		*f->flag_out = count;
		ret = post_when_room(f, q, op);
		if (ret)
			break;
		ret = tidy(f, q, op);
		if (ret)
			break;
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
			return retire_send(f, &wc) ? 0 : -EIO;
		}
		if (flow_phase(f) == PHASE_ABORT)
			return -ECANCELED;
	}
}

static ALWAYS_INLINE int round_trip_loop(struct flow *f, const enum op op)
{
	struct sampler s = sampler_init(f);
	int ret;

	while (!finished(f, &s)) {
		uint64_t now = clock_ticks(f->clock), seen;

		ret = post_message(f, &f->qps[0], op);
		if (ret)
			return ret;
		sample_begin(f, &s, now);
		tell_progress(f);
		ret = await_completion(f, &seen);
		if (!ret && flow_phase(f) == PHASE_ABORT)
			ret = -ECANCELED;
		if (ret)
			return ret;
		sample_end(f, &s, seen);
	}
	return 0;
}

int latency_ping(struct flow *f, enum op op)
{
	return op == OP_SEND ? ping_loop(f, OP_SEND) : ping_loop(f, OP_WRITE);
}

int latency_pong(struct flow *f, enum op op)
{
	return op == OP_SEND ? pong_loop(f, OP_SEND) : pong_loop(f, OP_WRITE);
}

int latency_round_trip(struct flow *f, enum op op)
{
	(void)op;		/* one operation so far has no ping-pong */
	return round_trip_loop(f, OP_READ);
}
