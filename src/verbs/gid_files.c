/* Reads the GID table of a port from sysfs, for a libibverbs without
 * ibv_query_gid_table(3). */
#include "config.h"
#include "verbs/gids.h"

#include <arpa/inet.h>
#include <errno.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>

#include "base/sysfs.h"

/* Older kernels know no RoCE v2, and have no files with types. */
static uint8_t type_of(const char *port, uint32_t index)
{
	char line[16];

	sysfs_read(line, sizeof(line), "%s/gid_attrs/types/%u", port, index);
	if (!strcmp(line, "RoCE v2"))
		return GID_TYPE_ROCE_V2;
	sysfs_read(line, sizeof(line), "%s/link_layer", port);
	return strcmp(line, "Ethernet") ? GID_TYPE_IB : GID_TYPE_ROCE_V1;
}

/* Read GID INDEX of PORT, a folder, into GID, if there is one. */
static bool read_gid(const char *port, uint32_t index, const char *text,
		     struct gid *gid)
{
	static const union ibv_gid none;
	char interface[IF_NAMESIZE];

	*gid = (struct gid){ .index = index };
	if (inet_pton(AF_INET6, text, &gid->raw) != 1 ||
	    !memcmp(&gid->raw, &none, sizeof(none)))
		return false;
	gid->type = type_of(port, index);
	if (sysfs_read(interface, sizeof(interface), "%s/gid_attrs/ndevs/%u",
		       port, index))
		gid->ifindex = if_nametoindex(interface);
	return true;
}

ssize_t gid_files_read(const char *device, uint8_t number,
		       struct gid gids[GIDS_MAX])
{
	char port[SYSFS_PATH_SIZE], text[GID_TEXT_SIZE];
	ssize_t n = 0;
	uint32_t i;

	snprintf(port, sizeof(port), "/sys/class/infiniband/%s/ports/%u",
		 device, number);
	for (i = 0; i < GIDS_MAX &&
		    sysfs_read(text, sizeof(text), "%s/gids/%u", port, i); i++)
		n += read_gid(port, i, text, &gids[n]);
	return i ? n : -ENOENT;
}
