/* The GPU whose memory an end uses, and the one that it should use. */
#pragma once

#include "base/error.h"
#include "model/facts.h"
#include "model/memory_choice.h"

/* Let CHOICE, if it is automatic, be the GPU to use with the RDMA device
 * DEVICE.  Returns 0, or -ENODEV with the reason in ERR. */
int gpus_choose(struct memory_choice *choice, const char *device,
		struct error *err);

/* Add the facts of the GPU that CHOICE names, and of the one to use with the
 * RDMA device DEVICE. */
void facts_of_gpus(const char *device, const struct memory_choice *choice,
		   struct facts *facts);
