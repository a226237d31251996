/* What messages carry besides their data: the P_Key that decides who may
 * receive them, and the fields that tell routers and switches how to treat
 * them. */
#ifndef MODEL_ADDRESSING_H
#define MODEL_ADDRESSING_H

#include <stdint.h>

#include "base/error.h"
#include "model/plan.h"
#include "model/port.h"

/* Default of --hop-limit: IANA's default for IP. */
#define ADDRESSING_HOP_LIMIT 64

/* The traffic class of PLAN: --tclass, or --dscp in its upper six bits. */
uint8_t addressing_traffic_class(const struct plan *plan);

/* The flow label of queue pair INDEX: PLAN's labels are used round robin; 0
 * without any. */
uint32_t addressing_flow_label(const struct plan *plan, uint32_t index);

/* Refuse options that exclude each other.  Returns 0, or -EINVAL with the
 * reason in ERR. */
int addressing_check(const struct plan *plan, struct error *err);

/*
 * Refuse options that need a GRH when PATH has none (InfiniBand by LID).
 * Returns 0, or -EINVAL with the reason in ERR.
 */
int addressing_check_path(const struct plan *plan, const struct path *path,
			  struct error *err);

/*
 * Check that the P_Keys of both ends let messages through: they name the same
 * partition, and at least one end is a full member.  A P_Key that was not read
 * (0) is not compared.  Returns 0, or -EINVAL with the reason in ERR.
 */
int addressing_check_pkeys(const struct port *client,
			   const struct port *server, struct error *err);

#endif
