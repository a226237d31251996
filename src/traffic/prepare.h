/* A flow is made ready for messages of one size. */
#ifndef TRAFFIC_PREPARE_H
#define TRAFFIC_PREPARE_H

#include "traffic/flow.h"

/*
 * Prepare F for one size: what came out is cleared, walks begin again, and the
 * sends are made, of operation OP.  Each QP's lists[].requests must have room
 * for flow_requests(list_length).  signal_every becomes at most depth, so that
 * no loop can wait for a completion that nobody asked for, and regular: it is,
 * or divides, a multiple of list_length.  Nothing is paced: pace_init() comes
 * after.
 */
void flow_prepare(struct flow *f, enum op op, const struct flow_shape *shape);

/*
 * Top up every receive queue of F.
 * Returns 0 or a negative errno, with the failure in F.
 */
int flow_fill_receives(struct flow *f);

#endif
