#include "config.h"
#include "preflight/check.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "model/plan.h"

static int judge_static_rate(const struct end *end, struct error *err)
{
	if (pacing_static_rate(end->plan))
		return 0;
	return fail(err, -EINVAL, "use --pacing loop, which keeps any rate",
		    "--pacing device: the %s's %s is an InfiniBand port, where "
		    "each queue pair sends at %s, not at %" PRIu64 " kb/s",
		    end->name, end->port->device, pacing_static_rates,
		    pacing_share(end->plan));
}

int pacing_judge(const struct end *end, struct error *err)
{
	const struct port_limits *limits = &end->port->limits;
	const uint64_t share = pacing_share(end->plan);
	const struct transport_info *info =
		&transport_table[end->plan->transport];

	if (!port_is_ethernet(end->port))
		return judge_static_rate(end, err);
	if (!limits->pacing_known)
		return 0;
	if (!limits->max_kbps || !(limits->paced_types >> info->qp_type & 1))
		return fail(err, -EINVAL, "use --pacing loop",
			    "--pacing device: the %s's %s has no packet pacing "
			    "for %s", end->name, end->port->device, info->name);
	if (share >= limits->min_kbps && share <= limits->max_kbps)
		return 0;
	return fail(err, -EINVAL,
		    "change --rate or --qps, or use --pacing loop",
		    "--pacing device: the %s's %s paces a queue pair at %u to "
		    "%u kb/s, not at %" PRIu64, end->name, end->port->device,
		    limits->min_kbps, limits->max_kbps, share);
}

/* Demand that the device pages WHAT, which is BIT of enum
 * ibv_odp_transport_cap_bits. */
static int require_paging(const struct end *end, uint32_t bit, const char *what,
			  struct error *err)
{
	const uint32_t *can = end->port->limits.odp;
	const enum transport transport = end->plan->transport;
	uint32_t any = 0;

	if (can[transport] & bit)
		return 0;
	for (int i = 0; i < TRANSPORTS; i++)
		any |= can[i];
	return fail(err, -EINVAL, "leave --odp out", any ?
		    "--odp: the %s's %s does not support on-demand paging for "
		    "%s over %s" :
		    "--odp: the %s's %s does not support on-demand paging",
		    end->name, end->port->device, what,
		    transport_table[transport].name);
}

/* The memory of both the requester and the responder is paged; for sends, the
 * responder's memory is that of its receives. */
int paging_judge(const struct end *end, struct error *err)
{
	const struct op_info *info = &op_table[end->plan->op];
	/* the receives of a write take only its immediate data */
	const bool into_memory = plan_posts_receives(end->plan, end->client) &&
				 !info->access;
	char what[16];
	int ret = 0;

	snprintf(what, sizeof(what), "%ss", info->name);
	if (plan_sends(end->plan, end->client) ||
	    info->paging != IBV_ODP_SUPPORT_SEND)
		ret = require_paging(end, info->paging, what, err);
	if (ret || !into_memory)
		return ret;
	return plan_shares_receives(end->plan) ?
		       require_paging(end, IBV_ODP_SUPPORT_SRQ_RECV,
				      "receives of a shared queue", err) :
		       require_paging(end, IBV_ODP_SUPPORT_RECV, "receives",
				      err);
}
