/*
 * What the peer says in ENDPOINT, READY, SENT and DONE, against the plan that
 * both agreed on and what this end has seen itself.  Pure.  Functions return 0,
 * or -EPROTO with the field, its value and what is allowed in ERR.
 */
#ifndef RUN_PEER_CHECK_H
#define RUN_PEER_CHECK_H

#include "net/frames.h"

/* What this end knows of the peer in the round of one size. */
struct peer_facts {
	const struct plan *plan;
	bool client;		/* the peer is the client */
	bool warming;		/* the round only warms up */
	bool has_sent;		/* it said in SENT that its messages were */
	uint64_t sent;		/* so many, of all threads */
	uint64_t elapsed;	/* ns since this end began the round */
	const struct done *mine;	/* what this end counted */
};

/* Its end of PATH, as this end knows it from the peer's PORT. */
int peer_check_endpoint(const struct port *port, const struct path *path,
			const struct endpoint *theirs, struct error *err);

/* Of the queue pairs, whose path has a GRH or not. */
int peer_check_ready(const struct plan *plan, const struct path *path,
		     const struct effective *theirs, struct error *err);

/* MESSAGES that a thread with QPS queue pairs has sent.  Of FACTS only the
 * first three, and elapsed. */
int peer_check_sent(const struct peer_facts *facts, uint32_t qps,
		    uint64_t messages, struct error *err);

/* What decode_done() took. */
int peer_check_done(const struct peer_facts *facts, const struct done *theirs,
		    struct error *err);

#endif
