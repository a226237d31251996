/* The end of a session that failed: ABORT, or REFUSE, both ways. */
#ifndef SESSION_ABORT_H
#define SESSION_ABORT_H

#include "session/dialogue.h"

/*
 * S ended with the result's error: tell the peer, unless it knows, and take
 * into the result's peer_error what it says of a failure of its own within a
 * second.  Not waited for where nothing will come, nor when the user
 * interrupted.
 */
void abort_swap(struct session *s);

#endif
