#include "config.h"
#include "run/load.h"

#include "base/xalloc.h"
#include "model/plan_rate.h"
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

void load_prepare(struct session *s, uint64_t size)
{
	const struct plan *plan = &s->result->params.plan;

	if (!plan->rate)
		return;
	if (plan_is_open(plan)) {
		if (s->client)
			open_loop(&s->flows[0], plan, size,
				  clock_ns_per_tick(&s->clock));
		return;
	}
	for (uint32_t t = 0; t < s->n_flows; t++)
		pace(&s->flows[t], plan, size, clock_ns_per_tick(&s->clock));
}
