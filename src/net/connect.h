/* A client's way to its server: the first address that answers. */
#ifndef NET_CONNECT_H
#define NET_CONNECT_H

#include <stdint.h>

#include "base/error.h"
#include "net/oob.h"

/*
 * Connect to the first address of HOST, IPv6 or IPv4, that answers.  BIND is
 * the local address, whose family restricts HOST's, or NULL.  The name server
 * and the server each get TIMEOUT ns to answer; with WAIT > 0 attempts repeat
 * for WAIT ns, for a server that is not up yet.  Returns 0, or a negative errno
 * with host, port, and each cause with its addresses in ERR.
 */
int oob_connect(const char *host, uint32_t port, const char *bind,
		uint64_t timeout, uint64_t wait, int cancel_fd,
		struct connection *conn, struct error *err);

#endif
