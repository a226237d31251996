/* Converts a rate into the schedule of a loop that limits itself. */
#include "config.h"
#include "traffic/pace.h"

void pace_init(struct pacer *p, double messages, uint64_t burst,
	       uint64_t queued, double ns_per_tick)
{
	uint64_t slack = (uint64_t)(messages * PACE_SLACK_NS / 1e9);

	if (slack < queued)
		slack = queued;
	if (slack < burst)
		slack = burst;
	*p = (struct pacer){
		.bursts = messages / (double)burst * ns_per_tick / 1e9,
		.burst = burst,
		.slack = slack,
	};
}
