/*
 * What the instrument itself costs on this machine: its clock, and its loops
 * on the null provider, which does nothing.  No number here is one of a NIC.
 */
#ifndef TRAFFIC_CALIBRATE_H
#define TRAFFIC_CALIBRATE_H

#include <stdint.h>

#include "stats/histogram.h"
#include "traffic/clock.h"

/* A bandwidth loop: nanoseconds per message, the median of several runs. */
struct calibration_loop {
	const char *name;	/* the options it stands for */
	uint32_t signal_every;
	uint32_t list_length;
	double ns;		/* the loop and the null provider */
	double bare_ns;		/* post, poll and nothing else, on the same */
};

#define CALIBRATION_LOOPS 3

struct calibration {
	struct clock clock;
	double ns_per_tick;
	double deviation;	/* of the clock's rate, as a part of it */
	struct calibration_loop loops[CALIBRATION_LOOPS];
	double sample_ns;	/* the whole iteration of a latency loop */
	struct histogram *samples;	/* what it reports, in ticks, for
					 * operations that take no time */
};

/*
 * Measure for about half a second, with CHOICE's clock.  Returns 0 or a
 * negative errno; calibration_free() it in any case.
 */
int calibrate(enum clock_choice choice, struct calibration *c);

void calibration_free(struct calibration *c);

#endif
