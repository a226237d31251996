/* Checks the address that a peer gives as its own. */
#include "config.h"
#include "session/peer_address.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "net/address.h"

const char *peer_address(const struct gid *gid, bool global, uint16_t lid,
			 char text[PEER_ADDRESS_SIZE])
{
	char number[GID_TEXT_SIZE];

	if (global)
		snprintf(text, PEER_ADDRESS_SIZE, "GID %s",
			 gid_format(&gid->raw, number));
	else
		snprintf(text, PEER_ADDRESS_SIZE, "LID %u", lid);
	return text;
}

/* Zeros, or 0.0.0.0. */
static bool is_none(const union ibv_gid *gid)
{
	static const uint8_t none[sizeof(gid->raw)];
	const size_t from = gid_is_ipv4(gid) ? IPV4_AT : 0;

	return !memcmp(gid->raw + from, none, sizeof(none) - from);
}

static bool is_of_many(const union ibv_gid *gid)
{
	struct ip_address ip;

	memcpy(ip.bytes, gid->raw, sizeof(ip.bytes));
	return gid_is_multicast(gid) ||
	       (gid_is_ipv4(gid) && address_is_broadcast(&ip));
}

int peer_address_check(const struct session *s, const struct path *path,
		       struct error *err)
{
	const union ibv_gid *gid = &path->remote.raw;
	const bool many = path->dlid > LID_MAX ||
			  (path->global && is_of_many(gid));
	const bool none = path->global ? is_none(gid) : !path->dlid;
	char text[PEER_ADDRESS_SIZE];

	if (!many && !none)
		return 0;
	return fail(err, -EPROTO, NULL,
		    "the %s gave %s as its address, which is %s",
		    s->run.conn->peer,
		    peer_address(&path->remote, path->global, path->dlid, text),
		    many ? "a multicast or broadcast address" :
			   "no host's address");
}
