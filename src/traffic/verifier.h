/* The state of a verified flow (verify.h). */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "traffic/flow.h"

/* The first mismatch. */
struct verify_mismatch {
	const char *what;	/* what was wrong; NULL: nothing */
	uint64_t operation;	/* number on its QP, from 0 */
	uint64_t offset;	/* in the message, in bytes */
	uint64_t expected;
	uint64_t found;
};

struct verify_qp {
	uint64_t next;		/* sequence number expected next */
	uint64_t fetched;	/* operations whose results were checked */
	uint64_t requests;	/* with credits: work requests posted */
	uint64_t retired;	/* with credits: those known complete */
	bool credit_due;	/* a credit waits for room */
	uint64_t answers;	/* sequence number of the message to answer */
	uint64_t *announced;	/* by place: sequence number + 1 of the last
				 * write with immediate data */
	uint32_t qp_num;
};

struct verifier {
	/* set once */
	uint8_t direction_out;
	uint8_t direction_in;
	bool pingpong;		/* the loop itself counts received messages */
	bool answers;		/* this is the far end of a ping-pong */
	bool notices;		/* notices follow the writes of both ends */
	bool words;		/* they are data, not immediate data */
	uint8_t *incoming;	/* memory the peer accesses; first QP's part */
	uint64_t stride;	/* bytes to the next QP's part */
	uint64_t capacity;	/* of a send queue, in requests; for credits */
	uint64_t header;	/* bytes before each received message */
	/* what the host adds to an address of the device, where messages leave
	 * from and where they arrive; unsigned wraparound subtracts */
	uint64_t shift_out;
	uint64_t shift_in;
	uint8_t *scratch;	/* with a copier or several entries: room for a
				 * message */
	uint64_t resend_after;	/* ticks after which a notice is sent again */
	struct verify_qp *qps;	/* one per QP of the flow */
	/* set for each size */
	uint64_t length;	/* of a message, as its completion has it */
	uint64_t length_before;	/* that of the size before, of which messages
				 * that were given up may still come */
	uint64_t places;	/* per QP */
	uint64_t step;		/* bytes between places */
	uint64_t notice_at;	/* of the last notice, in ticks; 0: none */
	uint64_t counters;	/* the peer's atomic operations so far, of all
				 * sizes */
	struct verify_mismatch mismatch;
};

static inline struct verify_qp *verify_qp_of(struct flow *f,
					     const struct flow_qp *q)
{
	return &f->verify->qps[q - f->qps];
}
