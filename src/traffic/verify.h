/*
 * Verified runs: every message is filled with a pattern of its own and checked
 * where it arrives (traffic/pattern.h); what atomic operations return must be
 * an unbroken sequence.  The same loops run; where they post, take and retire
 * messages they call these functions, and nothing that a verified run measures
 * is fast.
 *
 * Each message under way has a place of its own in memory.  A place that the
 * peer writes to, which it does without asking, is reused only when it has been
 * looked at: a send after the writes (the fence) says how many there are, and a
 * send back (the credit) how many were checked, both by immediate data.  In
 * such a run that is what completes a message.
 */
#ifndef TRAFFIC_VERIFY_H
#define TRAFFIC_VERIFY_H

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stdint.h>

#include "traffic/flow.h"
#include "traffic/pattern.h"

/* The first that was wrong. */
struct verify_mismatch {
	const char *what;	/* NULL: none was */
	uint64_t operation;	/* of its QP, from 0 */
	uint64_t offset;	/* in the message */
	uint64_t expected;
	uint64_t found;
};

struct verify_qp {
	uint64_t next;		/* sequence number of the next message in */
	uint64_t fetched;	/* operations whose results were checked */
	uint64_t requests;	/* with credits: sends, fences and credits, */
	uint64_t retired;	/* and those known to be complete */
	bool owes;		/* a credit, for which there was no room */
	uint64_t answers;	/* sequence number of the message to answer */
	uint64_t *announced;	/* of each place: sequence number + 1 of the
				 * last write with immediate data */
	uint32_t qp_num;
};

struct verifier {
	/* set once */
	uint8_t direction_out;
	uint8_t direction_in;
	bool pingpong;		/* the loop counts what is received ... */
	bool answers;		/* ... and this is its far end */
	bool fenced;
	bool credits;		/* and what was checked is told */
	uint8_t *incoming;	/* the first QP's part; what the peer writes */
	uint64_t stride;	/* to the next QP's */
	uint64_t capacity;	/* of a send queue, with credits */
	uint64_t header;	/* bytes before a message that was received */
	uint64_t patience;	/* ticks after which a fence is sent again */
	struct verify_qp *qps;	/* as many as the flow has */
	/* for each size */
	uint64_t places;
	uint64_t step;		/* from a place to the next */
	uint64_t fenced_at;	/* ticks; 0: not yet */
	uint64_t counters;	/* atomic operations of all sizes until now */
	struct verify_mismatch mismatch;
};

/* Begin a size: F is prepared but for this.  What the peer will read is filled,
 * and what it will write is cleared. */
void verify_prepare(struct flow *f);

/* Post the LENGTH sends of REQUESTS N times on Q, each filled, and a fence
 * behind if need be; fewer times where there is no room for the fence.  Returns
 * how many times it did, and in *RET what a verb said. */
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
 * A receive completion: check the message, or those a fence stands for.
 * Returns VERIFY_MESSAGE, with *SEQUENCE, when that counts as one, for
 * ping-pongs; VERIFY_NOTHING; or a negative errno.  f->received and, for
 * credits, f->completed are up to date after it.
 */
int verify_received(struct flow *f, const struct ibv_wc *wc,
		    uint64_t *sequence);

/* Nothing came for a turn: a fence or a credit may have been lost. */
int verify_idle(struct flow *f);

/* The peer has sent all its atomic operations, f->expected of this size: do the
 * counters say so?  Returns 0 or -EBADMSG. */
int verify_counters(struct flow *f);

#endif
