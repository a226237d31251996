/* What one end's CPUs did while a message size was measured. */
#pragma once

#include <stdint.h>

/* In place of any time or number below: not known. */
#define CPU_UNKNOWN (1ULL << 60)

/* CPU time and context switches of a thread or a process. */
struct cpu_use {
	uint64_t user_ns;
	uint64_t system_ns;
	uint64_t voluntary;	/* context switches: it waited */
	uint64_t involuntary;	/* something else took its CPU */
};

/* What a thread that ran a loop used. */
struct cpu_thread {
	uint32_t cpu;		/* PLAN_AUTO: not pinned */
	struct cpu_use use;
	uint64_t loop_ns;	/* how long its loop ran between both readings;
				 * 0: not known */
	uint64_t on_cpu_ns;	/* how much of that it had a CPU; a loop that
				 * polls always wants one */
};

struct cpu_cost {
	uint64_t ns;		/* between both readings; 0: none of this is
				 * known */
	struct cpu_use process;	/* with all its threads */
	/* all CPUs of the machine: the time when they were busy, of how much;
	 * both CPU_UNKNOWN or neither */
	uint64_t host_busy_ns;
	uint64_t host_ns;
	uint64_t stolen_ns;	/* of host_ns, a hypervisor ran something else
				 * meanwhile; CPU_UNKNOWN: not known */
	uint64_t interrupts;	/* of the device's vectors */
	uint32_t n_threads;	/* 0: this end ran no loop */
	struct cpu_thread *threads;	/* on the heap, cpu_cost_free() */
};

/* What the cost means; NAN: not known. */
struct cpu_figures {
	double seconds;
	double percent;		/* of one CPU, the whole process */
	double user_percent;	/* of that */
	double host_percent;	/* of all CPUs of the machine */
	double stolen_percent;	/* likewise: taken by a hypervisor */
	double ns_per_message;	/* of the process's CPU time */
	double ns_per_gb;	/* per 10^9 bytes of messages */
};

/* Relate COST to messages of SIZE bytes, RATE of them a second. */
struct cpu_figures cpu_cost_figures(const struct cpu_cost *cost, double rate,
				    uint64_t size);

/* In percent, how much of the time of its loop THREAD had a CPU; NAN: not
 * known. */
double cpu_thread_percent(const struct cpu_thread *thread);

/* Free what COST holds, and make it unknown. */
void cpu_cost_free(struct cpu_cost *cost);
