#include "config.h"
#include "traffic/bandwidth.h"

#include <errno.h>

#include "traffic/post.h"

static void set_limits(struct flow *f)
{
	for (uint32_t i = 0; f->iterations && i < f->n_qps; i++)
		f->qps[i].limit = f->qps[i].completed + f->iterations;
}

static void open_window(struct flow *f)
{
	f->opened = clock_ticks(f->clock);
	f->warmup = f->completed;
	set_limits(f);
}

static void close_window(struct flow *f)
{
	f->closed = clock_ticks(f->clock);
	f->counted = f->completed - f->warmup;
}

/* Stop posting as soon as the last message posted is a signalled one. */
static void stop_posting(struct flow *f)
{
	for (uint32_t i = 0; i < f->n_qps; i++) {
		struct flow_qp *q = &f->qps[i];

		if (q->posted < q->limit)
			q->limit = q->posted +
				   q->until_signal % f->signal_every;
	}
}

/*
 * The phase moved on.  Called with completions just taken, so that both edges
 * of the window are completions.  Returns the phase the loop is now in: never
 * straight from warm-up to the end, a window needs both its edges.
 */
static __attribute__((noinline)) enum phase edge(struct flow *f,
						 enum phase seen)
{
	if (seen == PHASE_WARMUP) {
		open_window(f);
		return PHASE_MEASURE;
	}
	if (!f->iterations) {
		close_window(f);
		stop_posting(f);
	}
	return PHASE_DRAIN;
}

/* Post on Q until WINDOW messages are outstanding or its limit is reached. */
static ALWAYS_INLINE int refill(struct flow *f, struct flow_qp *q,
				uint32_t window, const enum op op)
{
	while (q->posted < q->limit && q->posted - q->completed < window) {
		int ret = post_message(f, q, op);

		if (ret)
			return ret;
	}
	return 0;
}

static ALWAYS_INLINE int refill_all(struct flow *f, uint32_t window,
				    const enum op op)
{
	int ret = 0;

	for (uint32_t i = 0; i < f->n_qps && !ret; i++)
		ret = refill(f, &f->qps[i], window, op);
	return ret;
}

/*
 * Take a batch of completions and post what they make room for.  Returns how
 * many there were, or a negative errno.
 */
static ALWAYS_INLINE int turn(struct flow *f, uint32_t window,
			      enum phase *seen, const enum op op)
{
	struct ibv_wc wc[POLL_BATCH];
	enum phase phase = flow_phase(f);
	int n, ret = 0;

	if (phase == PHASE_ABORT)
		return -ECANCELED;
	n = poll_batch(f, f->send_cq, wc);
	for (int i = 0; i < n; i++)
		if (!retire_send(f, &wc[i]))
			return -EIO;
	if (n > 0 && phase != *seen)
		*seen = edge(f, *seen);
	for (int i = 0; i < n && !ret; i++)
		ret = refill(f, &f->qps[qp_index_of(wc[i].wr_id)], window, op);
	atomic_store_explicit(&f->control->progress, f->completed,
			      memory_order_relaxed);
	return ret ? ret : n;
}

/*
 * The window of every QP grows by one message a turn, so that no QP is filled
 * while others wait, and completions are taken meanwhile.
 */
static ALWAYS_INLINE int bandwidth_loop(struct flow *f, const enum op op)
{
	enum phase seen = flow_phase(f);
	uint32_t window = 0;
	int ret = 0;

	if (seen != PHASE_WARMUP)
		open_window(f);
	do {
		if (window < f->depth)
			ret = refill_all(f, ++window, op);
		if (ret >= 0)
			ret = turn(f, window, &seen, op);
	} while (ret >= 0 && f->completed < f->posted);
	if (ret < 0)
		return ret;
	if (f->iterations)
		close_window(f);
	return 0;
}

#define X(id, ...) \
	static int loop_##id(struct flow *f) \
	{ \
		return bandwidth_loop(f, OP_##id); \
	}
OP_LIST(X)
#undef X

int bandwidth_run(struct flow *f, enum op op)
{
	static int (*const loops[OP_COUNT])(struct flow *) = {
#define X(id, ...) [OP_##id] = loop_##id,
		OP_LIST(X)
#undef X
	};

	int ret = loops[op](f);

	if (ret && f->opened && !f->closed)
		f->counted = f->completed - f->warmup;
	return ret;
}
