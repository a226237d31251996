#ifndef TRAFFIC_BANDWIDTH_H
#define TRAFFIC_BANDWIDTH_H

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
 * Returns 0; -ECANCELED when the phase became PHASE_ABORT; another negative
 * errno when a verb or a completion failed, noted in F.  Counts are valid up
 * to the failure.
 */
int bandwidth_run(struct flow *f, enum op op);

#endif
