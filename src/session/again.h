/* A server that is full tells a client to come again, which --wait does. */
#ifndef SESSION_AGAIN_H
#define SESSION_AGAIN_H

#include <stdbool.h>

#include "session/session.h"

/* Did the server of the run that failed, which is in R, say so, before GIVE_UP
 * (base/time.h)? */
bool again_is_wanted(const struct result *r, uint64_t give_up);

/*
 * Forget that run: close CONN, free SESSION, leave neither an error nor a
 * peer's in R, and wait a moment.  Returns 0, or -ECANCELED when the user
 * interrupts, said in R's error.
 */
int again_prepare(struct result *r, struct connection *conn,
		  struct session **session);

#endif
