/*
 * A peer that gives up says why, and closes the connection.  Who sends at that
 * moment meets a connection that is lost, before it has read the reason.
 */
#ifndef NET_PEER_ERROR_H
#define NET_PEER_ERROR_H

#include <stdint.h>

#include "base/error.h"
#include "net/oob.h"

/*
 * Wait until DEADLINE for the peer to say why it gives up, or to close CONN;
 * other frames are skipped.  Returns 0, or -ECONNABORTED with what it said in
 * ERR, or -EPROTO when that is malformed.
 */
int peer_error_wait(struct connection *conn, uint64_t deadline,
		    struct error *err);

/* The same of what the peer sent before it closed CONN. */
int peer_error_hear(struct connection *conn, struct error *err);

/* oob_send(), but when the peer closed the connection, ERR and what is
 * returned are what it said before that, if it did. */
int peer_error_send(struct connection *conn, const struct frame *frame,
		    uint64_t deadline, struct error *err);

#endif
