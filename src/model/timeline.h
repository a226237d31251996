/* What else happened at one end while a size was measured. */
#pragma once

#include <stdint.h>

#include "model/counters.h"
#include "stats/intervals.h"

/* Most readings of one; then every second one is left out. */
#define TIMELINE_MAX 64

/* A reading of what keeps a run back; CPU_UNKNOWN: not known. */
struct moment {
	uint64_t ns;		/* since the window opened */
	struct counters counters;	/* of trouble and congestion */
	uint64_t throttled;	/* how often the CPUs were */
	uint64_t process_ns;	/* CPU time of this process */
	uint64_t host_busy_ns;	/* CPU time of the machine, of so much */
	uint64_t host_ns;
};

struct timeline {
	uint32_t n;
	struct moment *list;	/* on the heap, timeline_free() */
};

/* Add a reading, later than all of T, and take what it holds. */
void timeline_add(struct timeline *t, const struct moment *moment);

/* What happened during INTERVAL, between the readings next to its ends, and the
 * same CPU time in all: a line on the heap, or NULL where nothing was read. */
char *timeline_describe(const struct timeline *t,
			const struct interval *interval);

void timeline_free(struct timeline *t);
