#ifndef TRAFFIC_LATENCY_H
#define TRAFFIC_LATENCY_H

#include "traffic/flow.h"

/*
 * Ping-pong on the first QP of F (measurement.md, "Latency"): t[i] is read
 * just before post i, a sample is t[i+1] - t[i], the whole round trip.
 * Recording a sample, reposting a receive and reaping send completions happen
 * while the answer is on its way.
 *
 * What takes a receive is waited for by its completion.  WRITE waits for the
 * last byte of the message, which carries the low byte of a count that starts
 * at 1: the caller clears flag_in at both ends, and passes a barrier, before.
 * On an unreliable transport an answer that does not come for f->loss_timeout
 * counts as lost, and the next message is sent; the count, in the last byte or
 * the immediate data, tells which message an answer is for.
 *
 * Ends after shape.iterations samples or, when that is 0, at PHASE_DRAIN.
 * Samples are in f->latency, opened and closed are the first and last clock
 * reading.  Returns as bandwidth_run().
 */
int latency_ping(struct flow *f, enum op op);

/*
 * The other end of latency_ping(), and of open_loop_run(): answers until
 * PHASE_DRAIN.  Of several f->slots each message is awaited in the one after
 * the last, and answered to the same; its count is of the messages to it.
 */
int latency_pong(struct flow *f, enum op op);

/*
 * READ and atomics: a sample goes from just before the post to just after its
 * completion was seen.  Otherwise as latency_ping().
 */
int latency_round_trip(struct flow *f, enum op op);

#endif
