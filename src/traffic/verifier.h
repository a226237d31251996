/* What a flow that is verified (verify.h) knows of each message under way. */
#ifndef TRAFFIC_VERIFIER_H
#define TRAFFIC_VERIFIER_H

#include <stdbool.h>
#include <stdint.h>

#include "traffic/flow.h"

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
	uint64_t requests;	/* with credits: sends, notices and credits, */
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
	bool notices;
	uint8_t *incoming;	/* the first QP's part; what the peer writes */
	uint64_t stride;	/* to the next QP's */
	uint64_t capacity;	/* of a send queue, when the flow has credits */
	uint64_t header;	/* bytes before a message that was received */
	uint64_t resend_after;	/* ticks after which a notice is sent again */
	struct verify_qp *qps;	/* as many as the flow has */
	/* for each size */
	uint64_t places;
	uint64_t step;		/* from a place to the next */
	uint64_t notice_at;	/* ticks; 0: not yet */
	uint64_t counters;	/* atomic operations of all sizes until now */
	struct verify_mismatch mismatch;
};

static inline struct verify_qp *verify_qp_of(struct flow *f,
					     const struct flow_qp *q)
{
	return &f->verify->qps[q - f->qps];
}

#endif
