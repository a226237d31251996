/* What the kernel knows of the way to an address, without a packet sent. */
#pragma once

#include <infiniband/verbs.h>
#include <stdbool.h>

/* Look for a route to GID, an IP address.  Returns 0, also when that cannot be
 * known, as of a link-local address, or a positive errno. */
int route_find(const union ibv_gid *gid);

/* True when the kernel asked the network for GID, an IPv4 address, and nobody
 * answered. */
bool route_lacks_neighbour(const union ibv_gid *gid);
