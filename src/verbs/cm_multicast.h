/*
 * A multicast group that the connection manager joins.  On InfiniBand the
 * subnet manager then makes the group, if it does not exist, and says with
 * which MLID, Q_Key, service level and rate messages go there; on RoCE v2 the
 * kernel joins the IP group.
 *
 * The receiver's end becomes a full member.  The sender's needs to send only,
 * and becomes a full member where the subnet manager has no such members.
 */
#ifndef VERBS_CM_MULTICAST_H
#define VERBS_CM_MULTICAST_H

#include <rdma/rdma_cma.h>
#include <stdbool.h>

#include "base/error.h"
#include "verbs/cm_id.h"

struct cm_group;

/* Ask for the group of END's plan.  Returns 0, or a negative errno with the
 * reason in ERR; cm_group_leave(*GROUP) in any case. */
int cm_group_join(const struct cm_end *end, struct cm_group **group,
		  struct error *err);

/*
 * Take EVENT.  When the group is joined, connect the queue pairs of this end to
 * it.  Returns 1 for progress, or a negative errno with the event and what to
 * do in ERR.
 */
int cm_group_take(struct cm_group *group, const struct cm_event *event,
		  struct error *err);

/* True when this end has joined, and its queue pairs are connected. */
bool cm_group_is_joined(const struct cm_group *group);

/* Report in ERR that joining the group took too long.  Returns -ETIMEDOUT. */
int cm_group_timed_out(const struct cm_group *group, struct error *err);

/* Leave the group; NULL is fine. */
void cm_group_leave(struct cm_group *group);

#endif
