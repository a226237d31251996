/*
 * The attributes that move a queue pair, each with the mask that goes with
 * them for its transport (man ibv_modify_qp), and those it is asked for.  A
 * member that is not in the mask is not looked at.  Pure.
 */
#ifndef VERBS_QP_ATTR_H
#define VERBS_QP_ATTR_H

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stdint.h>

#include "model/effective.h"
#include "model/endpoint.h"
#include "model/plan.h"
#include "model/port.h"

/* This end of a queue pair. */
struct qp_local {
	enum transport transport;
	uint8_t port;
	uint16_t pkey_index;
	int access;		/* what the peer may do */
	uint32_t qkey;		/* of UD: what messages to it must carry */
};

/* Where it leads. */
struct qp_remote {
	const struct path *path;
	uint32_t flow_label;
	uint32_t psn;		/* the first of this end */
	bool client;		/* which end this is */
	struct endpoint_qp peer;
};

/* The way to a peer along PATH, from PORT of this end: of a connected queue
 * pair in RTR, or of an address handle. */
struct ibv_ah_attr qp_attr_address(uint8_t port, const struct plan *plan,
				   const struct path *path,
				   uint32_t flow_label);

/* RESET -> INIT.  Returns the mask. */
int qp_attr_init(struct ibv_qp_attr *attr, const struct qp_local *local);

/* INIT -> RTR: towards the peer's QP, expecting its PSN, and answering as many
 * reads at once as the peer starts. */
int qp_attr_rtr(struct ibv_qp_attr *attr, uint8_t port,
		const struct plan *plan, const struct qp_remote *remote);

/* RTR -> RTS: starting with this end's PSN, and as many reads at once as PLAN
 * gives this end. */
int qp_attr_rts(struct ibv_qp_attr *attr, const struct plan *plan,
		const struct qp_remote *remote);

/* What to ask a queue pair of TRANSPORT for. */
int qp_attr_query(enum transport transport);

/*
 * The values in ATTR, as ibv_query_qp(3) filled it, that a queue pair of
 * TRANSPORT has; GLOBAL: its path has a GRH.
 */
struct effective qp_attr_effective(const struct ibv_qp_attr *attr,
				   enum transport transport, bool global);

#endif
