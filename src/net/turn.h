/*
 * Turns at a server.  Each client has a process of its own (serve.h), and the
 * server serves few at once.  The process requests a turn from its parent, is
 * sent its place whenever that changes, and releases the turn before it
 * reports.  Each is one message over a socket pair that preserves message
 * boundaries.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "net/frames.h"
#include "net/oob.h"

/* A place counts the clients ahead in the queue.  At place 0 it is the client's
 * turn; the others here say why it gets none. */
enum queue_place {
	PLACE_SERVED = 0,
	PLACE_QUEUE_FULL = WAIT_MAX + 1,
	PLACE_SHARE_FULL,		/* too many wait from this address */
	PLACE_OVER,			/* --once: its client has come */
	PLACE_UNKNOWN,			/* no place received yet */
};

/* In the parent. */

/* What a client's process tells its parent. */
enum turn_message {
	TURN_NO_MESSAGE,	/* no message now */
	TURN_REQUEST,		/* it asks for a turn */
	TURN_REQUEST_QUIET,	/* it does, for a client without signs of
				 * life */
	TURN_RELEASE,		/* it gives its turn back */
};

/*
 * Receive a message from the process at FD: enum turn_message, or a negative
 * errno when the process is gone.  *LIMIT becomes how long, in ns, the turn may
 * last.
 */
int turn_receive_message(int fd, uint64_t *limit);

/* Send the process at FD its PLACE.  Returns 0, -EAGAIN when its socket is
 * full, or another negative errno. */
int turn_send_place(int fd, uint32_t place);

/* In a client's process. */

/* Ask for a turn that may last LIMIT ns, for a client that gives no signs of
 * life if it is QUIET.  Returns 0 or a negative errno. */
int turn_request(int fd, uint64_t limit, bool quiet);

/* Receive *PLACE (enum queue_place) from the parent.  Returns 0, -EAGAIN when
 * there is no message now, or -EPIPE when the parent is gone. */
int turn_receive_place(int fd, uint32_t *place);

/* Give back the turn of CONN, if it has one: another client's turn may begin,
 * whatever this process still does. */
void turn_release(struct connection *conn);
