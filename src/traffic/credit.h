/*
 * Notices and credits of verified writes (verify.h), and the room that they
 * and the messages need in a send queue.  A credit may arrive before the send
 * completions of the messages it covers, so completed messages do not tell how
 * much room there is.  Instead every work request has a number in its wr_id,
 * notices and credits are signaled, and their completions free the send queue
 * up to that number.
 */
#pragma once

#include "traffic/flow.h"

/* The immediate data, or data, hold a count of messages.  This bit is set in a
 * credit and clear in a notice. */
#define CREDIT (1U << 31)
#define COUNT_BITS 31

/* Work requests that fit into Q's send queue; UINT64_MAX without credits, where
 * the depth limits the caller. */
uint64_t credit_room(struct flow *f, const struct flow_qp *q);

/* Number for the wr_id of message NUMBER (from 1).  With credits: the next work
 * request's own number.  Without: the count of messages it completes. */
uint64_t credit_number(struct flow *f, const struct flow_qp *q,
		       uint64_t number);

/* Send a notice: COUNT messages were written before it.  Without credits, in a
 * ping-pong, its completion retires NUMBER messages.  The send queue must have
 * room.  Returns what ibv_post_send(3) returned. */
int credit_notify(struct flow *f, struct flow_qp *q, uint64_t count,
		 uint64_t number);

/* Send a credit for the messages checked so far, now or once the send queue has
 * room.  Returns 0 or what ibv_post_send(3) returned. */
int credit_send(struct flow *f, struct flow_qp *q);

/* Free the room that send completion WC confirms, and send a credit that waits
 * for room.  Returns 0 or a negative errno. */
int credit_retire(struct flow *f, const struct ibv_wc *wc);

/* After a poll that found nothing: resend notices if one, or its credit, may
 * have been lost.  Returns 0 or a negative errno. */
int credit_idle(struct flow *f);

/* A credit came: the peer has checked the first COUNT messages of Q. */
void credit_take(struct flow *f, struct flow_qp *q, uint64_t count);
