/*
 * Notices and credits of verified writes (verify.h): what they say, and the
 * room that they and the messages need in a send queue.  A credit may come
 * before the completions of what it is for were taken, so room is not known
 * from the messages: every request is numbered in its ID, a notice and a credit
 * ask for a completion, and that says up to which number there is room again.
 */
#ifndef TRAFFIC_CREDIT_H
#define TRAFFIC_CREDIT_H

#include "traffic/flow.h"

/* Immediate data of a notice is a count of messages; with this, a credit's. */
#define CREDIT (1U << 31)
#define COUNT_BITS 31

/* Requests that Q has room for; where there are no credits the caller knows. */
uint64_t credit_room(struct flow *f, const struct flow_qp *q);

/* What the ID of the request to be posted as the NUMBER-th message says: with
 * credits its own number, else the messages that it completes. */
uint64_t credit_number(struct flow *f, const struct flow_qp *q,
		       uint64_t number);

/* Say that COUNT messages came before, which in a ping-pong completes NUMBER.
 * There is room.  Returns what the verb said. */
int credit_notify(struct flow *f, struct flow_qp *q, uint64_t count,
		 uint64_t number);

/* Say how many messages were looked at, now or when there is room.  Returns
 * what the verb said. */
int credit_pay(struct flow *f, struct flow_qp *q);

/* WC, a send completion: there is room.  Returns 0 or a negative errno. */
int credit_retire(struct flow *f, const struct ibv_wc *wc);

/* A poll found nothing: a notice or a credit may have been lost. */
int credit_idle(struct flow *f);

/* The peer has looked at all up to the COUNT-th message of Q. */
void credit_take(struct flow *f, struct flow_qp *q, uint64_t count);

#endif
