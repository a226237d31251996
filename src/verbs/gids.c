#include "config.h"
#include "verbs/gids.h"

#include <stdlib.h>

#include "base/xalloc.h"
#include "verbs/iwarp.h"

#ifdef HAVE__IBV_QUERY_GID_TABLE
static ssize_t read_table(struct ibv_context *context, uint8_t number,
			  struct gid gids[GIDS_MAX])
{
	struct ibv_gid_entry *table = xcalloc(GIDS_MAX, sizeof(*table));
	ssize_t n = ibv_query_gid_table(context, table, GIDS_MAX, 0);
	ssize_t mine = 0;

	for (ssize_t i = 0; i < n; i++)
		if (table[i].port_num == number)
			gids[mine++] = (struct gid){
				.raw = table[i].gid,
				.index = table[i].gid_index,
				.type = (uint8_t)table[i].gid_type,
				.ifindex = table[i].ndev_ifindex,
			};
	free(table);
	return n < 0 ? n : mine;
}
#else
static ssize_t read_table(struct ibv_context *context, uint8_t number,
			  struct gid gids[GIDS_MAX])
{
	return gid_files_read(ibv_get_device_name(context->device), number,
			      gids);
}
#endif

ssize_t gids_read(struct ibv_context *context, uint8_t number,
		  struct gid gids[GIDS_MAX])
{
	ssize_t n = read_table(context, number, gids);

	if (n > 0 && context->device->transport_type == IBV_TRANSPORT_IWARP)
		n = iwarp_addresses(&gids[0].raw, gids, GIDS_MAX);
	return n;
}
