/* Reads the status of a port and of the network interface behind it. */
#ifndef WATCH_PORT_STATUS_H
#define WATCH_PORT_STATUS_H

#include "watch/event.h"

/*
 * Read the status of port NUMBER of CONTEXT.  STATUS is the previous one, or
 * empty, and becomes the present one.  Returns 0, or a negative errno with
 * STATUS as it was.
 */
int port_status_read(struct ibv_context *context, uint8_t number,
		     struct port_status *status);

#endif
