/* Finds the network interface behind a port or a GID. */
#include "config.h"
#include "host/netdev.h"

#include <net/if.h>
#include <stdio.h>
#include <string.h>

#include "base/sysfs.h"

/* Most interfaces on top of each other. */
#define STACK_MAX 8

bool netdev_of_gid(const char *device, uint32_t port, uint32_t index,
		   char name[NETDEV_NAME_SIZE])
{
	return sysfs_read(name, NETDEV_NAME_SIZE,
			  "/sys/class/infiniband/%s/ports/%u/gid_attrs/ndevs/"
			  "%u", device, port, index);
}

/* The kernel need not have the GID of an iWARP port in sysfs. */
bool netdev_of_port(const struct port *port, const struct gid *gid,
		    char name[NETDEV_NAME_SIZE])
{
	name[0] = '\0';
	if (port->iwarp)
		return gid && if_indextoname(gid->ifindex, name);
	return netdev_of_gid(port->device, port->number, gid ? gid->index : 0,
			     name);
}

struct below {
	uint32_t n;
	char name[NETDEV_NAME_SIZE];
};

/* A sysfs_visitor. */
static void note_lower(const char *name, void *into)
{
	struct below *below = into;

	if (strncmp(name, "lower_", 6) != 0)
		return;
	below->n++;
	snprintf(below->name, sizeof(below->name), "%s", name + 6);
}

void netdev_go_down(char name[NETDEV_NAME_SIZE])
{
	for (int i = 0; i < STACK_MAX; i++) {
		struct below below = { 0 };

		sysfs_list(note_lower, &below, "/sys/class/net/%s", name);
		if (below.n != 1)
			return;
		memcpy(name, below.name, NETDEV_NAME_SIZE);
	}
}
