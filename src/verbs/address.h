/* The address handles of UD queue pairs: one for each flow label, shared by
 * the queue pairs that have it. */
#ifndef VERBS_ADDRESS_H
#define VERBS_ADDRESS_H

#include <infiniband/verbs.h>
#include <stdint.h>

#include "base/error.h"
#include "base/units.h"
#include "model/plan.h"
#include "model/port.h"
#include "verbs/device.h"

struct addresses {
	uint32_t n;
	struct {
		uint32_t flow_label;
		struct ibv_ah *ah;
	} list[LABELS_MAX];	/* no label twice */
};

/*
 * The address handle of PLAN's queue pair INDEX, along PATH; made, in PD, if
 * there is none with its flow label yet.  Returns 0, or a negative errno, said
 * in ERR.  It remains LIST's.
 */
int addresses_get(struct addresses *list, const struct device *device,
		  struct ibv_pd *pd, const struct plan *plan,
		  const struct path *path, uint32_t index,
		  struct ibv_ah **ah, struct error *err);

/* Release all; LIST is empty then. */
void addresses_destroy(struct addresses *list);

#endif
