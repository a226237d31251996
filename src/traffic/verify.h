/*
 * Verified runs.  Every message is filled with its own pattern and checked
 * where it arrives (traffic/pattern.h); the values that atomic operations
 * return must form an unbroken sequence.  The usual loops run, and call these
 * functions when they post, take and retire messages.  A verified run takes the
 * slow path.
 *
 * Each outstanding message has its own place in memory.  A place that the peer
 * writes to is reused only after its message was checked, as a write needs no
 * receive: a send behind the writes (the notice) tells how many there are, and
 * a send in return (the credit) tells how many were checked, both in their
 * immediate data or, on iWARP, which has none, as data.  In such a run the
 * credit completes a message.
 */
#pragma once

#include <infiniband/verbs.h>
#include <stdint.h>

#include "traffic/flow.h"
#include "traffic/verifier.h"

/* The last step of preparing F for a size: fill the memory that the peer will
 * read, and clear the memory that it will write. */
void verify_prepare(struct flow *f);

/* Post the LENGTH sends of REQUESTS N times on Q, each filled with its pattern,
 * and a notice behind them if notices are on.  With credits it stops early when
 * the send queue lacks room for another list and its notice.  Returns how many
 * times it posted the list, and the verb's return value in *RET. */
uint64_t verify_post(struct flow *f, struct flow_qp *q,
		     struct flow_request *requests, uint32_t length,
		     uint64_t n, int *ret);

/* Retire the N send completions at WC, of any QP.  Returns 0 or a negative
 * errno. */
int verify_retire(struct flow *f, const struct ibv_wc *wc, int n);

/* Check the data that Q's completed READ and atomic operations returned.
 * Returns 0 or -EBADMSG, noted in F as all failures here. */
int verify_fetched(struct flow *f, struct flow_qp *q);

/* Kind of a received message. */
enum verify_kind {
	VERIFY_NOTHING,		/* no message for the loop */
	VERIFY_MESSAGE,
};

/*
 * Check the message of receive completion WC, or the messages that a notice
 * covers.  Returns VERIFY_MESSAGE, with the sequence number in *SEQUENCE, if a
 * ping-pong may count it as a message; VERIFY_NOTHING; or a negative errno.
 * Updates f->received, except in ping-pongs, and, for a credit, f->completed.
 */
int verify_received(struct flow *f, const struct ibv_wc *wc,
		    uint64_t *sequence);

/* Check the counters after the peer has sent all its atomic operations,
 * f->expected of this size.  Returns 0 or -EBADMSG. */
int verify_counters(struct flow *f);

/*
 * Post R on Q, the next message of F, which takes the slow path (flow.h);
 * COUNT as in post_next().  *RET becomes 0 or what the verb returned: returned
 * by the function, it would cost the loop an instruction per message.
 */
void slow_post(struct flow *f, struct flow_qp *q, struct flow_request *r,
	       uint8_t count, int *ret);
