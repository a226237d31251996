/* The loop of --rate with latency: starts operations on schedule, whatever is
 * outstanding. */
#include "config.h"
#include "traffic/open_loop.h"

#include <errno.h>
#include <math.h>

#include "traffic/single.h"

/* Iterations between two checks of the send queue of a ping-pong for failed
 * sends: under a millisecond. */
#define POLLS_PER_CHECK 4096

/* For an exponential distribution of mean 1: the integral of its values above
 * the point that a share of ABOVE exceeds. */
static double tail(double above)
{
	return above > 0 ? above * (1 - log(above)) : 0;
}

static void make_gaps(struct open_loop *o)
{
	for (int i = 0; i < OPEN_GAPS; i++) {
		double from = tail(1 - (double)i / OPEN_GAPS);
		double to = tail(1 - (double)(i + 1) / OPEN_GAPS);

		o->gaps[i] = (float)((from - to) * OPEN_GAPS);
	}
}

void open_loop_init(struct open_loop *o, double rate, bool poisson,
		    uint32_t depth, double ns_per_tick)
{
	o->interval = 1e9 / rate / ns_per_tick;
	o->poisson = poisson;
	o->depth = depth;
	make_gaps(o);
}

void open_loop_begin(struct open_loop *o, uint64_t now)
{
	o->start = o->due = now;
	o->number = 0;
	o->offset = 0;
	o->random = MIX_STEP;
}

void open_loop_advance(struct open_loop *o)
{
	uint64_t part;

	o->number++;
	if (__builtin_expect(o->poisson, 0)) {
		part = mix(o->random) >> (64 - OPEN_GAPS_BITS);
		o->random += MIX_STEP;
		o->offset += (double)o->gaps[part] * o->interval;
	} else {
		o->offset = (double)o->number * o->interval;
	}
	o->due = o->start + (uint64_t)o->offset;
}

static void begin(struct flow *f, struct open_loop *o)
{
	open_loop_begin(o, clock_ticks(f->clock));
	o->left = f->shape.iterations ? f->shape.iterations : UINT64_MAX;
	o->measuring = flow_phase(f) >= PHASE_MEASURE;
	o->over = false;
	o->under_way = 0;
	o->posting = o->awaited = 0;
	o->posting_count = o->awaited_count = 1;
	o->late = 0;
	o->first_out = f->pingpong.flag_out;
}

/* Move *PLACE to the next slot; at wraparound, increment *COUNT. */
static ALWAYS_INLINE void step(const struct open_loop *o, uint32_t *place,
			       uint8_t *count)
{
	if (++*place < o->depth)
		return;
	*place = 0;
	++*count;
}

/* Record that an operation starts at NOW.  Returns its scheduled start, or 0 if
 * it is not measured. */
static ALWAYS_INLINE uint64_t note_start(struct flow *f, struct open_loop *o,
					 uint64_t now)
{
	if (!o->measuring)
		return 0;
	o->left--;
	o->late += (double)(now - o->due) > o->interval;
	if (!f->window.opened) {
		f->window.opened = o->due;
		f->window.warmup = f->completed;
	}
	return o->due;
}

/* True when the window must close: one more operation is DUE after the last
 * measured one, or the time is over and an operation was measured. */
static ALWAYS_INLINE bool is_over(const struct flow *f,
				  const struct open_loop *o, bool due)
{
	if (f->shape.iterations)
		return due && o->left == 0;
	return f->window.opened && flow_phase(f) >= PHASE_DRAIN;
}

/* Start the next operation.  Returns 0 or a negative errno. */
static ALWAYS_INLINE int start(struct flow *f, struct open_loop *o,
			       struct flow_qp *q, uint64_t now,
			       const enum op op, post_one_fn *post)
{
	struct flow_pingpong *p = &f->pingpong;
	int ret;

	if (op == OP_WRITE) {
		place_next(f, q, o->posting, op);
		p->flag_out = o->first_out + o->posting * p->slot_step;
	}
	ret = post_next(f, q, o->posting_count, op, post);
	if (ret)
		return ret;
	o->starts[o->posting] = note_start(f, o, now);
	step(o, &o->posting, &o->posting_count);
	o->under_way++;
	prepare_next(f, q);
	open_loop_advance(o);
	return 0;
}

/* Start an operation if one is due and has room.  Returns 0 or a negative
 * errno. */
