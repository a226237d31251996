/*
 * One round: the traffic of one message size, at one end.  In this order, the
 * other end doing the same: prepare, start, run, stop, report, end.  What both
 * ends tell each other in between is not done here, but what comes while the
 * traffic runs is heard by the monitor.
 */
#ifndef RUN_ROUND_H
#define RUN_ROUND_H

#include "run/run.h"

/* Everything that the loops of this end need for messages of SIZE bytes, but
 * the receives: run_fill_receives(). */
void round_prepare(struct run *run, uint64_t size);

/* The monitor begins to watch.  Returns 0, or a negative errno, said in the
 * result's error; only after 0 are the next three due. */
int round_start(struct run *run);

/* The loops of this end, if it has any, and the wait for the peer's.  Returns
 * 0 or a negative errno, which round_stop() explains. */
int round_run(struct run *run);

/* The loops ended with RET: stop the monitor.  Returns 0, or a negative errno
 * with the reason for it in the result's error. */
int round_stop(struct run *run, int ret);

/*
 * Add a row to the result of what this end counted (MINE) and what the other
 * did (THEIRS); but none for a warm-up, after which the same size is due again.
 * A round that failed, with RET, has no THEIRS, and a row, marked as failed,
 * when something was measured before.  Returns RET or, when the numbers make
 * no sense, a negative errno, said in the result's error.
 */
int round_report(struct run *run, struct done *mine, struct done *theirs,
		 int ret);

/* Release what was prepared, however far it came. */
void round_end(struct run *run);

#endif
