/* Turns the loops' counts into DONE, and DONE into a row of the result. */
#ifndef RUN_OUTCOME_H
#define RUN_OUTCOME_H

#include "net/frames.h"
#include "run/run.h"

/* The loops are over.  If the run failed, end its windows where the monitor
 * last saw progress, not after the long wait for more. */
void outcome_settle(struct run *run);

/* Put this end's counts, over all loops, into DONE; call done_free(). */
void outcome_describe(struct run *run, struct done *done);

/*
 * Add the row that both ends report, from this end's counts (MINE) and the
 * peer's (THEIRS, NULL when unknown).  Takes over their heap memory, except the
 * histogram.
 */
struct result_row *outcome_add_row(struct run *run, uint64_t size,
				   struct done *mine, struct done *theirs);

#endif
