/*
 * Path selection: which GID to use at each end, or which LIDs.  Pure: it maps
 * port attributes to a path.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "model/port.h"

/* An IP network of this end; IPv4 as ::ffff:a.b.c.d. */
struct subnet {
	union ibv_gid address;	/* this end's in it */
	uint32_t prefix;	/* bits, of 128 */
};

#define WAYS_MAX 16

/* What else decides the path: not which of several addresses of the server
 * happened to answer first. */
struct ways {
	int family;		/* AF_INET, AF_INET6: the GIDs to use (-4, -6);
				 * 0: any */
	uint32_t n;		/* networks from which the server's addresses
				 * are reached; 0: unknown */
	struct subnet list[WAYS_MAX];
};

/* Number of leading bits that A and B have in common. */
uint32_t gid_common_prefix(const union ibv_gid *a, const union ibv_gid *b);

/* True when GID is an address in SUBNET. */
bool subnet_contains(const struct subnet *subnet, const union ibv_gid *gid);

/* True when GID is of FAMILY: AF_INET, or AF_INET6; 0: any. */
bool gid_is_of_family(const struct gid *gid, int family);

/* Write each kind of GID that PORT has, once, into TEXT of SIZE bytes: "RoCE v2
 * IPv4, RoCE v1 IPv6", or "none". */
void gid_kinds(const struct port *port, char *text, size_t size);

/*
 * Choose the path from MINE, the client's port, to PEER, the server's.
 *
 * Ethernet: consider all pairs of GIDs with the same type, IP family and scope.
 * Prefer RoCE v2 to v1, then pairs with both GIDs on one network of WAYS, then
 * global to link-local, then IPv4 to IPv6, then the longest common prefix, then
 * the lowest indices.  A GID that the user forced (-x) is the only one in its
 * port's list, and its scope need not match.  On iWARP, IP addresses stand for
 * GIDs.
 *
 * InfiniBand: use LIDs.  Add a GRH if either port requires it, the subnet
 * prefixes differ or a GID index was forced.
 *
 * The MTU is left 0.  Returns 0, or -ENOENT / -EPROTOTYPE when no path can
 * exist, with what both ends have and what to change in ERR.
 */
int path_choose(const struct port *mine, const struct port *peer,
		const struct ways *ways, struct path *path,
		struct error *err);

/*
 * The path as the other end sees it.  The peer chose it: it uses its GID_INDEX
 * and wants this end to use MY_INDEX.  Returns 0, or -EINVAL with the reason in
 * ERR when the lists hold no such GIDs or the path lacks a GRH on Ethernet.
 */
int path_accept(const struct port *mine, const struct port *peer, bool global,
		uint32_t gid_index, uint32_t my_index, struct path *path,
		struct error *err);

/* True when GID contains an IP address that names one host of the network, as
 * on RoCE, unless it is link-local. */
bool gid_names_host(const struct gid *gid);

/*
 * The GID of PORT that would be chosen if the peer had the same GIDs; NULL when
 * PORT has none.
 */
const struct gid *gid_best(const struct port *port);
