/* What an end of a session does in the traffic, as the plan says. */
#ifndef RUN_ROLE_H
#define RUN_ROLE_H

#include <stdbool.h>

#include "run/run.h"

typedef int sending_loop(struct flow *f, enum op op);

/* What this end does until all of its messages are out; NULL: it sends none. */
sending_loop *role_loop(const struct run *run);

/* True for the far end of a ping-pong. */
bool role_answers(const struct run *run);

/* True when this end waits for the peer to have sent all, but by answering. */
bool role_awaits_peer(const struct run *run);

/* True when this end begins, and so says when it is over. */
bool role_begins(const struct run *run);

#endif
