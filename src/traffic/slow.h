/* What a loop over single messages does for verification, for memory that the
 * host cannot touch, or for several entries, apart from the loop itself. */
#ifndef TRAFFIC_SLOW_H
#define TRAFFIC_SLOW_H

#include "traffic/flow.h"

/*
 * Post R on Q, the next message of F, which is slow; COUNT as in post_next().
 * *RET becomes 0 or what the verb returned: returned by the function, it would
 * cost the loop an instruction per message.
 */
void slow_post(struct flow *f, struct flow_qp *q, struct flow_request *r,
	       uint8_t count, int *ret);

#endif
