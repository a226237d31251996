/* Explains why the traffic of a run ended early. */
#ifndef RUN_FAILURE_H
#define RUN_FAILURE_H

#include "run/run.h"

/*
 * The loops ended with RET and the monitor has stopped: put the reason into the
 * result's error, and a failure that the peer reports of its own into its
 * peer_error.  A failed completion says more than the asynchronous event that
 * comes with it, and a local failure more than the peer's message, so this
 * looks for both.  Returns a negative errno: RET if nothing says more.
 */
int failure_explain(struct run *run, int ret);

#endif
