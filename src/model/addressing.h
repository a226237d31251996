/* What messages carry beside their data: who may take them, and how routers
 * and switches are to treat them. */
#ifndef MODEL_ADDRESSING_H
#define MODEL_ADDRESSING_H

#include <stdint.h>

#include "base/error.h"
#include "model/plan.h"
#include "model/port.h"

/* --hop-limit where nobody asked for one: IANA's default for IP. */
#define ADDRESSING_HOP_LIMIT 64

/* The traffic class of PLAN: --tclass, or --dscp in its upper six bits. */
uint8_t addressing_traffic_class(const struct plan *plan);

/* The flow label of queue pair INDEX: those of PLAN in turn, else 0. */
uint32_t addressing_flow_label(const struct plan *plan, uint32_t index);

/* Options that exclude each other.  Returns 0 or -EINVAL, said in ERR. */
int addressing_check(const struct plan *plan, struct error *err);

/*
 * Options for a GRH, against PATH that may have none (InfiniBand, by LID).
 * Returns 0 or -EINVAL, said in ERR.
 */
int addressing_check_path(const struct plan *plan, const struct path *path,
			  struct error *err);

/*
 * Do the P_Keys of both ends let messages through: one partition, of which at
 * least one end is a full member.  One that was not read (0) is not compared.
 * Returns 0 or -EINVAL, said in ERR.
 */
int addressing_check_pkeys(const struct port *client,
			   const struct port *server, struct error *err);

#endif
