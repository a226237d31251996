/*
 * Multicast groups of UD: the receiver's queue pair is attached to one, and the
 * sender addresses it.
 */
#ifndef VERBS_MULTICAST_H
#define VERBS_MULTICAST_H

#include <infiniband/verbs.h>

#include "base/error.h"
#include "model/plan.h"
#include "model/port.h"
#include "verbs/device.h"

/* The queue pair number of messages to a group. */
#define MULTICAST_QPN 0xffffffU

struct multicast {
	struct ibv_qp *qp;	/* attached; NULL: none */
	union ibv_gid group;
	int fd;			/* holds the membership of IP; -1: none */
};

/* The group of PLAN on PATH.  A group that the user left open is derived from
 * QKEY, the receiver's Q_Key, which is random. */
union ibv_gid multicast_group(const struct plan *plan, const struct path *path,
			      uint32_t qkey);

/* The address of GROUP on PATH from this end's port. */
struct ibv_ah_attr multicast_address(uint8_t port, const struct plan *plan,
				     const struct path *path,
				     const union ibv_gid *group);

/*
 * Attach QP, in INIT or later, to GROUP, so that it receives what is sent
 * there.  On RoCE v2 also join the group of IP on PATH's network interface, so
 * that the kernel and the switches let the packets through.  Returns 0, or a
 * negative errno with the reason in ERR; multicast_leave() in any case.
 */
int multicast_join(const struct device *device, struct ibv_qp *qp,
		   const struct path *path, const union ibv_gid *group,
		   struct multicast *multicast, struct error *err);

/* Detach the queue pair, before it is destroyed, and leave the group of IP. */
void multicast_leave(struct multicast *multicast);

#endif