static ALWAYS_INLINE int start_due(struct flow *f, struct open_loop *o,
				   struct flow_qp *q, const enum op op,
				   post_one_fn *post)
{
	uint64_t now = clock_ticks(f->clock);
	bool due;

	if (__builtin_expect(!o->measuring, 0) &&
	    flow_phase(f) >= PHASE_MEASURE) {
		o->measuring = true;
		open_loop_begin(o, now);
	}
	due = now >= o->due && o->under_way < o->depth &&
	      q->posted - q->completed < f->shape.depth;
	if (__builtin_expect(is_over(f, o, due), 0)) {
		f->window.closed = now;
		o->over = true;
		return 0;
	}
	return due ? start(f, o, q, now, op, post) : 0;
}

/* Has the awaited answer reached the memory?  Returns as ended(). */
static ALWAYS_INLINE int answered(struct flow *f, const struct open_loop *o)
{
	const volatile uint8_t *flag =
		f->pingpong.flag_in + o->awaited * f->pingpong.slot_step;
	uint8_t value = 0;
	int ret = 0;

	if (__builtin_expect(f->copier != NULL, 0))
		ret = copier_flag(f, flag, &value);
	else
		value = flow_flag(flag);
	return ret ?: value == o->awaited_count;
}

/* Poll once for the end of the oldest operation.  Returns 1 if it has ended, 0
 * if not, or a negative errno. */
static ALWAYS_INLINE int ended(struct flow *f, const struct open_loop *o,
			       const enum op op)
{
	struct flow_pingpong *p = &f->pingpong;
	struct ibv_wc wc;
	int n;

	if (op != OP_READ && !op_table[op].receives)
		return answered(f, o);
	n = ibv_poll_cq(op == OP_READ ? f->send_cq : f->recv_cq, 1, &wc);
	if (n == 0)
		return 0;
	if (n < 0)
		return flow_verb_failed(f, "ibv_poll_cq", 0, EIO);
	if (wc.status != IBV_WC_SUCCESS)
		return flow_completion_failed(f, &wc, op != OP_READ);
	if (op == OP_READ) {
		retire_send(f, &wc, &f->completed);
	} else {
		f->receives->outstanding--;
		p->receive = (uint32_t)(wc.wr_id & FLOW_COUNT_MASK);
	}
	return 1;
}

/* Take and record the oldest operation if it has ended.  Returns 0 or a
 * negative errno. */
static ALWAYS_INLINE int take_end(struct flow *f, struct open_loop *o,
				  const enum op op)
{
	int ret = o->under_way ? ended(f, o, op) : 0;
	uint64_t now, from;

	if (ret <= 0)
		return ret;
	now = clock_ticks(f->clock);
	from = o->starts[o->awaited];
	step(o, &o->awaited, &o->awaited_count);
	o->under_way--;
	if (from) {
		histogram_record(f->latency, now - from);
		if (f->samples)
			samples_put(f->samples, from, now - from);
		f->window.counted++;
	}
	f->received += op != OP_READ;
	tell_progress(f, f->posted - o->under_way);
	if (!op_table[op].receives)
		return 0;
	return repost(f, f->receives, f->pingpong.receive);
}

/* Reap a ping-pong's sends now and then: their completions end no operation. */
static ALWAYS_INLINE int reap_some(struct flow *f, const struct flow_qp *q,
				   uint32_t iteration)
{
	if (q->posted - q->completed < f->shape.cq_mod &&
	    iteration % POLLS_PER_CHECK)
		return 0;
	return reap(f);
}

int open_loop_run(struct flow *f, enum op op)
{
	post_one_fn *const post = choose_post_one(op, f->method);
	struct open_loop *o = f->open;
	struct flow_qp *q = &f->qps[0];
	int ret = 0;

	prepare_next(f, q);
	begin(f, o);
	for (uint32_t iteration = 1; !o->over || o->under_way; iteration++) {
		if (!o->over)
			ret = start_due(f, o, q, op, post);
		if (!ret)
			ret = take_end(f, o, op);
		if (!ret && op != OP_READ)
			ret = reap_some(f, q, iteration);
		if (!ret && flow_phase(f) == PHASE_ABORT)
			ret = -ECANCELED;
		if (ret)
			break;
	}
	if (ret && f->window.opened && !f->window.closed) {
		f->window.closed = clock_ticks(f->clock);
		f->window.cut = true;
	}
	return ret;
}
