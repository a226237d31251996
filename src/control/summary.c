/* Makes the figures of a row of a control test from what its threads recorded.
 */
#include "config.h"
#include "control/engine.h"

#include <math.h>
#include <stdlib.h>

#include "base/numbers.h"
#include "base/time.h"

/* Selects samples of one part, or of the whole operation. */
#define WHOLE CONTROL_PARTS_MAX
/* CPU time, in ns, that has at least 25 ticks of the kernel. */
#define ENOUGH_TO_SPLIT (SECOND / 10)

static bool holds(const struct control_engine *e)
{
	return e->shared->params->pattern == CONTROL_HOLD;
}

/* True for a part outside of the time of an operation: what is held is undone
 * later. */
static bool is_aside(const struct control_engine *e, uint32_t part)
{
	return e->op->parts[part].aside ||
	       (holds(e) && e->op->parts[part].undoes);
}

/* The ticks of PART, or WHOLE, of an object that was held. */
static uint64_t ticks_of(const struct control_engine *e,
			 const struct control_held *held, uint32_t part)
{
	uint64_t sum = 0;

	if (part != WHOLE)
		return held->ticks[part];
	for (uint32_t i = 0; e->op->parts[i].name; i++)
		if (!is_aside(e, i))
			sum += held->ticks[i];
	return sum;
}

/* How many objects there were when PART of HELD began. */
static uint64_t existing_of(const struct control_engine *e,
			    const struct control_held *held, uint32_t part)
{
	return part != WHOLE && e->op->parts[part].undoes ? held->undone :
							    held->existing;
}

/* Count the samples of PART of the objects held, of SPAN or of all.  A part
 * that took no time was not done. */
static void collect_held(const struct control_engine *e, uint32_t part,
			 uint32_t span, struct histogram *h)
{
	for (uint32_t i = 0; i < e->n_workers; i++) {
		const struct control_worker *w = &e->workers[i];

		for (uint64_t k = 0; k < w->n; k++) {
			const struct control_held *held = &w->held[k];
			const uint64_t ticks = ticks_of(e, held, part);

			if (ticks && (span == CONTROL_SPANS ||
				      control_span_of(existing_of(
					      e, held, part)) == span))
				histogram_record(h, ticks);
		}
	}
}

static void collect_churned(const struct control_engine *e, uint32_t part,
			    struct histogram *h)
{
	for (uint32_t i = 0; i < e->n_workers; i++) {
		const struct control_worker *w = &e->workers[i];
		const struct histogram *own = part == WHOLE ? w->total :
							      w->parts[part];

		if (own)
			histogram_merge(h, own);
	}
}

/* Collect all samples of PART in H, which is emptied first. */
static void collect(const struct control_engine *e, uint32_t part,
		    struct histogram *h)
{
	histogram_reset(h);
	if (holds(e))
		collect_held(e, part, CONTROL_SPANS, h);
	else
		collect_churned(e, part, h);
}

static uint64_t power_of_ten(uint32_t n)
{
	uint64_t power = 1;

	while (n--)
		power *= 10;
	return power;
}

static void summarise_spans(const struct control_engine *e,
			    double ns_per_tick, uint64_t most,
			    struct histogram *h, struct control_row *c)
{
	for (uint32_t s = 0; s < CONTROL_SPANS; s++) {
		struct control_span *span = &c->spans[s];

		span->from = s ? power_of_ten(s) : 0;
		if (span->from >= most)
			break;
		span->to = smaller(power_of_ten(s + 1), most) - 1;
		if (s == CONTROL_SPANS - 1)
			span->to = most - 1;
		histogram_reset(h);
		collect_held(e, WHOLE, s, h);
		span->latency = summary_latency(h, ns_per_tick);
		for (uint32_t i = 0; i < c->n_parts; i++) {
			histogram_reset(h);
			collect_held(e, i, s, h);
			span->parts[i] = summary_latency(h, ns_per_tick);
		}
		c->n_spans++;
	}
}

