/* How much memory one end of a test needs: the only place that says what a
 * verbs object counts, for what a server allows a client, for what an end may
 * lock, and for what its host has. */
#pragma once

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
#define NEED_OBJECT 4096	/* bytes per any other object, likewise */
/* Of the test connect: what an end keeps for a connection, and the entries of
 * its completion queue (control/link.h). */
#define NEED_LINK 16
#define NEED_LINK_COMPLETIONS 256

/*
 * X(member, bytes): the kinds of verbs objects, and what one of them counts,
 * without the entries of its queue.
 *   domains      protection domains, and those of XRC
 *   memberships  queue pairs attached to a multicast group
 *   ids          of librdmacm, with those that listen
 */
#define NEED_LIST(X) \
	X(domains, NEED_OBJECT) \
	X(regions, NEED_OBJECT) \
	X(queue_pairs, NEED_QUEUE_PAIR) \
	X(completion_queues, NEED_OBJECT) \
	X(shared_queues, NEED_OBJECT) \
	X(channels, NEED_OBJECT) \
	X(windows, NEED_OBJECT) \
	X(addresses, NEED_OBJECT) \
	X(memberships, NEED_OBJECT) \
	X(ids, NEED_OBJECT)

/* How many of each there are. */
struct need_count {
#define X(member, bytes) uint64_t member;
	NEED_LIST(X)
#undef X
};

/* In bytes. */
struct need {
	uint64_t messages;	/* registered memory, exact */
	uint64_t objects;	/* driver memory, estimated as above, plus
				 * prepared work requests */
};

/* Count the objects that PLAN, completed by plan_fit(), has at the client or
 * the server, at PORT of that end.  None is made that is not counted. */
void need_count(const struct plan *plan, bool client, const struct port *port,
		struct need_count *count);

/* Compute what PLAN needs there.  The test connect needs what its connections
 * share, and one connection. */
void need_of(const struct plan *plan, bool client, const struct port *port,
	     struct need *need);

/* Bytes that a server needs for N connections of the test connect with PLAN at
 * once. */
uint64_t need_of_connections(const struct plan *plan, uint64_t n);
