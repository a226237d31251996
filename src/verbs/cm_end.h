/* One end that uses the connection manager (librdmacm): what it asks for. */
#ifndef VERBS_CM_END_H
#define VERBS_CM_END_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

#include "model/endpoint.h"
#include "model/plan.h"
#include "verbs/device.h"
#include "verbs/resources.h"

/* What to connect; all of it outlives the connections. */
struct cm_end {
	bool client;
	const struct device *device;
	const struct plan *plan;
	const struct path *path;
	/* the next two are for struct cm only */
	struct resources *res;
	const struct endpoint *peer;	/* complete before the first event */
	const uint8_t *token;		/* ENDPOINT_TOKEN_SIZE bytes */
	const struct sockaddr_storage *local;	/* this end's address, port 0 */
};

#endif
