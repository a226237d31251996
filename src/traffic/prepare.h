/* Prepares a flow for messages of one size. */
#ifndef TRAFFIC_PREPARE_H
#define TRAFFIC_PREPARE_H

#include "traffic/flow.h"

/*
 * Prepare F for one size: clear its results, restart the walks and prepare the
 * sends of operation OP.  Each QP's lists[].requests must have room for
 * flow_requests(list_length) entries.  shape.cq_mod becomes at most depth, so
 * that a full queue always has a completion to come.  Signaled sends are spaced
 * evenly: their distance divides list_length or is a multiple of it.
 * F is not paced; call pace_init() afterwards if it should be.
 */
void flow_prepare(struct flow *f, enum op op, const struct flow_shape *shape);

/*
 * Fill every receive queue of F, where the loops have given back what they
 * took.  Returns 0 or a negative errno, with the failure in F.
 */
int flow_fill_receives(struct flow *f);

#endif
