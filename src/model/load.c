#include "config.h"
#include "model/load.h"

#include <math.h>

/* Below this fraction of the requested rate the load is saturated. */
#define ENOUGH 0.99

struct load load_summarise(const struct plan *plan, uint64_t size,
			   uint64_t counted, double seconds, uint64_t late)
{
	double wanted = rate_messages(plan->rate, size) / 1e6;
	double edges = (double)plan->threads * plan->burst;
	struct load load = {
		.requested_mpps = plan->rate ? wanted : NAN,
		.achieved_mpps = seconds > 0 ? (double)counted / seconds / 1e6 :
					       NAN,
		.late = late,
	};

	if (!plan->rate || !(seconds > 0))
		return load;
	if (plan_is_open(plan))
		load.saturated = load.achieved_mpps < ENOUGH * wanted &&
				 late > counted / 2;
	else
		load.saturated = (double)counted + edges <
				 ENOUGH * wanted * 1e6 * seconds;
	return load;
}
