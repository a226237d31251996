#include "config.h"
#include "preflight/pacing.h"

#include <errno.h>
#include <inttypes.h>

#include "model/pacing.h"

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
	return fail(err, -EINVAL, "change --rate or --qps, or use --pacing loop",
		    "--pacing device: the %s's %s paces a queue pair at %u to "
		    "%u kb/s, not at %" PRIu64, end, port->device,
		    limits->min_kbps, limits->max_kbps, share);
}
