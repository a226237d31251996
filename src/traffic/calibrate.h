/*
 * The instrument's own cost on this machine: its clock, and its loops on the
 * null provider, which does nothing.  No number here describes a NIC.
 */
#pragma once

#include <stdint.h>

#include "stats/histogram.h"
#include "traffic/clock.h"

/* Cost of a bandwidth loop: ns per message, which a tenth of many runs falls
 * below. */
struct calibration_loop {
	const char *name;	/* command-line options */
	uint32_t signal_every;
	uint32_t list_length;
	double ns;		/* loop plus null provider */
	double bare_ns;		/* null provider, bare posts and polls */
	double own_ns;		/* the difference of both; below 0 it is less
				 * than the runs can tell */
	double own_low_ns;	/* its 95% confidence interval */
	double own_high_ns;
};

#define CALIBRATION_LOOPS 3

struct calibration {
	struct clock clock;
	double ns_per_tick;
	double deviation;	/* of the clock's rate, as a fraction */
	struct calibration_loop loops[CALIBRATION_LOOPS];
	double sample_ns;	/* one iteration of a latency loop: the median
				 * of many runs */
	double on_cpu_percent;	/* of the time, that the thread had a CPU */
	uint64_t taken;		/* how often it lost its CPU to others */
	struct histogram *samples;	/* latencies it reports for operations
					 * that take no time, in ticks */
};

/*
 * Measure for about half a second, with CHOICE's clock.  Returns 0 or a
 * negative errno.  The caller calls calibration_free() in either case.
 */
int calibrate(enum clock_choice choice, struct calibration *c);

void calibration_free(struct calibration *c);
