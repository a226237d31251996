/* The RDMA devices of this machine, and why one cannot be opened. */
#pragma once

#include <infiniband/verbs.h>
#include <stddef.h>

#include "base/error.h"
#include "model/port.h"

/* One device.  libibverbs omits a device without a driver or a device file, as
 * in a container that was not given the file; the kernel still lists it. */
struct listed {
	char name[PORT_NAME_SIZE];	/* mlx5_0 */
	char file[PORT_NAME_SIZE];	/* uverbs0; "": no device file */
	struct ibv_device *device;	/* NULL: omitted by libibverbs */
};

struct device_list {
	struct ibv_device **devices;	/* from libibverbs */
	struct listed *listed;
	size_t n;
};

/*
 * List the devices of libibverbs in its order, then those that only the kernel
 * lists.  device_list_free() it.  Returns 0 with at least one device, or a
 * negative errno with what the user can do in ERR.
 */
int device_list_read(struct device_list *list, struct error *err);

/* Say that this host has none, and what the user can do.  Returns -ENODEV. */
int device_list_none(struct error *err);

void device_list_free(struct device_list *list);

/*
 * Open one device.  Close *CONTEXT with ibv_close_device().  Returns 0, or a
 * negative errno with the device file and its problem in ERR.
 */
int device_list_open(const struct listed *listed, struct ibv_context **context,
		     struct error *err);

/* Report in ERR that no device NAME exists, and which ones do.  Returns
 * -ENODEV. */
int device_list_no_such(const struct device_list *list, const char *name,
			struct error *err);
