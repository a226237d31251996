#include "config.h"
#include "model/load.h"

#include <math.h>

/* Less than that part of what was asked for has failed. */
#define ENOUGH 0.99

struct load load_summarise(const struct plan *plan, uint64_t size,
			   uint64_t counted, double seconds, uint64_t late)
{
	double wanted = rate_messages(plan->rate, size) / 1e6;
	struct load load = {
		.requested_mpps = plan->rate ? wanted : NAN,
		.achieved_mpps = seconds > 0 ? (double)counted / seconds / 1e6 :
					       NAN,
		.late = late,
	};

	/* false of a number that is none */
	load.saturated = load.achieved_mpps < ENOUGH * load.requested_mpps;
	if (plan_is_open(plan))
		load.saturated = load.saturated && late > counted / 2;
	return load;
}
