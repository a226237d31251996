#include "config.h"
#include "preflight/paging.h"

#include <errno.h>
#include <stdio.h>

/* What a device must have, and the words for it. */
struct paging {
	uint32_t bit;		/* enum ibv_odp_transport_cap_bits */
	const char *what;
};

/* The requester's memory and the responder's are both fetched by pages; of a
 * send the latter is what the receives point to. */
static struct paging paging_of_receives(const struct plan *plan)
{
	if (plan->srq)
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
			    "--odp: the %s's %s has no on-demand paging", end,
			    port->device);
	return fail(err, -EINVAL, "leave --odp out",
		    "--odp: the %s's %s has no on-demand paging for %s over "
		    "%s", end, port->device, wanted.what,
		    transport_table[plan->transport].name);
}

int paging_judge(const struct plan *plan, const char *end,
		 const struct port *port, bool client, struct error *err)
{
	const struct op_info *info = &op_table[plan->op];
	char what[16];
	const struct paging op = { info->paging, what };
	/* those of a write only take its immediate data */
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
