/* The choice of the GIDs or LIDs that connect two ports. */
#include "config.h"
#include "model/gid.h"

#include <errno.h>
#include <stdio.h>
#include <sys/socket.h>

#include "base/ip.h"
#include "base/units.h"

uint32_t gid_common_prefix(const union ibv_gid *a, const union ibv_gid *b)
{
	return ip_common_prefix(a->raw, b->raw);
}

bool subnet_contains(const struct subnet *subnet, const union ibv_gid *gid)
{
	return gid_common_prefix(gid, &subnet->address) >= subnet->prefix;
}

/* True when A and B are both on one of the networks of WAYS. */
static bool on_one_subnet(const struct gid *a, const struct gid *b,
			  const struct ways *ways)
{
	for (uint32_t i = 0; i < ways->n; i++)
		if (subnet_contains(&ways->list[i], &a->raw) &&
		    subnet_contains(&ways->list[i], &b->raw))
			return true;
	return false;
}

bool gid_is_of_family(const struct gid *gid, int family)
{
	return !family || gid_is_ipv4(&gid->raw) == (family == AF_INET);
}

static bool can_talk(const struct gid *a, const struct gid *b, bool forced)
{
	return a->type == b->type &&
	       gid_is_ipv4(&a->raw) == gid_is_ipv4(&b->raw) &&
	       (forced || gid_is_link_local(&a->raw) ==
				  gid_is_link_local(&b->raw));
}

/* Higher is better.  A rule with a higher bit outranks all rules below it. */
static uint32_t score(const struct gid *a, const struct gid *b,
		      const struct ways *ways)
{
	uint32_t roce_v2 = a->type == GID_TYPE_ROCE_V2;
	uint32_t subnet = on_one_subnet(a, b, ways);
	uint32_t global = !gid_is_link_local(&a->raw);
	uint32_t ipv4 = gid_is_ipv4(&a->raw);

	return roce_v2 << 11 | subnet << 10 | global << 9 | ipv4 << 8 |
	       gid_common_prefix(&a->raw, &b->raw);
}

void gid_kinds(const struct port *port, char *text, size_t size)
{
	static const uint8_t types[] = { GID_TYPE_ROCE_V2,
					 GID_TYPE_ROCE_V1,
					 GID_TYPE_IWARP };
	text[0] = '\0';
	for (int i = 0; i < 6; i++)
		for (uint32_t g = 0; g < port->n_gids; g++) {
			const struct gid *gid = &port->gids[g];
			bool ipv4 = i % 2 == 0;

			if (gid->type != types[i / 2] ||
			    gid_is_ipv4(&gid->raw) != ipv4)
				continue;
			text_append(text, size, "%s%s %s", *text ? ", " : "",
				    gid_type_name(gid->type),
				    ipv4 ? "IPv4" : "IPv6");
			break;
		}
	if (!*text)
		snprintf(text, size, "%s",
			 port->n_gids && !port_is_ethernet(port) ?
				 gid_type_name(GID_TYPE_IB) : "none");
}

static int no_pair(const struct port *mine, const struct port *peer,
		   int family, struct error *err)
{
	char ours[96], theirs[96];

	gid_kinds(mine, ours, sizeof(ours));
	gid_kinds(peer, theirs, sizeof(theirs));
	return fail(err, -ENOENT,
		    "give both interfaces an address of the same family, or "
		    "choose with -x on both ends ('verbsperf devices' lists "
		    "GIDs)",
		    "%sno GID of the client's %s port %u on %s fits one of the "
		    "server's %s port %u on %s: %s against %s",
		    family == AF_INET ? "--ipv4: " :
		    family == AF_INET6 ? "--ipv6: " : "", mine->device,
		    mine->number, mine->hostname, peer->device,
		    peer->number, peer->hostname, ours, theirs);
}

static int choose_ethernet(const struct port *mine, const struct port *peer,
			   const struct ways *ways, struct path *path,
			   struct error *err)
{
	bool forced = mine->gid_forced || peer->gid_forced;
	uint32_t best = 0;
	bool found = false;

