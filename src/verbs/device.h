/* Finds and opens a device and reads its capabilities. */
#pragma once

#include <infiniband/verbs.h>
#include <stddef.h>

#include "base/error.h"
#include "model/param.h"
#include "model/port.h"

struct device {
	struct ibv_context *context;
	uint32_t pkey_index;	/* table index of port.pkey */
	struct port port;
};

/*
 * Open the device and port that PARAMS names, or the first with an active port,
 * and read its attributes and GIDs.  Only for --check may the port be inactive,
 * or lack a GID at the requested index.  Returns 0, or a negative errno with
 * what exists instead and what to do in ERR.  device_close() it.
 */
int device_open(const struct parameters *params, struct device *device,
		struct error *err);

/* How DEVICE's port is now: its enum ibv_port_state, and its active MTU in
 * bytes; 0: not known. */
void device_look(const struct device *device, uint8_t *state, uint32_t *mtu);

/* Close DEVICE; harmless if it was never opened. */
void device_close(struct device *device);

/*
 * List every port of every device, or only what PARAMS names, in *FOUND.  Free
 * it with free(3); *N is at least 1.  If one of several cannot be used, its
 * entry says why.  Returns 0, or a negative errno with the reason in ERR when
 * there is no port or the only one cannot be used.
 */
int device_scan(const struct parameters *params, struct found_port **found,
		size_t *n, struct error *err);

/*
 * Allocate a protection domain of DEVICE in *PD: ibv_alloc_pd(3).  Give it back
 * with ibv_dealloc_pd(3).  Returns 0, or a negative errno with the reason and
 * what to do in ERR, and *PD is NULL then.
 */
int pd_alloc(const struct device *device, struct ibv_pd **pd,
	     struct error *err);
