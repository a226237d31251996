#ifndef TRAFFIC_BANDWIDTH_H
#define TRAFFIC_BANDWIDTH_H

#include "traffic/flow.h"

/*
 * Keep every queue pair of F filled to its depth with OP and count what
 * completes inside the window (measurement.md, "Bandwidth"): it opens at the
 * last completion of the warm-up, with the pipeline full, or at the first
 * post when there is none, and closes at the last completion counted.
 *
 * With iterations, exactly that many per QP complete in the window; without,
 * the window closes when the phase becomes PHASE_DRAIN.  What is outstanding
 * then completes before the call returns.
 *
 * With f->pace messages are posted when they are due (pace.h), the warm-up's
 * too: a burst on each queue pair in turn, where its depth has room.  Bursts
 * must be of whole lists.
 *
 * An exact count must end with a signalled message.  When more than depth are
 * to come after the warm-up, that one is still to be posted, and will be.
 * When not, it may be outstanding already: iterations <= depth must be equal
 * to depth and a multiple of signal_every.  plan_depth() and plan_cq_mod()
 * see to that.
 *
 * The result is in F: posted, completed, counted, opened, closed and, when it
 * failed inside the window, cut.
 * Returns 0; -ECANCELED when the phase became PHASE_ABORT; another negative
 * errno when a verb or a completion failed, noted in F.  Counts are valid up
 * to the failure.
 */
int bandwidth_run(struct flow *f, enum op op);

#endif
