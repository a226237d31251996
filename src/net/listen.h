/* A server's socket: listens, and accepts clients one by one. */
#ifndef NET_LISTEN_H
#define NET_LISTEN_H

#include <stdint.h>

#include "base/error.h"
#include "net/oob.h"

/*
 * Listen on PORT (0: any free one) at BIND or, if that is NULL, at every
 * address, IPv6 and IPv4.  *PORT becomes the actual port.  CANCEL_FD is from
 * signals_open(), or -1.  Returns a descriptor or a negative errno.
 */
int oob_listen(const char *bind, uint32_t *port, int cancel_fd,
	       struct error *err);

/* Accept the next client at LISTENER.  Returns 0, -EAGAIN when there is none or
 * it has gone, or another negative errno; no error is set. */
int oob_accept(int listener, struct connection *conn);

#endif
