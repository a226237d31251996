/* Why the traffic of a run ended early. */
#ifndef RUN_CAUSE_H
#define RUN_CAUSE_H

#include "run/monitor.h"
#include "session/session.h"

/*
 * The loops ended with RET: say why in the result's error, and in its
 * peer_error what the peer said of a failure of its own.  A completion with an
 * error tells more than the asynchronous event that comes with it, and what
 * failed here more than what the peer says, so both are looked for.  Returns a
 * negative errno; RET when nothing tells more.
 */
int cause_explain(struct session *s, const struct monitor *m, int ret);

/*
 * A run ended with the result's error: tell the peer, unless it knows, and
 * take into peer_error what it says of a failure of its own within a second.
 * Not waited for where nothing will come, nor when the user interrupted.
 */
void cause_swap(struct session *s);

#endif
