/* Address handles of UD queue pairs: one per flow label, shared by the queue
 * pairs that use it. */
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
	} list[LABELS_MAX];	/* unique labels */
};

/*
 * Get the address handle for PLAN's queue pair INDEX along PATH; create it in
 * PD if LIST has none with its flow label yet.  AV, unless it is NULL, is what
 * to create it from; of more labels than LIST can hold the last share a handle.
 * LIST owns the handle.  Returns 0, or a negative errno with the reason in ERR.
 */
int addresses_get(struct addresses *list, const struct device *device,
		  struct ibv_pd *pd, const struct plan *plan,
		  const struct path *path, uint32_t index,
		  const struct ibv_ah_attr *av, struct ibv_ah **ah,
		  struct error *err);

/* Destroy all handles; LIST is then empty. */
void addresses_destroy(struct addresses *list);

#endif
