/* The quota: what a server allows its clients; and how much memory one end of a
 * test needs, computed before any is taken. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "model/param.h"
#include "model/plan.h"
#include "model/port.h"

/*
 * A driver's memory use is known only after the fact.  These sizes are those of
 * Soft-RoCE, which uses more than a NIC's driver.  Rings are rounded up to a
 * power of two, and their entries have room for several scatter/gather entries.
 */
#define NEED_SEND 512		/* bytes per send queue entry */
#define NEED_INLINE 2		/* more bytes in it per inline byte */
#define NEED_RECEIVE 256	/* bytes per receive queue entry */
#define NEED_COMPLETION 128	/* bytes per completion queue entry */
#define NEED_QUEUE_PAIR 16384	/* bytes per queue pair without entries */

/* In bytes. */
struct need {
	uint64_t messages;	/* registered memory, exact */
	uint64_t queues;	/* driver memory, estimated as above, plus
				 * prepared work requests */
};

/* Compute what PLAN, completed by plan_fit(), needs at the client or the
 * server, on a device with LIMITS. */
void need_of(const struct plan *plan, bool client,
	     const struct port_limits *limits, struct need *need);

/*
 * The longest time, in ns, that the turn of a client with the plan in PARAMS
 * may last: --max-duration, or 10 minutes more than four times what its sizes
 * take by --duration, --warmup and --hold.
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

/* Check one more connection of the test connect, which would be its Nth, in the
 * same way. */
int quota_check_connections(const struct parameters *params, uint64_t n,
			    struct error *err);
