/* Protection domains. */
#ifndef VERBS_PD_H
#define VERBS_PD_H

#include <infiniband/verbs.h>

#include "base/error.h"
#include "verbs/device.h"

/*
 * Allocate a protection domain of DEVICE in *PD: ibv_alloc_pd(3).  Give it back
 * with ibv_dealloc_pd(3).  Returns 0, or a negative errno with the reason and
 * what to do in ERR, and *PD is NULL then.
 */
int pd_alloc(const struct device *device, struct ibv_pd **pd,
	     struct error *err);

#endif
