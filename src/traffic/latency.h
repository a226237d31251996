#ifndef TRAFFIC_LATENCY_H
#define TRAFFIC_LATENCY_H

#include "traffic/flow.h"

/*
 * Ping-pong on the first QP of F (verbsperf-measurement(7)).  The clock is
 * read as t[i] just before post i, and a sample is t[i+1] - t[i], the whole
 * round trip.  The loop records samples, reposts receives and reaps send
 * completions while the answer is on its way.
 *
 * An operation that consumes a receive waits for the receive's completion.
 * WRITE polls the last byte of the message, which carries the low byte of a
 * count that starts at 1.  Before the call, the caller clears flag_in at both
 * ends and passes a barrier.  On an unreliable transport, an answer that does
 * not arrive within f->loss_timeout counts as lost, and the next message is
 * sent.  The count, in the last byte or the immediate data, tells which message
 * an answer belongs to.
 *
 * With f->gap the timed end pauses after t[i], and the next sample begins at a
 * reading after the pause.
 *
 * Ends after shape.iterations samples or, when that is 0, at PHASE_DRAIN.
 * Samples are in f->latency; opened and closed are the first and last clock
 * reading of a sample.  Returns as bandwidth_run().
 */
int latency_ping(struct flow *f, enum op op);

/*
 * The other end of latency_ping() and open_loop_run(): answers every message
 * until PHASE_DRAIN.  With several pingpong.slots, messages use the slots round
 * robin, an answer goes to the slot of its message, and each slot has its own
 * count.  Returns as bandwidth_run().
 */
int latency_pong(struct flow *f, enum op op);

/*
 * READ and atomics: a sample lasts from just before the post to just after the
 * poll that found its completion.  Otherwise as latency_ping().
 */
int latency_round_trip(struct flow *f, enum op op);

#endif
