/* Finds the best clock of this machine, and the length of its ticks over a
 * run. */
#include "config.h"
#include "traffic/clock.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/time.h"

#define SHORTEST_SPAN_NS 10000000
#define WATCH_SPAN_NS 100000000
#define PAIR_ATTEMPTS 8
#define COST_READS 256
/* Reads in which a clock of a few ticks in a millisecond takes a step. */
#define STEP_READS (1 << 20)

bool clock_counter_is_steady(const char *cpuinfo)
{
#if defined(__aarch64__)
	(void)cpuinfo;		/* the architecture promises it */
	return true;
#else
	return CLOCK_HAVE_COUNTER && strstr(cpuinfo, " constant_tsc") &&
	       strstr(cpuinfo, " nonstop_tsc");
#endif
}

/* Read the beginning of file PATH into TEXT of SIZE bytes; without the file,
 * TEXT is empty. */
static void read_text(const char *path, char *text, size_t size)
{
	FILE *file = fopen(path, "r");

	text[0] = '\0';
	if (!file)
		return;
	text[fread(text, 1, size - 1, file)] = '\0';
	fclose(file);
}

/* Write the clock source of the kernel into TEXT, "tsc" or "hpet"; empty if it
 * is not known. */
static void kernel_source(char *text, size_t size)
{
	read_text("/sys/devices/system/clocksource/clocksource0/"
		  "current_clocksource", text, size);
	text[strcspn(text, "\n")] = '\0';
}

/* True when the CPU promises a steady counter, or the kernel has verified it
 * and keeps time by it (a virtual CPU may promise nothing). */
static bool counter_usable(void)
{
	char text[8192];

	read_text("/proc/cpuinfo", text, sizeof(text));
	if (clock_counter_is_steady(text))
		return true;
	kernel_source(text, sizeof(text));
	return CLOCK_HAVE_COUNTER && !strcmp(text, "tsc");
}

/* The reading of both clocks with the smallest gap, out of several. */
static struct clock_pair read_pair(const struct clock *c)
{
	struct clock_pair best = { 0 };
	uint64_t best_gap = UINT64_MAX;

	for (int i = 0; i < PAIR_ATTEMPTS; i++) {
		uint64_t before = clock_ticks(c);
		uint64_t ns = clock_raw_ns(), monotonic = time_now();
		uint64_t gap = clock_ticks(c) - before;

		if (gap < best_gap) {
			best_gap = gap;
			best = (struct clock_pair){ before + gap / 2, ns,
						    monotonic, gap };
		}
	}
	return best;
}

static void measure_cost(struct clock *c)
{
	uint64_t first = clock_ticks(c), last = first, step = UINT64_MAX;
	int reads = 0;

	while (reads < COST_READS || (last == first && reads < STEP_READS)) {
		uint64_t now = clock_ticks(c);

		if (now > last && now - last < step)
			step = now - last;
		last = now;
		reads++;
	}
	c->read_cost = (double)(last - first) / reads;
	c->resolution = last == first ? 0 : (double)step;
}

static const char *source_name(bool counter)
{
	if (!counter)
		return "monotonic_raw";
#if defined(__aarch64__)
	return "cntvct";
#else
	return "tsc";
#endif
}

void clock_start(struct clock *c, enum clock_choice choice)
{
	c->counter = CLOCK_HAVE_COUNTER && choice != CLOCK_RAW &&
		     (choice == CLOCK_COUNTER || counter_usable());
	c->source = source_name(c->counter);
	measure_cost(c);
	c->start = read_pair(c);
}

double clock_ns_per_tick(const struct clock *c)
{
	static const struct timespec pause = { .tv_nsec = 1000000 };
	struct clock_pair now;

	if (!c->counter)
		return 1;
	while (clock_raw_ns() - c->start.ns < SHORTEST_SPAN_NS)
		nanosleep(&pause, NULL);
	now = read_pair(c);
	return (double)(now.ns - c->start.ns) /
	       (double)(now.ticks - c->start.ticks);
}

static double drift_of(const struct clock *c)
{
	const struct clock_pair now = read_pair(c);
	const double ns = (double)(now.monotonic - c->start.monotonic);

	/* the ticks are measured by that clock */
	return ns < WATCH_SPAN_NS ? NAN :
				    (double)(now.ns - c->start.ns) / ns - 1;
}

struct clock_description clock_describe(const struct clock *c, double ns,
					double deviation)
{
	struct clock_description clock = {
		.resolution_ns = c->resolution * ns,
		.read_cost_ns = c->read_cost * ns,
		.deviation = deviation,
		.drift = drift_of(c),
	};

	snprintf(clock.source, sizeof(clock.source), "%s", c->source);
	kernel_source(clock.kernel, sizeof(clock.kernel));
	return clock;
}

void clock_watch_begin(struct clock_watch *watch, const struct clock *c)
{
	*watch = (struct clock_watch){
		.last = read_pair(c),
		.deviation = NAN,
	};
}

void clock_watch_compare(struct clock_watch *watch,
			 const struct clock_pair *now)
{
	double ticks = (double)(now->ticks - watch->last.ticks);
	double rate = (double)(now->ns - watch->last.ns) / ticks;
	double error = (double)(now->gap + watch->last.gap) / ticks;
	double change = fabs(rate / watch->rate - 1) - 2 * error;

	if (watch->rate > 0)
		watch->deviation = fmax(fmax(change, 0), watch->deviation);
	watch->last = *now;
	watch->rate = rate;
}

void clock_watch_update(struct clock_watch *watch, const struct clock *c)
{
	struct clock_pair now;

	if (!c->counter || clock_raw_ns() - watch->last.ns < WATCH_SPAN_NS)
		return;
	now = read_pair(c);
	clock_watch_compare(watch, &now);
}
