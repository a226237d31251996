/*
 * The attributes that move an RC queue pair, each with the mask that goes
 * with them (man ibv_modify_qp).  Pure.
 */
#ifndef VERBS_QP_ATTR_H
#define VERBS_QP_ATTR_H

#include <infiniband/verbs.h>
#include <stdint.h>

#include "model/plan.h"
#include "model/port.h"

/* RESET -> INIT; ACCESS is what the peer may do.  Returns the mask. */
int qp_attr_init(struct ibv_qp_attr *attr, uint8_t port, int access);

/* INIT -> RTR: towards the peer's QP, expecting its PSN. */
int qp_attr_rtr(struct ibv_qp_attr *attr, uint8_t port,
		const struct plan *plan, const struct path *path,
		uint32_t dest_qpn, uint32_t rq_psn);

/* RTR -> RTS: starting with this end's PSN. */
int qp_attr_rts(struct ibv_qp_attr *attr, const struct plan *plan,
		uint32_t sq_psn);

#endif
