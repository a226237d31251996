#include "config.h"
#include "run/role.h"

#include "traffic/bandwidth.h"
#include "traffic/latency.h"
#include "traffic/open_loop.h"

sending_loop *role_loop(const struct run *run)
{
	const struct plan *plan = run->plan;

	if (plan->metric == METRIC_BANDWIDTH)
		return plan_sends(plan, run->client) ? bandwidth_run : NULL;
	if (plan_is_open(plan) && run->client)
		return open_loop_run;
	if (plan_is_pingpong(plan))
		return run->client ? latency_ping : latency_pong;
	return run->client ? latency_round_trip : NULL;
}

bool role_answers(const struct run *run)
{
	return !run->client && plan_is_pingpong(run->plan);
}

bool role_awaits_peer(const struct run *run)
{
	const struct plan *plan = run->plan;

	if (plan->metric == METRIC_BANDWIDTH)
		return plan_sends(plan, !run->client);
	return !run->client && !role_answers(run);
}

bool role_begins(const struct run *run)
{
	const struct plan *plan = run->plan;

	return plan->metric == METRIC_LATENCY ? run->client :
						plan_sends(plan, run->client);
}
