#include "config.h"
#include "run/pacing.h"

#include "base/xalloc.h"
#include "traffic/open_loop.h"

static void pace(struct flow *f, const struct plan *plan, uint64_t size,
		 double ns_per_tick)
{
	double share = (double)f->n_qps / plan->qps;

	pace_init(&f->pace, rate_messages(plan->rate, size) * share,
		  plan_burst(plan, size), (uint64_t)f->n_qps * f->shape.depth,
		  ns_per_tick);
}

static void open_loop(struct flow *f, const struct plan *plan, uint64_t size,
		      double ns_per_tick)
{
	if (!f->open)
		f->open = xcalloc(1, sizeof(*f->open));
	open_loop_init(f->open, rate_messages(plan->rate, size),
		       plan->arrival == ARRIVAL_POISSON, plan->open_depth,
		       ns_per_tick);
}

void pacing_prepare(struct run *run, uint64_t size)
{
	const struct plan *plan = run->plan;
	double tick;

	if (!plan->rate && !plan->gap)
		return;
	tick = clock_ns_per_tick(&run->clock);
	if (plan->gap) {
		run->flows[0].gap = (uint64_t)((double)plan->gap / tick);
		return;
	}
	if (plan_is_open(plan)) {
		if (run->client)
			open_loop(&run->flows[0], plan, size, tick);
		return;
	}
	if (plan->pacing == PACING_DEVICE)
		return;
	for (uint32_t t = 0; t < run->n_flows; t++)
		pace(&run->flows[t], plan, size, tick);
}
