/* The GIDs of a port. */
#pragma once

#include <infiniband/verbs.h>
#include <sys/types.h>

#include "model/port.h"

/* Most GIDs of a port: the kernel accepts tables of a device below 64 KiB, at
 * 32 bytes per entry. */
#define GIDS_MAX 2000

/*
 * Read the GIDs of port NUMBER of CONTEXT; of an iWARP device, which has none
 * that lead to it, the addresses of its interfaces.  Returns how many, or a
 * negative errno.
 */
ssize_t gids_read(struct ibv_context *context, uint8_t number,
		  struct gid gids[GIDS_MAX]);

/*
 * The same from the files of sysfs, of port NUMBER of DEVICE, but not for
 * iWARP: libraries before rdma-core 32 have no call that tells the type of a
 * GID, nor its interface.
 */
ssize_t gid_files_read(const char *device, uint8_t number,
		       struct gid gids[GIDS_MAX]);
