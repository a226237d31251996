/*
 * Readings at both edges of the measurement window that are no business of a
 * loop.  The monitor's thread makes them: before it opens the window, and after
 * the window is over.  An end that does not measure, such as one that is
 * written to, has no window of its own; it reads when the other end's window
 * opens and closes, as far as the plan tells.
 */
#ifndef RUN_METER_H
#define RUN_METER_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "run/cpu_meter.h"

struct meter {
	/* ns of CLOCK_MONOTONIC after the first reading, and before the second;
	 * 0: not yet */
	uint64_t opened;
	uint64_t closed;
	struct cpu_meter cpu;
};

/* Forget what was read.  The calling thread is going to run the first loop on
 * DEVICE, which is kept by reference. */
void meter_begin(struct meter *meter, const char *device);

void meter_open(struct meter *meter);

/* Read for the second time, unless that is done or the first was not. */
void meter_close(struct meter *meter);

bool meter_is_open(const struct meter *meter);

/* When METER was opened, by CLOCK_REALTIME; zero if it was not. */
void meter_real_time(const struct meter *meter, struct timespec *when);

#endif
