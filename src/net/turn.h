/*
 * Turns at a server: each client has a process of its own (serve.h), and few
 * are served at once.  The process asks its parent for a turn, is told its
 * place whenever that changes, and gives the turn back before it reports: a
 * message each, over a socket pair that keeps them apart.
 */
#ifndef NET_TURN_H
#define NET_TURN_H

#include <stdint.h>

#include "net/frames.h"
#include "net/oob.h"

/* A place is how many clients must go before: 0 is a turn. */
enum turn {
	TURN_NOW = 0,
	TURN_FULL = WAIT_MAX + 1,	/* too many wait already */
	TURN_SHARED,			/* too many of its address do */
	TURN_OVER,			/* the only client has come (--once) */
	TURN_UNKNOWN,			/* not told yet */
};

/* In the parent. */

/* What a process says of its turn. */
enum turn_word {
	TURN_NOTHING,		/* not now */
	TURN_ASKED,		/* it wants one */
	TURN_ENDED,		/* it needs its turn no more */
};

/* What the process at FD says: enum turn_word, or a negative errno when it is
 * gone.  *LIMIT is how long the turn that it asks for may last, in ns. */
int turn_hear_child(int fd, uint64_t *limit);

/* Tell PLACE to the process at FD.  Returns 0, -EAGAIN when it does not listen
 * now, or another negative errno. */
int turn_tell(int fd, uint32_t place);

/* In the process of a client. */

/* Ask for a turn that may last LIMIT ns.  Returns 0 or a negative errno. */
int turn_ask(int fd, uint64_t limit);

/* What the parent says: *PLACE, enum turn.  Returns 0, -EAGAIN when it says
 * nothing now, or -EPIPE when it is gone. */
int turn_hear_parent(int fd, uint32_t *place);

/* Give the turn of CONN back, if it had one: another client's may begin,
 * whatever this process still does. */
void turn_end(struct connection *conn);

#endif
