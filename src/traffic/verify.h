/*
 * Verified runs: every message is filled with a pattern of its own and checked
 * where it arrives (traffic/pattern.h); what atomic operations return must be
 * an unbroken sequence.  The same loops run; where they post, take and retire
 * messages they call these functions, and nothing that a verified run measures
 * is fast.
 *
 * Each message under way has a place of its own in memory.  A place that the
 * peer writes to, which it does without asking, is reused only when it has been
 * looked at: a send after the writes (the notice) says how many there are, and
 * a send back (the credit) how many were checked, both by immediate data.  In
 * such a run that is what completes a message.
 */
#ifndef TRAFFIC_VERIFY_H
#define TRAFFIC_VERIFY_H

#include <infiniband/verbs.h>
#include <stdint.h>

#include "traffic/flow.h"
#include "traffic/verifier.h"

/* Begin a size: F is prepared but for this.  What the peer will read is filled,
 * and what it will write is cleared. */
void verify_prepare(struct flow *f);

/* Post the LENGTH sends of REQUESTS N times on Q, each filled, and a notice
 * behind if need be; fewer times where there is no room for the notice.
 * Returns how many times it did, and in *RET what a verb said. */
uint64_t verify_post(struct flow *f, struct flow_qp *q,
		     struct flow_request *requests, uint32_t length,
		     uint64_t n, int *ret);

/* N completions of sends, of any QP.  Returns 0 or a negative errno. */
int verify_retire(struct flow *f, const struct ibv_wc *wc, int n);

/* The results of fetching operations that Q has completed.  Returns 0 or
 * -EBADMSG, noted in F as are all failures here. */
int verify_fetched(struct flow *f, struct flow_qp *q);

/* What a message that came in is. */
enum verify_kind {
	VERIFY_NOTHING,		/* of the loop's concern */
	VERIFY_MESSAGE,
};

/*
 * A receive completion: check the message, or those a notice stands for.
 * Returns VERIFY_MESSAGE, with *SEQUENCE, when that counts as one, for
 * ping-pongs; VERIFY_NOTHING; or a negative errno.  f->received and, for
 * credits, f->completed are up to date after it.
 */
int verify_received(struct flow *f, const struct ibv_wc *wc,
		    uint64_t *sequence);

/* The peer has sent all its atomic operations, f->expected of this size: do the
 * counters say so?  Returns 0 or -EBADMSG. */
int verify_counters(struct flow *f);

#endif
