/* Looks at a port and at the network interface behind it. */
#ifndef WATCH_LOOK_H
#define WATCH_LOOK_H

#include "watch/event.h"

/*
 * Look at port NUMBER of CONTEXT.  LOOK is what the last look showed, or empty,
 * and becomes what this one shows.  Returns 0, or a negative errno with LOOK as
 * it was.
 */
int look_read(struct ibv_context *context, uint8_t number, struct look *look);

#endif
