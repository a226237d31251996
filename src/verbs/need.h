/* How much memory one end of a test needs, computed before any is taken. */
#ifndef VERBS_NEED_H
#define VERBS_NEED_H

#include <stdbool.h>
#include <stdint.h>

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

#endif
