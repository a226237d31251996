/* Prepares the loops for traffic at the rate, or with the pauses, that the user
 * asks for. */
#ifndef RUN_PACING_H
#define RUN_PACING_H

#include "run/run.h"

/*
 * If the plan has a rate or a gap, give it to RUN's flows, which are prepared for
 * messages of SIZE bytes.  In a bandwidth test each flow gets a share
 * proportional to its queue pairs; otherwise the client's flow gets the
 * schedule of an open loop, which run_free() frees.  May wait 10 ms until the
 * length of a tick is known.
 */
void pacing_prepare(struct run *run, uint64_t size);

#endif
