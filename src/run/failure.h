/* Why the traffic of a run ended early. */
#ifndef RUN_FAILURE_H
#define RUN_FAILURE_H

#include "run/run.h"

/*
 * The loops ended with RET, and the monitor is stopped: say why in the result's
 * error, and in its peer_error what the peer said of a failure of its own.  A
 * completion with an error tells more than the asynchronous event that comes
 * with it, and what failed here more than what the peer says, so both are
 * looked for.  Returns a negative errno; RET when nothing tells more.
 */
int failure_explain(struct run *run, int ret);

#endif
