/*
 * A multicast group that the connection manager joins.  On InfiniBand the
 * subnet manager then makes the group, if it does not exist, and says with
 * which MLID, Q_Key, service level and rate messages go there; on RoCE v2 the
 * kernel joins the IP group.
 *
 * The receiver's end becomes a full member.  The sender's needs to send only,
 * and becomes a full member where the subnet manager has no such members.
 */
#include "config.h"
#include "verbs/cm_id.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/ip.h"
#include "base/xalloc.h"
#include "verbs/multicast.h"

/* An errno of the kernel that no header of the C library names. */
#define KERNEL_ENOTSUPP 524

struct cm_group {
	const struct cm_end *end;
	struct rdma_cm_id *id;
	struct sockaddr_storage address;	/* of the group */
	bool requested;		/* rdma_cm was asked to join it */
	bool sends_only;	/* as a member that receives nothing */
	bool joined;
};

static bool sends(const struct cm_group *g)
{
	return plan_sends(g->end->plan, g->end->client);
}

static void choose_group(struct cm_group *g, struct cm_end *end)
{
	const union ibv_gid group =
		multicast_group(end->plan, end->path,
				sends(g) ? end->peer->qkey : end->res->qkey);
	char text[GID_TEXT_SIZE];

	ip_to_socket(group.raw, 0, &g->address);
	snprintf(end->name, sizeof(end->name), "the multicast group %s",
		 gid_format(&group, text));
}

/* The manager's port is that of this end's address. */
static int bind_port(struct cm_group *g, struct error *err)
{
	return cm_create_id(g->end, NULL, &g->id, err) ?:
	       cm_set_service(g->end, g->id, err) ?:
	       cm_bind(g->end, g->id, err) ?:
	       cm_check_device(g->end, g->id, g->end->name, err);
}

static int join_send_only(struct cm_group *g)
{
	struct rdma_cm_join_mc_attr_ex attr = {
		.comp_mask = RDMA_CM_JOIN_MC_ATTR_ADDRESS |
			     RDMA_CM_JOIN_MC_ATTR_JOIN_FLAGS,
		.join_flags = RDMA_MC_JOIN_FLAG_SENDONLY_FULLMEMBER,
		.addr = (struct sockaddr *)&g->address,
	};

	return rdma_join_multicast_ex(g->id, &attr, NULL);
}

/* Linux 6.1, for one, joins no IPv6 group over RoCE v2. */
static int join_failed(const struct cm_group *g, struct error *err)
{
	static const char call[] = "rdma_join_multicast";

	if (errno != KERNEL_ENOTSUPP)
		return cm_check(g->end, call, -1, err);
	return fail_errno(err, EOPNOTSUPP,
			  g->address.ss_family == AF_INET6 ?
			  "rdma_cm may have no IPv6 groups over RoCE v2: "
			  "choose GIDs of IPv4 with -x, or leave --rdma-cm "
			  "out" : "leave --rdma-cm out", "%s: %s",
			  g->end->device->port.device, call);
}

static int join_as_member(struct cm_group *g, struct error *err)
{
	g->sends_only = false;
	g->requested = !rdma_join_multicast(
		g->id, (struct sockaddr *)&g->address, NULL);
	return g->requested ? 0 : join_failed(g, err);
}

/* Not every kernel and subnet manager has members that only send. */
static int join_group(struct cm_group *g, struct error *err)
{
	g->sends_only = g->requested = sends(g) && !join_send_only(g);
	return g->requested ? 0 : join_as_member(g, err);
}

int cm_group_join(struct cm_end *end, struct cm_group **group,
		  struct error *err)
{
	struct cm_group *g = xcalloc(1, sizeof(*g));

	*group = g;
	g->end = end;
	choose_group(g, end);
	return bind_port(g, err) ?: join_group(g, err);
}

/* Connect each queue pair along what the manager knows of the group. */
static int connect_all(struct cm_group *g, const struct rdma_ud_param *ud,
		       struct error *err)
{
	const struct cm_end *end = g->end;
	struct resources_link link = {
		.qpn = MULTICAST_QPN,
		.group = true,
		.qkey = ud->qkey,
	};
	int ret = 0;

	for (uint32_t i = 0; i < end->res->n_qps && !ret; i++)
		ret = cm_take_address(end, i, &ud->ah_attr, &link, err) ?:
		      resources_connect_qp(end->res, end->path, end->peer, i,
					   &link, err);
	g->joined = !ret;
	return ret ?: 1;
}

/* Join again as a full member.  Returns 1, because an event came. */
static int rejoin_as_member(struct cm_group *g, struct error *err)
{
	rdma_leave_multicast(g->id, (struct sockaddr *)&g->address);
	g->requested = false;
	return join_as_member(g, err) ?: 1;
}

int cm_group_take(struct cm_group *g, const struct cm_event *event,
		  struct error *err)
{
	if (event->type == RDMA_CM_EVENT_MULTICAST_JOIN && !event->status &&
	    !g->joined)
		return connect_all(g, &event->ud, err);
	if (event->type == RDMA_CM_EVENT_MULTICAST_ERROR && !g->joined &&
	    g->sends_only)
		return rejoin_as_member(g, err);
	return cm_unexpected(g->end, event, CM_GROUP, err);
}

bool cm_group_is_joined(const struct cm_group *g)
{
	return g->joined;
}

void cm_group_leave(struct cm_group *g)
{
	if (!g)
		return;
	if (g->requested)
		rdma_leave_multicast(g->id, (struct sockaddr *)&g->address);
	if (g->id)
		rdma_destroy_id(g->id);
	free(g);
}
