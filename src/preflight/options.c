#include "config.h"
#include "preflight/check.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "model/plan.h"

static int judge_static_rate(const struct plan *plan, const char *end,
			     const struct port *port, struct error *err)
{
	if (pacing_static_rate(plan))
		return 0;
	return fail(err, -EINVAL, "use --pacing loop, which keeps any rate",
		    "--pacing device: the %s's %s is an InfiniBand port, where "
		    "each queue pair sends at %s, not at %" PRIu64 " kb/s", end,
		    port->device, pacing_static_rates, pacing_share(plan));
}

int pacing_judge(const struct plan *plan, const char *end,
		 const struct port *port, struct error *err)
{
	const struct port_limits *limits = &port->limits;
	const uint64_t share = pacing_share(plan);
	const struct transport_info *info = &transport_table[plan->transport];

	if (!port_is_ethernet(port))
		return judge_static_rate(plan, end, port, err);
	if (!limits->pacing_known)
		return 0;
	if (!limits->max_kbps || !(limits->paced_types >> info->qp_type & 1))
		return fail(err, -EINVAL, "use --pacing loop",
			    "--pacing device: the %s's %s has no packet pacing "
			    "for %s", end, port->device, info->name);
	if (share >= limits->min_kbps && share <= limits->max_kbps)
		return 0;
	return fail(err, -EINVAL,
		    "change --rate or --qps, or use --pacing loop",
		    "--pacing device: the %s's %s paces a queue pair at %u to "
		    "%u kb/s, not at %" PRIu64, end, port->device,
		    limits->min_kbps, limits->max_kbps, share);
}

/* A paging capability that a device must have, and its name. */
struct paging {
	uint32_t bit;		/* enum ibv_odp_transport_cap_bits */
	const char *what;
};

/* Paging of receives.  The memory of both the requester and the responder is
 * paged; for sends, the responder's memory is that of its receives. */
static struct paging paging_of_receives(const struct plan *plan)
{
	if (plan_shares_receives(plan))
		return (struct paging){ IBV_ODP_SUPPORT_SRQ_RECV,
					"receives of a shared queue" };
	return (struct paging){ IBV_ODP_SUPPORT_RECV, "receives" };
}

static int require_paging(const struct plan *plan, const char *end,
			  const struct port *port, struct paging wanted,
			  struct error *err)
{
	uint32_t can = port->limits.odp[plan->transport], any = 0;

	if (can & wanted.bit)
		return 0;
	for (int i = 0; i < TRANSPORTS; i++)
		any |= port->limits.odp[i];
	if (!any)
		return fail(err, -EINVAL, "leave --odp out",
			    "--odp: the %s's %s does not support on-demand "
			    "paging", end,
			    port->device);
	return fail(err, -EINVAL, "leave --odp out",
		    "--odp: the %s's %s does not support on-demand paging for "
		    "%s over %s", end, port->device, wanted.what,
		    transport_table[plan->transport].name);
}

int paging_judge(const struct plan *plan, const char *end,
		 const struct port *port, bool client, struct error *err)
{
	const struct op_info *info = &op_table[plan->op];
	char what[16];
	const struct paging op = { info->paging, what };
	/* the receives of a write take only its immediate data */
	const bool into_memory = plan_posts_receives(plan, client) &&
				 !info->access;
	int ret = 0;

	snprintf(what, sizeof(what), "%ss", info->name);
	if (plan_sends(plan, client) || op.bit != IBV_ODP_SUPPORT_SEND)
		ret = require_paging(plan, end, port, op, err);
	if (!ret && into_memory)
		ret = require_paging(plan, end, port, paging_of_receives(plan),
				     err);
	return ret;
}
