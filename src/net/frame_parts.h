/* Parts of frames (net/frames.h) that are lists: what an end's port counted and
 * its CPUs did, in DONE, and the facts of an end. */
#ifndef NET_FRAME_PARTS_H
#define NET_FRAME_PARTS_H

#include "model/counters.h"
#include "model/cpu_cost.h"
#include "model/facts.h"
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

/* Write FACTS as a list of fields (net/wire.h), one for each that is known. */
void facts_put(struct cursor *c, const struct facts *facts);

/* Read FACTS from C, a cursor of FRAME.  A fact that this version does not know
 * is skipped.  Returns 0, or -EPROTO with the reason in ERR. */
int facts_get(const struct frame *frame, struct cursor *c, struct facts *facts,
	      struct error *err);

#endif
