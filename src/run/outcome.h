/* From what the loops counted to DONE, and from DONE to a row of the result. */
#ifndef RUN_OUTCOME_H
#define RUN_OUTCOME_H

#include "net/frames.h"
#include "run/run.h"

/*
 * The loops are over.  Windows of a run that failed end where progress was last
 * seen, not after a long wait for more.
 */
void outcome_settle(struct run *run);

/* What this end counted, over all its loops, in DONE; done_free() it. */
void outcome_describe(struct run *run, struct done *done);

/*
 * The row that both ends report, from what this end counted (MINE) and what the
 * other did, which is NULL when nothing is known of it.  Takes over what they
 * have on the heap, but the histogram.
 */
struct result_row *outcome_add_row(struct run *run, uint64_t size,
				   struct done *mine, struct done *theirs);

#endif
