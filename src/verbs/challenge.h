/*
 * A challenge: one packet of random bytes to the peer's first queue pair.  Only
 * an end that receives there can know its content (session/reach.c).
 */
#ifndef VERBS_CHALLENGE_H
#define VERBS_CHALLENGE_H

#include <infiniband/verbs.h>
#include <stdint.h>

#include "base/error.h"
#include "traffic/flow.h"
#include "verbs/device.h"
#include "verbs/queues.h"

/* Random bytes in a challenge. */
#define CHALLENGE_SIZE 16

/* State of one queue pair's challenges: memory for the one to the peer and for
 * the peer's. */
struct challenge {
	const struct device *device;
	const struct flow_qp *q;
	const struct queues *queues;	/* of q */
	struct challenge_buffer *buffer;
	struct ibv_mr *mr;	/* of buffer */
};

/*
 * Prepare challenges from and to Q, the first queue pair of QUEUES.  All
 * arguments that CHALLENGE points to must outlive it.  Call challenge_destroy()
 * after destroying the queue pairs.  Returns 0, or a negative errno with the
 * reason in ERR.
 */
int challenge_create(const struct device *device, struct ibv_pd *pd,
		     const struct flow_qp *q, const struct queues *queues,
		     struct challenge *challenge, struct error *err);

/* Release CHALLENGE; members that are NULL are skipped. */
void challenge_destroy(struct challenge *challenge);

/* Post the receive for the peer's challenge.  It is the only one, so a
 * challenge that is sent again is dropped.  Returns as challenge_create(). */
int challenge_receive(const struct challenge *challenge, struct error *err);

/*
 * Look for the peer's challenge.  Returns 1 with its content in BYTES, 0 when
 * none has arrived yet, or a negative errno with the reason in ERR.
 */
int challenge_take(const struct challenge *challenge,
		   uint8_t bytes[CHALLENGE_SIZE], struct error *err);

/*
 * Send BYTES; the queue pair must be in RTS.  Returns as challenge_create().
 * Wait until challenge_sent() returns 1 before sending the next.  1 means that
 * the packet was sent, not that it arrived; 0: not yet; or a negative errno
 * with the reason in ERR.
 */
int challenge_send(const struct challenge *challenge,
		   const uint8_t bytes[CHALLENGE_SIZE], struct error *err);
int challenge_sent(const struct challenge *challenge, struct error *err);

#endif
