/*
 * Path selection: which GID on each end, or which LIDs.  Pure: port
 * attributes in, path out.
 */
#ifndef MODEL_GID_H
#define MODEL_GID_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "model/port.h"

/* The IP network a TCP connection uses at this end; IPv4 as ::ffff:a.b.c.d. */
struct subnet {
	bool known;
	union ibv_gid address;
	uint32_t prefix;	/* bits, of 128 */
};

/* Leading bits that A and B share. */
uint32_t gid_common_prefix(const union ibv_gid *a, const union ibv_gid *b);

/* "RoCE v2 IPv4, RoCE v1 IPv6", each kind that PORT has once, or "none", into
 * TEXT of SIZE bytes. */
void gid_kinds(const struct port *port, char *text, size_t size);

/*
 * Choose the path from MINE, the client's port, to PEER, the server's.
 *
 * Ethernet: among all pairs of GIDs of one type, one family and one scope,
 * RoCE v2 before v1, both on the TCP connection's subnet before others,
 * global before link-local, then the pair with the longest common prefix,
 * then the lowest indices.  A GID the user forced (-x) is the only one in its
 * port's list, and its scope need not match.
 *
 * InfiniBand: LIDs; with a GRH as well when one of the ports requires it, the
 * subnet prefixes differ or a GID index was forced.
 *
 * The MTU is left 0.  Returns 0, or -ENOENT / -EPROTOTYPE when no path can
 * exist, with what both ends have and what to change in ERR.
 */
int path_choose(const struct port *mine, const struct port *peer,
		const struct subnet *tcp, struct path *path,
		struct error *err);

/*
 * The path as the other end sees it: PATH was chosen by the peer, which uses
 * its GID_INDEX and wants this end to use MY_INDEX.  Returns 0 or -EINVAL when
 * the lists hold no such GIDs.
 */
int path_accept(const struct port *mine, const struct port *peer, bool global,
		uint32_t gid_index, uint32_t my_index, struct path *path,
		struct error *err);

/*
 * The GID of PORT that would be chosen were the peer's the same: NULL when
 * there is none.
 */
const struct gid *gid_best(const struct port *port);

#endif
