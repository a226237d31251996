/*
 * A challenge: one packet of random bytes to the peer's first queue pair.  Only
 * an end that receives there can tell what is in it (session/reach.h).
 */
#ifndef VERBS_CHALLENGE_H
#define VERBS_CHALLENGE_H

#include <infiniband/verbs.h>
#include <stdint.h>

#include "base/error.h"
#include "traffic/flow.h"
#include "verbs/device.h"
#include "verbs/queues.h"

/* Random bytes in it. */
#define CHALLENGE_SIZE 16

/* Of one queue pair: memory for a challenge to the peer, and for the peer's. */
struct challenge {
	const struct device *device;
	const struct flow_qp *q;
	const struct queues *queues;	/* of q */
	struct challenge_buffer *buffer;
	struct ibv_mr *mr;	/* of buffer */
};

/*
 * Challenges from and to Q, the first queue pair of QUEUES; what all of these
 * point to must last.  challenge_destroy() it, after the queue pairs.  Returns
 * 0 or a negative errno, said in ERR.
 */
int challenge_create(const struct device *device, struct ibv_pd *pd,
		     const struct flow_qp *q, const struct queues *queues,
		     struct challenge *challenge, struct error *err);

/* Release it; members that are NULL are skipped. */
void challenge_destroy(struct challenge *challenge);

/* Post the receive of the peer's challenge.  There is only this one, so that a
 * packet that is sent again is dropped.  Returns as challenge_create(). */
int challenge_receive(const struct challenge *challenge, struct error *err);

/*
 * Has the peer's challenge come?  Returns 1, with what was in it in BYTES, 0
 * when nothing has come yet, or a negative errno, said in ERR.
 */
int challenge_take(const struct challenge *challenge,
		   uint8_t bytes[CHALLENGE_SIZE], struct error *err);

/*
 * Send BYTES, when the queue pair is in RTS.  Returns as challenge_create().
 * The next one is sent when challenge_sent() has returned 1: this one was sent
 * then, which does not mean that it arrived; 0: not yet, or a negative errno.
 */
int challenge_send(const struct challenge *challenge,
		   const uint8_t bytes[CHALLENGE_SIZE], struct error *err);
int challenge_sent(const struct challenge *challenge, struct error *err);

#endif
