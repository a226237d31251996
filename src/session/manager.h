/*
 * The step of a session that connects queue pairs by the connection manager,
 * for --rdma-cm: the waits around verbs/cm.h.  While an end waits it sends
 * signs of life, hears what the peer says, and looks for ^C.
 *
 * net/oob.h chooses the addresses for the manager.
 *
 * With --mcast, both ends join the group, and neither listens.
 *
 * Over UD, an end still proves its address (reach.c): a server knows that of
 * its client from the ENDPOINT only.
 */
#pragma once

#include "session/dialogue.h"

/* At the server, before it sends its ENDPOINT: listen, and put the port into
 * MINE.  Does nothing at a client or without --rdma-cm.  Returns 0 or a
 * negative errno, set in the result's error, like the other functions. */
int manager_listen(struct session *s, struct endpoint *mine);

/* Connect all queue pairs of this end, or have them join the group. */
int manager_connect(struct session *s);

/* At the server: take events until READY comes, put that into FRAME, and stop
 * listening. */
int manager_expect_ready(struct session *s, struct frame *frame);

/* Release the connections.  Does nothing without a manager. */
void manager_free(struct session *s);

/* acceptor.c: the server of the test connect with --rdma-cm. */

/* Serve the client, from its ENDPOINT to its BYE.  Returns 0 or a negative
 * errno, set in the result's error. */
int acceptor_serve(struct session *s);

/* Release all connections; after a failure, once the client has been told of
 * it.  Does nothing without an acceptor. */
void acceptor_free(struct session *s);
