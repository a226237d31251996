/* Retries for --wait, after a full server told the client to come again. */
#ifndef SESSION_AGAIN_H
#define SESSION_AGAIN_H

#include <stdbool.h>

#include "session/session.h"

/* Did the failed run in R end because the server is full, and is there time to
 * retry before GIVE_UP (base/time.h)? */
bool again_is_wanted(const struct result *r, uint64_t give_up);

/*
 * Forget the failed run: close CONN, free SESSION, clear this end's and the
 * peer's error in R, and wait a second.  Returns 0, or -ECANCELED, said in R's
 * error, when the user interrupts.
 */
int again_prepare(struct result *r, struct connection *conn,
		  struct session **session);

#endif
