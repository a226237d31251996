/*
 * Turns at a server.  Each client has a process of its own (serve.h), and the
 * server serves few at once.  The process asks its parent for a turn, hears its
 * place whenever that changes, and gives the turn back before it reports.  Each
 * is one message over a socket pair that preserves message boundaries.
 */
#ifndef NET_TURN_H
#define NET_TURN_H

#include <stdint.h>

#include "net/frames.h"
#include "net/oob.h"

/* A place counts the clients ahead in the queue.  At place 0 it is the client's
 * turn; the others here say why it gets none. */
enum queue_place {
	PLACE_SERVED = 0,
	PLACE_QUEUE_FULL = WAIT_MAX + 1,
	PLACE_SHARE_FULL,			/* too many wait from this address */
	PLACE_OVER,			/* --once: its client has come */
	PLACE_UNKNOWN,			/* no place heard yet */
};

/* In the parent. */

/* What a client's process tells its parent. */
enum turn_word {
	TURN_NOTHING,		/* no message now */
	TURN_ASKED,		/* it asks for a turn */
	TURN_ENDED,		/* it gives its turn back */
};

/*
 * Read a message from the process at FD: enum turn_word, or a negative errno
 * when the process is gone.  *LIMIT becomes how long, in ns, the turn may last.
 */
int turn_hear_child(int fd, uint64_t *limit);

/* Tell the process at FD its PLACE.  Returns 0, -EAGAIN when its socket is
 * full, or another negative errno. */
int turn_tell(int fd, uint32_t place);

/* In a client's process. */

/* Ask for a turn that may last LIMIT ns.  Returns 0 or a negative errno. */
int turn_ask(int fd, uint64_t limit);

/* Read *PLACE (enum queue_place) from the parent.  Returns 0, -EAGAIN when there is no
 * message now, or -EPIPE when the parent is gone. */
int turn_hear_parent(int fd, uint32_t *place);

/* Give back the turn of CONN, if it has one: another client's turn may begin,
 * whatever this process still does. */
void turn_end(struct connection *conn);

#endif
