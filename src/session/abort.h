/* Ends a failed session: ABORT or REFUSE, both ways. */
#ifndef SESSION_ABORT_H
#define SESSION_ABORT_H

#include "session/dialogue.h"

/*
 * S ended with the result's error: tell the peer, unless it knows, and put a
 * failure that the peer reports of its own within a second into the result's
 * peer_error.  Does not wait if no report can come, or if the user interrupted.
 */
void abort_swap(struct session *s);

#endif
