/*
 * A peer that gives up sends the reason and closes the connection.  An end that
 * sends at that moment finds the connection lost before it has read the reason.
 */
#ifndef NET_PEER_ERROR_H
#define NET_PEER_ERROR_H

#include <stdint.h>

#include "base/error.h"
#include "net/oob.h"

/*
 * Wait until DEADLINE for the peer to say why it gives up, or to close CONN;
 * skip other frames.  Returns 0, or -ECONNABORTED with the peer's reason in
 * ERR, or -EPROTO when that is malformed.
 */
int peer_error_wait(struct connection *conn, uint64_t deadline,
		    struct error *err);

/* Like peer_error_wait(), for a peer that has closed CONN already. */
int peer_error_hear(struct connection *conn, struct error *err);

/* Like oob_send(), but if the peer closed CONN after giving a reason, return
 * that reason in ERR, with its errno. */
int peer_error_send(struct connection *conn, const struct frame *frame,
		    uint64_t deadline, struct error *err);

#endif
