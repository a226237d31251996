/* What was asked for as a rate, and what came of it. */
#ifndef MODEL_LOAD_H
#define MODEL_LOAD_H

#include <stdbool.h>
#include <stdint.h>

#include "model/plan.h"

struct load {
	double requested_mpps;	/* NAN: no rate was asked for */
	double achieved_mpps;	/* NAN: nothing was measured */
	uint64_t late;		/* operations of an open loop that began more
				 * than a mean interval after they were to */
	bool saturated;		/* see load_summarise() */
};

/*
 * Of COUNTED messages of SIZE bytes in SECONDS, of which LATE began late.
 *
 * Saturated is what did less than 99% of what was asked for; in a bandwidth
 * test a burst of each thread may be missing, as their windows do not end all
 * at once.  An open loop is saturated only if also most operations began late:
 * that tells it from Poisson arrivals of which there were by chance fewer, and
 * from a device that stood still once.
 */
struct load load_summarise(const struct plan *plan, uint64_t size,
			   uint64_t counted, double seconds, uint64_t late);

#endif
