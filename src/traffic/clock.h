/*
 * The instrument's clock.  Loops record ticks.  After the run, ticks become
 * nanoseconds by the ratio measured over the run itself, so nothing waits for
 * a calibration and nothing trusts a nominal frequency.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#if defined(__x86_64__) || defined(__i386__)
#define CLOCK_HAVE_COUNTER 1
#elif defined(__aarch64__)
#define CLOCK_HAVE_COUNTER 1
#else
#define CLOCK_HAVE_COUNTER 0
#endif

enum clock_choice { CLOCK_AUTO, CLOCK_COUNTER, CLOCK_RAW };

/* Ticks and nanoseconds of the kernel's clock, read together. */
struct clock_pair {
	uint64_t ticks;
	uint64_t ns;
	uint64_t monotonic;	/* ns of CLOCK_MONOTONIC */
	uint64_t gap;		/* ticks the reading took; error is half */
};

/* Compares a counter's rate with the kernel's clock throughout a run. */
struct clock_watch {
	struct clock_pair last;
	double rate;		/* ns per tick up to last; 0: unknown */
	double deviation;	/* largest change of the rate beyond reading
				 * error, as a fraction; NAN until two rates
				 * are known */
};

struct clock {
	bool counter;		/* the CPU's counter, not clock_gettime() */
	const char *source;	/* "tsc", "cntvct" or "monotonic_raw" */
	double resolution;	/* smallest step seen, in ticks */
	double read_cost;	/* one read, in ticks */
	struct clock_pair start;
};

/* CLOCK_MONOTONIC_RAW in nanoseconds. */
static inline uint64_t clock_raw_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC_RAW, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

/* The CPU's counter; 0 on an architecture without a known one. */
static inline uint64_t clock_counter(void)
{
#if defined(__x86_64__) || defined(__i386__)
	/* what __rdtsc() is, without the half second that x86intrin.h takes */
	return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
	uint64_t ticks;

	/* without a barrier it may be read before what comes before it */
	__asm__ volatile("isb\n\tmrs %0, cntvct_el0"
			 : "=r"(ticks) : : "memory");
	return ticks;
#else
	return 0;
#endif
}

/* Now, in ticks of C. */
static inline uint64_t clock_ticks(const struct clock *c)
{
	if (__builtin_expect(c->counter, 1))
		return clock_counter();
	return clock_raw_ns();
}

/*
 * True when CPUINFO, the text of /proc/cpuinfo, promises that the counter
 * neither changes its rate nor stops: constant_tsc and nonstop_tsc.  On aarch64
 * always true, as the architecture promises it.
 */
bool clock_counter_is_steady(const char *cpuinfo);

/*
 * Choose the source, measure its resolution and cost (takes some 50 us) and
 * record the start time for clock_ns_per_tick().  CLOCK_COUNTER means
 * CLOCK_RAW on an architecture without a known counter.
 */
void clock_start(struct clock *c, enum clock_choice choice);

/* Begin to watch C. */
void clock_watch_begin(struct clock_watch *watch, const struct clock *c);

/* Compare rates, unless the last comparison was less than 100 ms ago. */
void clock_watch_update(struct clock_watch *watch, const struct clock *c);

/* Compare rates, with NOW as the reading. */
void clock_watch_compare(struct clock_watch *watch,
			 const struct clock_pair *now);

/*
 * Nanoseconds per tick, measured since clock_start().  Waits until at least
 * 10 ms have passed.
 */
double clock_ns_per_tick(const struct clock *c);

/* What reports say of a clock, in ns; NAN if the end that has it did not
 * measure it. */
struct clock_description {
	char source[16];
	double resolution_ns;
	double read_cost_ns;
	double deviation;	/* largest change of rate, as a fraction; NAN:
				 * too few readings */
	double drift;		/* how much faster it went since clock_start()
				 * than CLOCK_MONOTONIC, which NTP may slew by
				 * at most 0.0005, as a fraction; NAN: not
				 * known, as in the first 100 ms */
	char kernel[32];	/* what the kernel's clocks count by; empty: not
				 * known */
};

/* Describe C, whose ticks are NS long and whose rate changed by DEVIATION. */
struct clock_description clock_describe(const struct clock *c, double ns,
					double deviation);
