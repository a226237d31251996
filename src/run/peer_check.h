/*
 * Checks the peer's ENDPOINT, READY, SENT and DONE against the plan both ends
 * agreed on and against what this end has seen itself.  Pure.  Functions return
 * 0, or -EPROTO with the field, its value and the allowed range in ERR.
 */
#pragma once

#include "net/frames.h"

/* What this end knows of the peer in the round of one size. */
struct peer_facts {
	const struct plan *plan;
	bool client;		/* the peer is the client */
	bool warming;		/* this round only warms up */
	uint64_t sent;		/* messages in its SENT, of all threads */
	uint64_t elapsed;	/* ns since this end began the round */
};

/* Check the peer's end of PATH; PORT is the peer's port. */
int peer_check_endpoint(const struct port *port, const struct path *path,
			const struct endpoint *theirs, struct error *err);

/* Check the attributes of the peer's queue pairs; PATH says whether they use a
 * GRH. */
int peer_check_ready(const struct plan *plan, const struct path *path,
		     const struct effective *theirs, struct error *err);

/* Check MESSAGES, sent by a thread with QPS queue pairs.  FACTS needs only its
 * first three members and elapsed. */
int peer_check_sent(const struct peer_facts *facts, uint32_t qps,
		    uint64_t messages, struct error *err);

/*
 * Check a DONE that decode_done() accepted.  Only what makes numbers wrong that
 * are printed is an error.  What else cannot be is left out of THEIRS; see
 * done_leave_out().
 */
int peer_check_done(const struct peer_facts *facts, struct done *theirs,
		    struct error *err);
