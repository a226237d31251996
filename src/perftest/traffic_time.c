/* How long the traffic of a client may take that says nothing while it runs. */
#include "config.h"
#include "perftest/traffic_time.h"

#include <math.h>

#include "base/time.h"

/* A switch on the way may be that many times as slow as the port, and so may
 * Soft-RoCE in an emulated host: 10 MB/s on a port of 10 Gb/s, or less. */
#define SLOWER 1000
/* For each message, in ns: one that follows others, and one that waits for the
 * one before, over a long way. */
#define EACH_OF_MANY (SECOND / 1000)
#define EACH_ALONE (SECOND / 100)
/* How many sizes --all has (PLAN_SIZES_ALL), and how long perftest compares its
 * clock with others, in ns, before it reports the next of them. */
#define ALL_SIZES 23
#define NEXT_SIZE (2 * SECOND)
/* The rate of a port that does not say its own. */
#define RATE_UNKNOWN 1000

/* The client measures one size after the other, and this end sees one round. */
static bool is_joined(const struct plan *plan)
{
	return plan->all && plan->sizes.n == 1;
}

static double time_of_count(const struct plan *plan, uint64_t size,
			    uint32_t rate_mbps)
{
	const double each = plan->metric == METRIC_LATENCY ? EACH_ALONE :
							     EACH_OF_MANY;
	const double rate = rate_mbps ? rate_mbps : RATE_UNKNOWN;
	/* Mb/s are bits in a thousandth of a ns */
	const double wire = (double)size * 8e3 / rate;
	const double n = (double)plan->iterations * plan->qps;

	/* sizes that double add up to twice the largest */
	if (is_joined(plan))
		return n * (ALL_SIZES * each + 2 * SLOWER * wire) +
		       (double)((ALL_SIZES - 1) * NEXT_SIZE);
	return n * (each + SLOWER * wire);
}

uint64_t traffic_time(const struct plan *plan, uint64_t size,
		      uint32_t rate_mbps)
{
	const uint64_t sizes = is_joined(plan) ? ALL_SIZES : 1;
	const double most = 2.0 * PLAN_LONGEST;

	if (!plan->iterations)
		return (uint64_t)fmin(2.0 * (double)plan->duration *
				      (double)sizes, most);
	return (uint64_t)fmin(time_of_count(plan, size, rate_mbps), most);
}
