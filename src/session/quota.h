/* The quota: what a server allows its clients. */
#pragma once

#include <stdint.h>

#include "base/error.h"
#include "model/param.h"
#include "model/port.h"

/*
 * The longest time, in ns, that the turn of a client with the plan in PARAMS
 * may last: --max-duration, or 10 minutes more than four times what its sizes
 * take by --duration, --warmup and --hold.
 */
uint64_t quota_duration(const struct parameters *params);

/*
 * Check the plan in PARAMS, which a client sent, against the server's
 * --max-qps, --max-memory, --max-duration and --allow-inject, also in PARAMS;
 * PORT is the server's.  Returns 0, or a negative errno with the quota, what
 * the client asks for and what is allowed in ERR.
 */
int quota_check(const struct parameters *params, const struct port *port,
		struct error *err);

/* Check one more connection of the test connect, which would be its Nth at
 * once, against --max-qps and --max-memory in the same way. */
int quota_check_connections(const struct parameters *params, uint64_t n,
			    struct error *err);
