/* Parts of frames (net/frames.h) that are lists: what an end's port counted and
 * its CPUs did, in DONE, and the facts of an end. */
#ifndef NET_FRAME_PARTS_H
#define NET_FRAME_PARTS_H

#include "model/counters.h"
#include "model/cpu_cost.h"
#include "model/facts.h"
#include "net/wire.h"

void done_put_counters(struct cursor *c, const struct counters *counters);

/* Read COUNTERS, for counters_free() in any case, and check every value. */
void done_get_counters(struct cursor *c, struct counters *counters);

void done_put_cpu(struct cursor *c, const struct cpu_cost *cost);

/* Read COST, for cpu_cost_free() in any case, and check every value. */
void done_get_cpu(struct cursor *c, struct cpu_cost *cost);

/* Write FACTS as a list of fields (net/wire.h), one for each that is known. */
void facts_put(struct cursor *c, const struct facts *facts);

/* Read FACTS.  A fact that this version does not know is skipped. */
void facts_get(struct cursor *c, struct facts *facts);

#endif
