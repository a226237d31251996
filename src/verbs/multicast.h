/*
 * Multicast groups of UD: the receiver's queue pairs are attached to one, and
 * the sender addresses it.  On InfiniBand the subnet manager makes the group
 * when the connection manager joins it (cm_multicast.c); on RoCE the address is
 * all there is to it.
 */
#pragma once

#include <infiniband/verbs.h>

#include "base/error.h"
#include "model/plan.h"
#include "model/port.h"
#include "verbs/device.h"

struct flow_qp;

/* The queue pair number of messages to a group. */
#define MULTICAST_QPN 0xffffffU

struct multicast {
	union ibv_gid group;	/* set at the sender, too */
	uint16_t lid;		/* InfiniBand: the group's, else 0 */
	uint32_t n;		/* queue pairs attached, the first ones of the
				 * end */
	int fd;			/* holds the membership of IP, if n is not 0;
				 * -1: none */
	uint32_t sender_qpn;	/* at a receiver: the QP whose messages count */
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
 * Attach QP, in INIT or later, to the group that AV leads to, so that it
 * receives what is sent there.  MULTICAST has none, or the queue pairs that
 * were attached to that group before.  Returns 0, or a negative errno with the
 * reason in ERR; multicast_leave() in any case.
 */
int multicast_attach(const struct device *device, struct ibv_qp *qp,
		     const struct ibv_ah_attr *av, struct multicast *multicast,
		     struct error *err);

/* On RoCE v2, join the IP group of MULTICAST, which has a queue pair, on PATH's
 * network interface, so that the kernel and the switches let the packets
 * through.  Returns as multicast_attach(). */
int multicast_join(const struct device *device, const struct path *path,
		   struct multicast *multicast, struct error *err);

/* Leave the IP group, and detach the queue pairs, which are the first of QPS,
 * before they are destroyed. */
void multicast_leave(struct multicast *multicast, const struct flow_qp *qps);