/* The window is that of all threads together. */
static uint64_t window_of(const struct control_engine *e)
{
	uint64_t began = UINT64_MAX, ended = 0;

	for (uint32_t i = 0; i < e->n_workers; i++) {
		const struct control_worker *w = &e->workers[i];

		if (!w->ended)
			continue;
		began = smaller(began, w->began);
		ended = larger(ended, w->ended);
	}
	return ended ? ended - began : 0;
}

/* Summarise what one operation cost its thread.  The kernel tells user from
 * system time by looking at each of its ticks, of which there must be
 * enough. */
static void summarise_use(const struct control_engine *e, double ns_per_tick,
			  uint64_t done, struct control_row *c)
{
	uint64_t ticks = 0, cpu = 0, user = 0, seen = 0;
	bool known = true;
	double share;

	for (uint32_t i = 0; i < e->n_workers; i++) {
		const struct control_worker *w = &e->workers[i];

		ticks += w->ended - w->began;
		cpu += w->cpu_ns;
		known = known && w->cpu_known;
		user += w->use.user_ns;
		seen += w->use.user_ns + w->use.system_ns;
	}
	share = seen >= ENOUGH_TO_SPLIT ? (double)user / (double)seen : NAN;
	c->wall_ns = done ? (double)ticks * ns_per_tick / (double)done : NAN;
	c->cpu_ns = done && known ? (double)cpu / (double)done : NAN;
	c->user_ns = c->cpu_ns * share;
	c->system_ns = c->cpu_ns - c->user_ns;
}

static void summarise_parts(const struct control_engine *e,
			    double ns_per_tick, struct histogram *h,
			    struct control_row *c)
{
	for (uint32_t i = 0; e->op->parts[i].name; i++) {
		c->n_parts = i + 1;
		collect(e, i, h);
		c->parts[i] = (struct control_part){
			.name = e->op->parts[i].name,
			.aside = is_aside(e, i),
			.latency = summary_latency(h, ns_per_tick),
		};
	}
}

/* The rate of threads that register, in bytes per ns, which is 10^9 bytes a
 * second. */
static double pinned(const struct control_engine *e,
		     const struct control_row *c)
{
	if (!e->op->pinning)
		return NAN;
	return (double)e->shared->size * e->n_workers / 1000 /
	       c->parts[e->op->pinning - 1].latency.mean;
}

static void summarise_window(const struct control_engine *e, double ns_per_tick,
			     struct result_direction *total)
{
	const bool wanted = e->shared->params->plan.interval;

	total->seconds = (double)window_of(e) * ns_per_tick / 1e9;
	for (uint32_t i = 0; i < e->n_workers; i++)
		total->iterations += e->workers[i].done;
	total->bandwidth = summary_bandwidth(0, 0, 0);
	total->intervals = intervals_get(&e->log, 1, &total->n_intervals);
	if (total->n_intervals >= INTERVALS_LEAST || wanted)
		return;
	free(total->intervals);
	total->intervals = NULL;
	total->n_intervals = 0;
}

void control_summarise(const struct control_engine *e, double ns_per_tick)
{
	struct histogram *h = histogram_new();
	struct result_direction *total = &e->row->total;
	struct control_row *c = e->row->control;

	summarise_window(e, ns_per_tick, total);
	summarise_parts(e, ns_per_tick, h, c);
	collect(e, WHOLE, h);
	result_set_samples(e->shared->params, h, ns_per_tick, e->row);
	summarise_use(e, ns_per_tick, total->iterations, c);
	c->per_second = total->seconds > 0 && total->iterations ?
			(double)total->iterations / total->seconds : NAN;
	c->pinned_gb_per_s = pinned(e, c);
	c->limit = e->limit;
	c->most = holds(e) ? total->iterations :
		  smaller(e->n_workers, total->iterations);
	if (holds(e))
		summarise_spans(e, ns_per_tick, c->most, h, c);
	free(h);
}
