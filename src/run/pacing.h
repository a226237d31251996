/* Traffic at a rate that was asked for: what the loops need for it. */
#ifndef RUN_PACING_H
#define RUN_PACING_H

#include "run/run.h"

/*
 * If the plan has a rate, give it to the flows of S, which are prepared for
 * messages of SIZE bytes: in a bandwidth test each has its share, by its queue
 * pairs; else the client's has the schedule of an open loop, which goes with
 * the session.  May wait 10 ms, until the length of a tick is known.
 */
void pacing_prepare(struct run *run, uint64_t size);

#endif
