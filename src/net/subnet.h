/* The IP network of a connection, for the choice of a GID on it. */
#ifndef NET_SUBNET_H
#define NET_SUBNET_H

#include "model/gid.h"
#include "net/oob.h"

/* The IP network that CONN uses at this end; unknown for other sockets. */
void oob_subnet(const struct connection *conn, struct subnet *subnet);

#endif
