/* The timed loops that keep to no schedule of their own; open_loop.h has the
 * one that does. */
#pragma once

#include "traffic/flow.h"

/*
 * Keep every queue pair of F filled to its depth with OP and count the
 * messages that complete inside the window (verbsperf-measurement(7)).  The
 * window opens at the last completion of the warm-up, with the pipeline full,
 * or at the first post when there is no warm-up.  It closes at the last
 * completion counted.
 *
 * With iterations, exactly that many messages per QP complete in the window.
 * Without, the window closes when the phase becomes PHASE_DRAIN, and messages
 * still outstanding complete before the call returns.
 *
 * With f->pace, messages are posted when they are due (pace.h), in the warm-up
 * too.  Queue pairs get one burst each, round robin, as far as their depth has
 * room.  A burst must be a multiple of list_length.
 *
 * An exact count must end with a signaled message.  If more than depth
 * messages follow the warm-up, the loop can still choose that last message.
 * Otherwise it may be outstanding already, so iterations <= depth must equal
 * depth and be a multiple of cq_mod.  plan_depth() and plan_cq_mod()
 * ensure this.
 *
 * The result is in F: posted, completed, counted, opened, closed and, after a
 * failure inside the window, cut.
 * Returns 0; -ECANCELED when the phase became PHASE_LEAVE or PHASE_ABORT;
 * another negative errno when a verb or a completion failed, noted in F.
 * Counts are valid up to the failure.
 */
int bandwidth_run(struct flow *f, enum op op);

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

/*
 * Take the messages of all QPs of F, count them in f->received and repost the
 * receives, until the peer has sent everything and all of it has arrived.  On
 * an unreliable transport, stop waiting after f->loss_timeout without a
 * message.  When this end measures (f->counts_arrivals), the window opens at
 * the first message after the warm-up, or at once without a warm-up, and closes
 * at the last message counted.  Returns as bandwidth_run().
 */
int responder_run(struct flow *f, enum op op);
