/* How much CPU time this process, its threads and the whole machine used, and
 * how often a device interrupted it. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

#include "model/cpu_cost.h"

/* A thread of this process, whose use another thread reads. */
struct cpu_task {
	pid_t id;		/* 0: there is none yet */
	clockid_t clock;	/* of its CPU time */
};

/* What this process used since it began, counted as by getrusage(2). */
struct cpu_use cpu_use_process(void);

/* What the calling thread used since it began. */
struct cpu_use cpu_use_thread(void);

/* The calling thread, for cpu_use_task() in another thread. */
struct cpu_task cpu_task_self(void);

/*
 * Read what TASK, which need not be the caller, used since it began.  The
 * kernel tells the system time only to 1/100 s; it is 0 if not told.  Both
 * times are CPU_UNKNOWN if the task is over.
 */
struct cpu_use cpu_use_task(const struct cpu_task *task);

/* What was used from BEFORE to AFTER, two readings of the same; CPU_UNKNOWN
 * where either is. */
struct cpu_use cpu_use_between(const struct cpu_use *before,
			       const struct cpu_use *after);

/* The time since the machine began, in ns, summed over its CPUs; all are
 * CPU_UNKNOWN if the machine does not say. */
struct machine_use {
	uint64_t all_ns;
	uint64_t busy_ns;	/* a CPU had something to do, or was stolen */
	uint64_t stolen_ns;	/* a hypervisor ran something else */
};

struct machine_use cpu_use_machine(void);

/* How often CPUs were throttled, because they were too hot, since the machine
 * began; CPU_UNKNOWN if it does not say. */
uint64_t cpu_throttles(void);

/*
 * Interrupts since the machine began, of all vectors that the PCI function of
 * DEVICE ("mlx5_0") has, on all CPUs; its Ethernet port uses some of them.
 * CPU_UNKNOWN (model/cpu_cost.h) for a device without vectors, such as a
 * software device, and where the kernel does not tell.
 */
uint64_t interrupts_of(const char *device);
