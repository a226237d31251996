/* Finding and opening a device, and reading what it can do. */
#ifndef VERBS_DEVICE_H
#define VERBS_DEVICE_H

#include <infiniband/verbs.h>
#include <stddef.h>

#include "base/error.h"
#include "model/param.h"
#include "model/port.h"

struct device {
	struct ibv_context *context;
	uint32_t pkey_index;	/* of port.pkey */
	struct port port;
};

/*
 * Open the device and port that PARAMS names, or the first with an active
 * port, and read its attributes and GIDs; only for a check may the port not be
 * active, and have no GID at the index asked for.  Returns 0, or a negative
 * errno with, in ERR, what there is instead and what to do.  device_close() it.
 */
int device_open(const struct parameters *params, struct device *device,
		struct error *err);

/* Close DEVICE; one never opened is fine. */
void device_close(struct device *device);

/*
 * Every port of every device (only those PARAMS names, when it names any), in
 * *FOUND, to be freed with free(3), *N at least 1; where one of several cannot
 * be used, why not.  Returns 0, or a negative errno, said in ERR, when there is
 * none or the only one cannot be used.
 */
int device_scan(const struct parameters *params, struct found_port **found,
		size_t *n, struct error *err);

#endif
