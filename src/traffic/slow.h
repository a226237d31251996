/* What a loop over single messages does for verification, for memory that the
 * host cannot access, or for several entries, kept apart from the loop. */
#pragma once

#include "traffic/flow.h"

/*
 * Post R on Q, the next message of F, which takes the slow path (flow.h);
 * COUNT as in post_next().  *RET becomes 0 or what the verb returned: returned
 * by the function, it would cost the loop an instruction per message.
 */
void slow_post(struct flow *f, struct flow_qp *q, struct flow_request *r,
	       uint8_t count, int *ret);
