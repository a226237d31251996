#include "config.h"
#include "preflight/paging.h"

#include <errno.h>
#include <stdio.h>

/* A paging capability that a device must have, and its name. */
struct paging {
	uint32_t bit;		/* enum ibv_odp_transport_cap_bits */
	const char *what;
};

/* The memory of both the requester and the responder is paged.  For sends, the
 * responder's memory is that of its receives. */
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
