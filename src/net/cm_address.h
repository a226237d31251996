/* The IP addresses that the connection manager (librdmacm) is given: those of the
 * GIDs of a path.  A GID without an IP address, as on InfiniBand, or a
 * link-local one, leaves only the addresses of the TCP connection. */
#ifndef NET_CM_ADDRESS_H
#define NET_CM_ADDRESS_H

#include <stdint.h>
#include <sys/socket.h>

#include "model/port.h"
#include "net/oob.h"

/* This end's address, with port 0. */
void cm_address_local(const struct connection *conn, const struct path *path,
		      struct sockaddr_storage *address);

/* The peer's address, with PORT. */
void cm_address_remote(const struct connection *conn, const struct path *path,
		       uint16_t port, struct sockaddr_storage *address);

#endif