	for (uint32_t i = 0; i < mine->n_gids; i++)
		for (uint32_t j = 0; j < peer->n_gids; j++) {
			const struct gid *a = &mine->gids[i];
			const struct gid *b = &peer->gids[j];

			if (!can_talk(a, b, forced) ||
			    !gid_is_of_family(a, ways->family) ||
			    (found && score(a, b, ways) <= best))
				continue;
			best = score(a, b, ways);
			found = true;
			path->local = *a;
			path->remote = *b;
		}
	path->global = true;
	return found ? 0 : no_pair(mine, peer, ways->family, err);
}

static bool needs_grh(const struct port *mine, const struct port *peer)
{
	if (!port_has_lids(mine) || mine->grh_required ||
	    peer->grh_required || mine->gid_forced || peer->gid_forced)
		return true;
	return mine->n_gids && peer->n_gids &&
	       mine->gids[0].raw.global.subnet_prefix !=
		       peer->gids[0].raw.global.subnet_prefix;
}

/* By LIDs, or by the first GIDs. */
static int choose_infiniband(const struct port *mine, const struct port *peer,
			     struct path *path, struct error *err)
{
	path->dlid = peer->lid;
	path->global = needs_grh(mine, peer);
	if (!path->global)
		return 0;
	if (!mine->n_gids || !peer->n_gids)
		return fail(err, -ENOENT, port_has_lids(mine) ?
				    "check the subnet manager" :
				    "'verbsperf devices' lists GIDs",
			    "a GRH is needed between the client's %s and the "
			    "server's %s, and the %s's has no GID",
			    mine->device, peer->device,
			    mine->n_gids ? "server" : "client");
	path->local = mine->gids[0];
	path->remote = peer->gids[0];
	return 0;
}

int path_choose(const struct port *mine, const struct port *peer,
		const struct ways *ways, struct path *path,
		struct error *err)
{
	struct path chosen = { 0 };
	int ret;

	if (!port_kinds_fit(mine, peer))
		return fail(err, -EPROTOTYPE,
			    "choose ports of the same link layer with -d and "
			    "-i",
			    "the client's %s port %u on %s is %s, the "
			    "server's %s port %u on %s is %s",
			    mine->device, mine->number, mine->hostname,
			    port_kind_name(mine), peer->device, peer->number,
			    peer->hostname, port_kind_name(peer));
	if (port_is_ethernet(mine))
		ret = choose_ethernet(mine, peer, ways, &chosen, err);
	else
		ret = choose_infiniband(mine, peer, &chosen, err);
	if (!ret)
		*path = chosen;
	return ret;
}

static const struct gid *find_gid(const struct port *port, uint32_t index)
{
	for (uint32_t i = 0; i < port->n_gids; i++)
		if (port->gids[i].index == index)
			return &port->gids[i];
	return NULL;
}

int path_accept(const struct port *mine, const struct port *peer, bool global,
		uint32_t gid_index, uint32_t my_index, struct path *path,
		struct error *err)
{
	const struct gid *local = find_gid(mine, my_index);
	const struct gid *remote = find_gid(peer, gid_index);
	struct path accepted = { .global = global, .dlid = peer->lid };

	if (!port_has_lids(mine) && !global)
		return fail(err, -EINVAL, NULL,
			    "the client asks for a path without GID on %s",
			    port_kind_name(mine));
	if (global) {
		if (!local || !remote)
			return fail(err, -EINVAL, NULL,
				    "the client asks for GID %u here and %u "
				    "there, which were not offered", my_index,
				    gid_index);
		accepted.local = *local;
		accepted.remote = *remote;
	}
	*path = accepted;
	return 0;
}

bool gid_names_host(const struct gid *gid)
{
	return gid->type != GID_TYPE_IB && !gid_is_link_local(&gid->raw);
}

const struct gid *gid_best(const struct port *port)
{
	static const struct ways nowhere = { 0 };
	const struct gid *best = NULL;

	if (!port_is_ethernet(port))
		return port->n_gids ? &port->gids[0] : NULL;
	for (uint32_t i = 0; i < port->n_gids; i++) {
		const struct gid *gid = &port->gids[i];

		if (!best || score(gid, gid, &nowhere) >
				     score(best, best, &nowhere))
			best = gid;
	}
	return best;
}
