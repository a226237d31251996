/* Computes and checks what addresses a queue pair's packets carry: traffic
 * class, flow label, P_Key, service level. */
#include "config.h"
#include "model/plan.h"

#include <errno.h>

/* The DSCP is the upper six bits of the byte in an IPv4 or IPv6 header; the
 * other two are for congestion. */
#define DSCP_SHIFT 2

uint8_t addressing_traffic_class(const struct plan *plan)
{
	if (plan->dscp != PLAN_AUTO)
		return (uint8_t)(plan->dscp << DSCP_SHIFT);
	return (uint8_t)plan->tclass;
}

uint32_t addressing_flow_label(const struct plan *plan, uint32_t index)
{
	const struct labels *labels = &plan->flow_labels;

	return labels->n ? labels->value[index % labels->n] : 0;
}

int addressing_check(const struct plan *plan, struct error *err)
{
	if (!plan->tclass || plan->dscp == PLAN_AUTO)
		return 0;
	return fail(err, -EINVAL, NULL,
		    "--tclass %u and --dscp %u: both set the traffic class, "
		    "give only one of them", plan->tclass, plan->dscp);
}

int addressing_check_path(const struct plan *plan, const struct path *path,
			  struct error *err)
{
	const struct {
		bool asked;
		const char *option;
	} wishes[] = {
		{ plan->tclass, "--tclass" },
		{ plan->dscp != PLAN_AUTO, "--dscp" },
		{ plan->flow_labels.n, "--flow-label" },
		{ plan->hop_limit != ADDRESSING_HOP_LIMIT, "--hop-limit" },
	};

	if (path->global)
		return 0;
	for (size_t i = 0; i < sizeof(wishes) / sizeof(*wishes); i++)
		if (wishes[i].asked)
			return fail(err, -EINVAL,
				    "choose a GID with --gid-index, so that "
				    "messages have a GRH",
				    "%s: needs a GRH, and messages between "
				    "LIDs have none", wishes[i].option);
	return 0;
}

int addressing_check_pkeys(const struct port *client,
			   const struct port *server, struct error *err)
{
	static const char advice[] =
		"choose another P_Key at one end; the indices of a port are "
		"in /sys/class/infiniband/DEVICE/ports/N/pkeys";
	const unsigned int mine = client->pkey, theirs = server->pkey;
	const char *why = "are of different partitions";

	if (!mine || !theirs)
		return 0;
	if (!((mine ^ theirs) & PORT_PKEY_PARTITION)) {
		if ((mine | theirs) & PORT_PKEY_FULL)
			return 0;
		why = "are both of limited members, which cannot reach "
		      "each other";
	}
	return fail(err, -EINVAL, advice,
		    "--pkey-index: P_Key 0x%04x of the client's %s and 0x%04x "
		    "of the server's %s %s", mine, client->device, theirs,
		    server->device, why);
}
