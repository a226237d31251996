#include "config.h"
#include "run/role.h"

#include "traffic/bandwidth.h"
#include "traffic/latency.h"
#include "traffic/open_loop.h"

static const struct plan *plan_of(const struct session *s)
{
	return &s->result->params.plan;
}

sending_loop *role_loop(const struct session *s)
{
	const struct plan *plan = plan_of(s);

	if (plan->metric == METRIC_BANDWIDTH)
		return plan_sends(plan, s->client) ? bandwidth_run : NULL;
	if (plan_is_open(plan) && s->client)
		return open_loop_run;
	if (plan_is_pingpong(plan))
		return s->client ? latency_ping : latency_pong;
	return s->client ? latency_round_trip : NULL;
}

bool role_answers(const struct session *s)
{
	return !s->client && plan_is_pingpong(plan_of(s));
}

bool role_awaits_peer(const struct session *s)
{
	const struct plan *plan = plan_of(s);

	if (plan->metric == METRIC_BANDWIDTH)
		return plan_sends(plan, !s->client);
	return !s->client && !role_answers(s);
}

bool role_begins(const struct session *s)
{
	const struct plan *plan = plan_of(s);

	return plan->metric == METRIC_LATENCY ? s->client :
						plan_sends(plan, s->client);
}
