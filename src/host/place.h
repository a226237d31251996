/* What the options of an end leave to the program, once its device is known. */
#pragma once

#include "base/error.h"
#include "model/param.h"
#include "verbs/device.h"

/*
 * Choose, near DEVICE, what PARAMS leave open: the NUMA node (numa_place()),
 * the GPU of --memory=cuda:auto, and the driver's inline receive.  Call before
 * allocating memory.  Returns 0, or a negative errno, set in ERR.
 */
int place_end(struct parameters *params, struct device *device,
	      struct error *err);

/* The parts of place_end() in files of their own; numa_place() is in
 * host/affinity.h. */

/* Let CHOICE, if it is automatic, be the GPU to use with the RDMA device
 * DEVICE.  Returns 0, or -ENODEV with the reason in ERR. */
int gpus_choose(struct memory_choice *choice, const char *device,
		struct error *err);

/*
 * Tell the driver of DEVICE what PARAMS say, before this process makes queues
 * or starts threads; params->inline_recv becomes what it was told.  Returns 0,
 * or a negative errno with the reason in ERR.
 */
int inline_receive_choose(struct parameters *params, const char *device,
			  struct error *err);
