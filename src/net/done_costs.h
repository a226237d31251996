/* What an end's port counted and its CPUs did, as fields of DONE
 * (net/frames.h). */
#ifndef NET_DONE_COSTS_H
#define NET_DONE_COSTS_H

#include "model/counters.h"
#include "model/cpu_cost.h"
#include "net/wire.h"

void done_put_counters(struct cursor *c, const struct counters *counters);

/* Read COUNTERS, for counters_free() in any case, from C, a cursor of FRAME,
 * and check every value.  Returns 0, or -EPROTO with the reason in ERR. */
int done_get_counters(const struct frame *frame, struct cursor *c,
		      struct counters *counters, struct error *err);

void done_put_cpu(struct cursor *c, const struct cpu_cost *cost);

/* Read COST, for cpu_cost_free() in any case, from C, a cursor of FRAME, and
 * check every value.  Returns 0, or -EPROTO with the reason in ERR. */
int done_get_cpu(const struct frame *frame, struct cursor *c,
		 struct cpu_cost *cost, struct error *err);

#endif
