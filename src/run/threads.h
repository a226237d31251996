/* Runs the loops of a run, each in a thread of its own. */
#ifndef RUN_THREADS_H
#define RUN_THREADS_H

#include "run/run.h"

typedef int (*threads_loop)(struct run *run, struct flow *f);

/*
 * Run LOOP on every flow of RUN: the first in this thread, the others in new
 * threads, each on its CPU if the user gave a list.  When one fails, stop the
 * others.  Returns 0 or the negative errno of the first flow that failed.
 */
int threads_run(struct run *run, threads_loop loop);

#endif
