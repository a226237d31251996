/* The address that a peer gives as its own, whichever dialogue it comes by. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "model/port.h"
#include "session/dialogue.h"

#define PEER_ADDRESS_SIZE (GID_TEXT_SIZE + 4)

/* "GID ::ffff:10.0.0.1", or if it is not GLOBAL "LID 4": one end of a path.
 * Returns TEXT. */
const char *peer_address(const struct gid *gid, bool global, uint16_t lid,
			 char text[PEER_ADDRESS_SIZE]);

/*
 * Check that the far end of PATH is the address of one host, before anything is
 * connected to it.  With that of a group, or of all hosts of a network, each of
 * them would be sent what this end sends, over RC its answers; and any of them
 * could prove that it receives (reach.c).  Returns 0, or -EPROTO with the
 * address and what it is in ERR.
 */
int peer_address_check(const struct session *s, const struct path *path,
		       struct error *err);
