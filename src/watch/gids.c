#include "config.h"
#include "watch/gids.h"

#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "verbs/device.h"

int gids_read(struct ibv_context *context, struct ibv_gid_entry **gids,
	      size_t *n)
{
	struct ibv_gid_entry *table = xcalloc(DEVICE_GIDS_MAX, sizeof(*table));
	ssize_t found = ibv_query_gid_table(context, table, DEVICE_GIDS_MAX, 0);

	if (found < 0) {
		free(table);
		return (int)found;
	}
	*gids = table;
	*n = (size_t)found;
	return 0;
}

static bool same(const struct ibv_gid_entry *a, const struct ibv_gid_entry *b)
{
	return a->port_num == b->port_num && a->gid_index == b->gid_index &&
	       a->gid_type == b->gid_type &&
	       a->ndev_ifindex == b->ndev_ifindex &&
	       !memcmp(a->gid.raw, b->gid.raw, sizeof(a->gid.raw));
}

static bool is_among(const struct ibv_gid_entry *entry,
		     const struct ibv_gid_entry *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (same(entry, &list[i]))
			return true;
	return false;
}

static void visit_others(const struct ibv_gid_entry *list, size_t n,
			 const struct ibv_gid_entry *others, size_t n_others,
			 bool added, gids_visitor *visit, void *argument)
{
	for (size_t i = 0; i < n; i++)
		if (!is_among(&list[i], others, n_others))
			visit(&list[i], added, argument);
}

void gids_compare(const struct ibv_gid_entry *before, size_t n_before,
		  const struct ibv_gid_entry *now, size_t n_now,
		  gids_visitor *visit, void *argument)
{
	/* nearly always nothing has changed */
	if (n_before == n_now && !memcmp(before, now, n_now * sizeof(*now)))
		return;
	visit_others(before, n_before, now, n_now, false, visit, argument);
	visit_others(now, n_now, before, n_before, true, visit, argument);
}
