/* The part of model/plan.c that is about --rate. */
#ifndef MODEL_PLAN_RATE_H
#define MODEL_PLAN_RATE_H

#include "model/plan.h"

/* Messages of SIZE bytes that a completion stands for, chosen automatically and
 * by their number: 100, or as many as are sent in 10 ms. */
uint64_t plan_rate_cq_mod(const struct plan *plan, uint64_t size);

/* Messages of SIZE bytes that are sent at once at --rate: of --burst, but whole
 * lists, which are handed over at once. */
uint64_t plan_burst(const struct plan *plan, uint64_t size);

/* Least length of a send queue, in messages: see plan_send_queue(). */
uint32_t plan_least_send_queue(const struct plan *plan);

/* Least number of receives at either end of a ping-pong: one for each message
 * that may be under way, and one while the one before is posted again. */
uint32_t plan_least_rx_depth(const struct plan *plan);

/* The rules for a PLAN that has a rate, if it has.  Returns as plan_check(). */
int plan_rate_check(const struct plan *plan, struct error *err);

#endif
