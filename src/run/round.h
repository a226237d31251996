/*
 * One round: the traffic of one message size at one end.  Both ends go through
 * the same order: prepare, start, run, stop, report, end.  The frames exchanged
 * in between belong to session/exchange.c; the monitor reads those that come
 * while the traffic runs.
 */
#ifndef RUN_ROUND_H
#define RUN_ROUND_H

#include "run/run.h"

/* Prepare everything this end's loops need for messages of SIZE bytes, except
 * the receives: run_fill_receives().  Returns 0, or a negative errno, set in
 * the result's error. */
int round_prepare(struct run *run, uint64_t size);

/* Start the monitor.  Returns 0, or a negative errno, set in the result's
 * error.  Call round_run(), round_stop() and round_report() only after 0. */
int round_start(struct run *run);

/* Run this end's loops, if it has any, and wait for the peer's.  Returns 0 or a
 * negative errno, which round_stop() explains. */
int round_run(struct run *run);

/* The loops ended with RET: stop the monitor.  Returns 0, or a negative errno
 * with the reason in the result's error. */
int round_stop(struct run *run, int ret);

/*
 * Add a row to the result from this end's counts (MINE) and the peer's
 * (THEIRS).  A warm-up adds no row; the same size follows it.  A round that
 * failed, with RET, has no THEIRS; it adds a row, marked as failed, if it
 * measured something.  Returns RET or, when the numbers make no sense, a
 * negative errno, set in the result's error.
 */
int round_report(struct run *run, struct done *mine, struct done *theirs,
		 int ret);

/* Release what round_prepare() and later steps made, however far they came. */
void round_end(struct run *run);

#endif
