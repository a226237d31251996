/* The RDMA devices of this machine, and why one cannot be opened. */
#ifndef VERBS_DEVICE_LIST_H
#define VERBS_DEVICE_LIST_H

#include <infiniband/verbs.h>
#include <stddef.h>

#include "base/error.h"
#include "model/port.h"

/* One device.  libibverbs leaves out what it has no driver or no file for, as
 * in a container that was not given it; the kernel still names it. */
struct listed {
	char name[PORT_NAME_SIZE];	/* mlx5_0 */
	char file[PORT_NAME_SIZE];	/* uverbs0; "": it has none */
	struct ibv_device *device;	/* NULL: libibverbs left it out */
};

struct device_list {
	struct ibv_device **devices;	/* of libibverbs */
	struct listed *listed;
	size_t n;
};

/*
 * List the devices of libibverbs, in its order, and then those that only the
 * kernel names.  device_list_free() it.  Returns 0 with at least one device, or
 * a negative errno with, in ERR, what the user can do.
 */
int device_list_read(struct device_list *list, struct error *err);

void device_list_free(struct device_list *list);

/*
 * Open one device.  ibv_close_device() the CONTEXT.  Returns 0, or a negative
 * errno with, in ERR, its file and what is wrong with that.
 */
int device_list_open(const struct listed *listed, struct ibv_context **context,
		     struct error *err);

/* There is no device NAME: says in ERR which there are.  Returns -ENODEV. */
int device_list_no_such(const struct device_list *list, const char *name,
			struct error *err);

#endif
