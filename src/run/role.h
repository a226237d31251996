/* Derives from the plan what one end does in the traffic. */
#ifndef RUN_ROLE_H
#define RUN_ROLE_H

#include <stdbool.h>

#include "run/run.h"

typedef int sending_loop(struct flow *f, enum op op);

/* The loop this end runs until it has sent everything; NULL: it sends
 * nothing. */
sending_loop *role_loop(const struct run *run);

/* Is this end the far end of a ping-pong? */
bool role_answers(const struct run *run);

/* Does this end wait for the peer to send everything, other than by
 * answering? */
bool role_awaits_peer(const struct run *run);

/* Does this end begin messages of its own, and so send SENT when all are
 * out? */
bool role_begins(const struct run *run);

#endif
