/*
 * Reads what this end's CPUs did between both edges of the measurement window.
 * The monitor's thread reads it for the threads of the loops, too, because a
 * loop makes no system call; a thread reads for itself only once its loop is
 * over.
 */
#ifndef RUN_CPU_METER_H
#define RUN_CPU_METER_H

#include <stdatomic.h>
#include <stdint.h>

#include "host/cpu_use.h"
#include "model/param.h"

/* The thread of one loop. */
struct cpu_meter_thread {
	_Atomic bool began;	/* task is valid */
	_Atomic bool over;	/* last is valid */
	struct cpu_task task;
	struct cpu_use opened;
	struct cpu_use closed;
	struct cpu_use last;	/* when its loop was over */
};

struct cpu_meter_reading {
	uint64_t at;		/* CLOCK_MONOTONIC; 0: not read */
	struct cpu_use process;
	uint64_t host_busy_ns;
	uint64_t host_ns;
	uint64_t interrupts;
};

struct cpu_meter {
	const char *device;
	struct cpu_meter_reading opened;
	struct cpu_meter_reading closed;
	struct cpu_meter_thread threads[CPUS_MAX];
};

/* Forget what was read.  The calling thread is going to run the first loop;
 * DEVICE is kept by reference. */
void cpu_meter_begin(struct cpu_meter *meter, const char *device);

/* The calling thread is going to run loop NUMBER, or has. */
void cpu_meter_thread_begins(struct cpu_meter *meter, uint32_t number);
void cpu_meter_thread_ends(struct cpu_meter *meter, uint32_t number);

/* Read for the first time, and for the second. */
void cpu_meter_open(struct cpu_meter *meter);
void cpu_meter_close(struct cpu_meter *meter);

/* Describe in COST, for cpu_cost_free(), what was used between the readings:
 * unknown unless there were two.  CPUS are those of the threads. */
void cpu_meter_describe(const struct cpu_meter *meter, const struct cpus *cpus,
			struct cpu_cost *cost);

#endif
