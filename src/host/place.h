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
