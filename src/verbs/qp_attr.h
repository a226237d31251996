/*
 * The attributes for each state change of a queue pair, each with the mask its
 * transport requires (man ibv_modify_qp), and the attributes to query.  The
 * device ignores members outside the mask.  Pure.
 */
#pragma once

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stdint.h>

#include "model/endpoint.h"
#include "model/plan.h"
#include "model/port.h"

/* This end of a queue pair. */
struct qp_local {
	enum transport transport;
	bool target;		/* XRC: the queue pair that receives */
	int access;		/* what the peer may do, enum
				 * ibv_access_flags */
	uint32_t qkey;		/* UD: Q_Key that messages to it must carry */
};

/* The peer of a queue pair. */
struct qp_remote {
	const struct path *path;
	uint32_t flow_label;
	uint32_t psn;		/* first PSN this end sends */
	bool client;		/* which end this is */
	bool target;		/* its XRC_RECV is what connects to it */
	struct endpoint_qp peer;
	const struct ibv_ah_attr *av;	/* how to reach it; NULL: along path */
	const uint32_t *qkey;	/* UD: from now on; NULL: as in INIT */
};

/* The path to a peer along PATH from this end's PORT, for a connected queue
 * pair in RTR or for an address handle. */
struct ibv_ah_attr qp_attr_address(uint8_t port, const struct plan *plan,
				   const struct path *path,
				   uint32_t flow_label);

/* RESET -> INIT, on PORT with the P_Key at INDEX.  Returns the mask. */
int qp_attr_init(struct ibv_qp_attr *attr, uint8_t port, uint32_t index,
		 const struct qp_local *local);

/* INIT -> RTR: connects to the peer's QP, expects its PSN, and accepts as many
 * outstanding reads as the peer starts.  Returns the mask. */
int qp_attr_rtr(struct ibv_qp_attr *attr, uint8_t port,
		const struct plan *plan, const struct qp_remote *remote);

/* RTR -> RTS: sets this end's first PSN, as many outstanding reads as PLAN
 * gives this end, and the rate if packet pacing keeps it.  Returns the mask. */
int qp_attr_rts(struct ibv_qp_attr *attr, const struct plan *plan,
		const struct qp_remote *remote);

/* The mask for querying a queue pair of TRANSPORT, or its TARGET. */
int qp_attr_query(enum transport transport, bool target);

/*
 * Pick from ATTR, which ibv_query_qp(3) filled, the values that a queue pair of
 * TRANSPORT has.  GLOBAL: its path has a GRH.
 */
struct effective qp_attr_effective(const struct ibv_qp_attr *attr,
				   enum transport transport, bool global);
