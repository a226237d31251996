/* What the signs of a path that carries nothing say. */
#include "config.h"
#include "model/path_signs.h"

#include <infiniband/verbs.h>

/* Of fewer packets none need be in a moment's counts. */
#define LEAST_PACKETS 4

/* Packets of Soft-RoCE pass through the interface, which counts them. */
static bool is_held_back(const struct path_signs *s)
{
	return s->counted && s->sent >= LEAST_PACKETS && s->out < s->sent / 2;
}

enum path_fault path_fault_of(const struct path_signs *s)
{
	if (s->port_state && s->port_state != IBV_PORT_ACTIVE)
		return PATH_LINK;
	if (!s->ethernet)
		return PATH_UNKNOWN;
	if (s->route)
		return PATH_ROUTE;
	if (s->mtu_now && s->mtu_now < s->mtu)
		return PATH_MTU;
	if (s->refused || is_held_back(s))
		return PATH_REFUSED;
	if (s->no_neighbour)
		return PATH_NEIGHBOUR;
	if (!s->counted || (!s->sent && !s->came))
		return PATH_UNKNOWN;
	return s->came ? PATH_LOSSY : PATH_SILENT;
}

bool path_fault_is_local(enum path_fault fault)
{
	return fault <= PATH_NEIGHBOUR;
}
