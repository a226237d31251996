/* The GIDs of a device, and which of them came and went. */
#ifndef WATCH_GIDS_H
#define WATCH_GIDS_H

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stddef.h>

/* Read all GIDs of CONTEXT into *GIDS, on the heap.  Returns 0 or a negative
 * errno. */
int gids_read(struct ibv_context *context, struct ibv_gid_entry **gids,
	      size_t *n);

/* Is given a GID that was ADDED or removed. */
typedef void gids_visitor(const struct ibv_gid_entry *entry, bool added,
			  void *argument);

/* Give those of N_BEFORE GIDs which are not among N_NOW to VISIT, then those
 * which were not there before. */
void gids_compare(const struct ibv_gid_entry *before, size_t n_before,
		  const struct ibv_gid_entry *now, size_t n_now,
		  gids_visitor *visit, void *argument);

#endif
