/* The rate that was requested, and the rate that was achieved. */
#ifndef MODEL_LOAD_H
#define MODEL_LOAD_H

#include <stdbool.h>
#include <stdint.h>

#include "model/plan.h"

struct load {
	double requested_mpps;	/* NAN: no rate requested */
	double achieved_mpps;	/* NAN: nothing measured */
	uint64_t late;		/* open loop: operations that began more than a
				 * mean interval late */
	bool saturated;		/* see load_summarise() */
};

/*
 * Summarise a run that counted COUNTED messages of SIZE bytes in SECONDS; LATE
 * of them began late.
 *
 * The load is saturated if less than 99% of the requested rate was achieved.  A
 * bandwidth test may lack one burst per thread, because the threads' windows do
 * not all end together.  An open loop is saturated only if, in addition, most
 * operations began late: that rules out Poisson arrivals that happened to be
 * fewer, and a device that stalled once.
 */
struct load load_summarise(const struct plan *plan, uint64_t size,
			   uint64_t counted, double seconds, uint64_t late);

#endif
