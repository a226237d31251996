/*
 * Readings at both edges of the measurement window that are no business of a
 * loop.  The monitor's thread makes them: before it opens the window, and after
 * the window is over.  An end that does not measure, such as one that is
 * written to, has no window of its own; it reads when the other end's window
 * opens and closes, as far as the plan tells.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "host/counters.h"
#include "host/cpu_use.h"
#include "model/param.h"
#include "model/timeline.h"

/* What this end's CPUs did.  The monitor's thread reads it for the threads of
 * the loops, too, because a loop makes no system call; a thread reads for
 * itself only once its loop is over. */

/* The CPU time that a thread had used at a time of CLOCK_MONOTONIC, in ns. */
struct meter_moment {
	uint64_t at;		/* 0: not read */
	uint64_t used;
};

/* The thread of one loop. */
struct meter_thread {
	_Atomic bool began;	/* task is valid */
	_Atomic bool over;	/* last is valid */
	struct cpu_task task;
	struct cpu_use opened;
	struct cpu_use closed;
	struct cpu_use last;	/* when its loop was over */
	/* of its loop and of the window */
	struct meter_moment begins, opens, closes, ends;
};

struct meter_reading {
	uint64_t at;		/* CLOCK_MONOTONIC; 0: not read */
	struct cpu_use process;
	struct machine_use host;
	uint64_t interrupts;
};

struct meter {
	const char *device;
	/* ns of CLOCK_MONOTONIC after the first reading, and before the second;
	 * 0: not yet */
	uint64_t opened;
	uint64_t closed;
	struct meter_reading first, second;
	struct meter_thread threads[CPUS_MAX];
	struct timeline timeline;	/* of the client; freed by the caller */
};

/* The calling thread is going to run loop NUMBER, or has. */
void meter_thread_begins(struct meter *meter, uint32_t number);
void meter_thread_ends(struct meter *meter, uint32_t number);

/* Describe in COST, for cpu_cost_free(), what was used between the readings:
 * unknown unless there were two.  CPUS are those of the threads. */
void meter_describe(const struct meter *meter, const struct cpus *cpus,
		    struct cpu_cost *cost);

/* Forget what was read.  The calling thread is going to run the first loop on
 * DEVICE, which is kept by reference. */
void meter_begin(struct meter *meter, const char *device);

void meter_open(struct meter *meter);

/* Read for the second time, unless that is done or the first was not. */
void meter_close(struct meter *meter);

/* Read what else happens, COUNTERS among it, in between. */
void meter_glance(struct meter *meter, const struct counter_reader *counters);

bool meter_is_open(const struct meter *meter);

/* When METER was opened, by CLOCK_REALTIME; zero if it was not. */
void meter_real_time(const struct meter *meter, struct timespec *when);
