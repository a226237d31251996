/* The addresses of an iWARP device, which has no GIDs that lead to it. */
#pragma once

#include <sys/types.h>

#include "model/port.h"

/*
 * Put the IP addresses of the interfaces whose MAC address begins *GID, which is
 * the only GID of an iWARP port, into ADDRESSES, with an index each; at most
 * MOST, and no link-local ones, which rdma_cm would need the interface for.
 * Several interfaces of one MAC address are those of VLANs.  Returns how many,
 * or a negative errno.  GID may be in ADDRESSES.
 */
ssize_t iwarp_addresses(const union ibv_gid *gid, struct gid *addresses,
			size_t most);
