/* How much memory one end of a test needs, before any of it is taken. */
#ifndef VERBS_NEED_H
#define VERBS_NEED_H

#include <stdbool.h>
#include <stdint.h>

#include "model/plan.h"
#include "model/port.h"

/*
 * What a driver keeps is for it to say only once it has it: these are what
 * Soft-RoCE takes, which is more than a NIC's driver does.  Rings are rounded
 * up to a power of two, and their entries have room for several buffers.
 */
#define NEED_SEND 512		/* bytes of an entry of a send queue, with */
#define NEED_INLINE 2		/* so many times what may be inline */
#define NEED_RECEIVE 256	/* of an entry of a receive queue */
#define NEED_COMPLETION 128	/* of an entry of a completion queue */
#define NEED_QUEUE_PAIR 16384	/* of a queue pair without entries */

/* In bytes. */
struct need {
	uint64_t messages;	/* registered: exact */
	uint64_t queues;	/* what the driver keeps, by the sizes above, and
				 * the work requests that are prepared */
};

/* What PLAN, as plan_fit() left it, takes at the end that CLIENT says, on a
 * device with LIMITS. */
void need_of(const struct plan *plan, bool client,
	     const struct port_limits *limits, struct need *need);

#endif
