/* A client's wait for its turn, in its process at the server (net/turn.h). */
#ifndef SESSION_QUEUE_H
#define SESSION_QUEUE_H

#include "session/dialogue.h"

/*
 * Ask for a turn that may last LIMIT ns, and tell the client its place until
 * the turn comes.  The client must answer each time, as a sign of life.
 * Returns 0 or a negative errno, said in the result's error: the client is gone
 * or silent, there is no turn for it, or the user interrupts.
 */
int queue_wait(struct session *s, uint64_t limit);

#endif
