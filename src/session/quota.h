/* The quota: what a server allows its clients. */
#ifndef SESSION_QUOTA_H
#define SESSION_QUOTA_H

#include "base/error.h"
#include "model/param.h"

/*
 * How long, in ns, the turn of a client with the plan in PARAMS may last:
 * --max-duration, or 10 minutes more than four times what its sizes take by
 * --duration, --warmup and --hold.
 */
uint64_t quota_duration(const struct parameters *params);

/*
 * Check the plan in PARAMS, which a client sent, against the server's
 * --max-qps, --max-memory, --max-duration and --allow-inject, also in PARAMS;
 * DEVICE holds the limits of the server's device.  Returns 0, or a negative
 * errno with the quota, what the client asks for and what is allowed in ERR.
 */
int quota_check(const struct parameters *params,
		 const struct port_limits *device, struct error *err);

/* The same for the test connect, which makes one connection more: it would be
 * the Nth. */
int quota_check_connections(const struct parameters *params, uint64_t n,
			    struct error *err);

#endif
