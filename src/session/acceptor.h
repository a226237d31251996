/*
 * The server of the test connect with --rdma-cm: accepts the connections that
 * its client requests through the connection manager.
 *
 * A request and its answer have the marks of verbs/cm_id.h, with the number of
 * the request as index.  The reason why this end rejects a request goes over
 * TCP, in REFUSE.
 */
#ifndef SESSION_ACCEPTOR_H
#define SESSION_ACCEPTOR_H

#include "session/dialogue.h"

/* Serve the client, from its ENDPOINT to its BYE.  Returns 0 or a negative
 * errno, set in the result's error. */
int acceptor_serve(struct session *s);

/* Release all connections; after a failure, once the client has been told of
 * it.  Does nothing without an acceptor. */
void acceptor_free(struct session *s);

#endif
