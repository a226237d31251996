/*
 * When things happen, from the environment, read once at open:
 *   FAKE_DELAY    ns from the end of a message's wire time to its completion:
 *                 "2000", or a mix "99%2000,1%50000" in a fixed shuffled
 *                 order, exact in every FAKE_MIX messages of the process
 *   FAKE_GBPS     rate of the one wire that all queue pairs share, and of the
 *                 port: 100, 200 or 400, whichever is the next
 *   FAKE_STEP     ns: time goes by only when something is done, by that much at
 *                 each post, each poll and each reading of the clock, which
 *                 must be CLOCK_MONOTONIC_RAW then: what else the machine does
 *                 changes nothing
 *   FAKE_SAMPLES  a file for what the device itself saw: a line for each
 *                 completion, when its request was posted and when a poll
 *                 took it, ns since the first post
 *   FAKE_PEAK     a file for the most memory the process had resident (KiB)
 * Without delay and rate, everything completes at once.
 */
#define _GNU_SOURCE
#include "counter.h"
#include "fake_nic.h"

#include <dlfcn.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* Percentages have two decimals. */
#define FAKE_MIX 10000
#define SAMPLES_MAX 1000000
#define CALIBRATION_NS 100000000
#define PAIR_ATTEMPTS 32

struct fake_timing fake_timing;

static struct {
	double ticks_per_ns;
	double ticks_per_byte;	/* 0: no limit */
	double wire_free;	/* ticks since open */
	uint64_t delay[FAKE_MIX];	/* ticks */
	uint32_t next_delay;
	uint64_t first_post;	/* ticks since open */
	struct sample {
		uint64_t posted;
		uint64_t taken;
	} *samples;		/* ticks since open */
	uint32_t n_samples;
} timing;

struct pair {
	uint64_t ticks;
	uint64_t ns;
};

/* Of FAKE_STEP. */
static struct {
	uint64_t step;		/* ns; 0: time is the machine's */
	uint64_t ns;
	int (*gettime)(clockid_t id, struct timespec *ts);
} steps;

static uint64_t step(void)
{
	return __atomic_add_fetch(&steps.ns, steps.step, __ATOMIC_RELAXED);
}

static __attribute__((constructor)) void begin_steps(void)
{
	const char *text = getenv("FAKE_STEP");

	*(void **)&steps.gettime = dlsym(RTLD_NEXT, "clock_gettime");
	steps.step = text ? strtoull(text, NULL, 10) : 0;
	steps.ns = 1000000000;
}

/* The program's clock, too. */
int clock_gettime(clockid_t id, struct timespec *ts)
{
	uint64_t now;

	/* a sanitizer asks before constructors have run */
	if (!steps.gettime)
		return (int)syscall(SYS_clock_gettime, id, ts);
	if (!steps.step || id != CLOCK_MONOTONIC_RAW)
		return steps.gettime(id, ts);
	now = step();
	ts->tv_sec = (time_t)(now / 1000000000);
	ts->tv_nsec = (long)(now % 1000000000);
	return 0;
}

static uint64_t ticks(void)
{
	return steps.step ? step() : counter();
}

uint64_t fake_now(void)
{
	return ticks() - fake_timing.start;
}

static uint64_t raw_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC_RAW, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

/* Both clocks at one time: the tightest of several readings. */
static struct pair read_pair(void)
{
	struct pair best = { 0 };
	uint64_t best_gap = UINT64_MAX;

	for (int i = 0; i < PAIR_ATTEMPTS; i++) {
		uint64_t before = counter();
		uint64_t ns = raw_ns();
		uint64_t gap = counter() - before;

		if (gap < best_gap) {
			best_gap = gap;
			best = (struct pair){ before + gap / 2, ns };
		}
	}
	return best;
}

static double measure_rate(void)
{
	const struct timespec pause = { .tv_nsec = CALIBRATION_NS };
	struct pair first = read_pair(), last;

	nanosleep(&pause, NULL);
	last = read_pair();
	return (double)(last.ticks - first.ticks) /
	       (double)(last.ns - first.ns);
}

static __attribute__((noreturn)) void refuse(const char *text)
{
	fprintf(stderr, "fake NIC: FAKE_DELAY=%s: not \"NS\" nor "
		"\"P%%NS,P%%NS\" with a sum of 100%%\n", text);
	exit(1);
}

/* The next "P%NS" or "NS" at *TEXT: ticks into SLOTS; how many. */
static uint32_t read_part(const char **text, uint64_t *slots, uint32_t room)
{
	double percent = 100, ns;
	uint32_t n;
	char *end;

	ns = strtod(*text, &end);
	if (*end == '%') {
		percent = ns;
		ns = strtod(end + 1, &end);
	}
	n = (uint32_t)(percent * FAKE_MIX / 100 + 0.5);
	if (end == *text || n > room || ns < 0)
		refuse(*text);
	for (uint32_t i = 0; i < n; i++)
		slots[i] = (uint64_t)(ns * timing.ticks_per_ns + 0.5);
	*text = *end == ',' ? end + 1 : end;
	return n;
}

/* The same order in every process, so that runs can be compared. */
static void shuffle(uint64_t *slots, uint32_t n)
{
	uint64_t state = 88172645463325252ULL;

	for (uint32_t i = n - 1; i > 0; i--) {
		uint32_t j;
		uint64_t swap;

		state ^= state << 13;
		state ^= state >> 7;
		state ^= state << 17;
		j = (uint32_t)(state % (i + 1));
		swap = slots[i];
		slots[i] = slots[j];
		slots[j] = swap;
	}
}

static void read_delays(const char *text)
{
	const char *rest = text;
	uint32_t n = 0;

	while (*rest && n < FAKE_MIX)
		n += read_part(&rest, &timing.delay[n], FAKE_MIX - n);
	if (*rest || n != FAKE_MIX)
		refuse(text);
	shuffle(timing.delay, FAKE_MIX);
}

/* Touched here, so that no page fault is in a sample. */
static void make_samples(void)
{
	size_t size = SAMPLES_MAX * sizeof(*timing.samples);

	timing.samples = malloc(size);
	if (timing.samples)
		memset(timing.samples, 1, size);
	timing.n_samples = 0;
	timing.first_post = 0;
}

void fake_time_open(void)
{
	const char *delay = getenv("FAKE_DELAY");
	const char *gbps = getenv("FAKE_GBPS");
	double rate = gbps ? strtod(gbps, NULL) : 0;

	fake_timing.on = (delay && strcmp(delay, "0") != 0) || rate > 0 ||
			 fake_fabric();
	if (!fake_timing.on)
		return;
	timing.ticks_per_ns = steps.step ? 1 : measure_rate();
	if (rate > 0)
		timing.ticks_per_byte = 8 / rate * timing.ticks_per_ns;
	if (delay)
		read_delays(delay);
	if (getenv("FAKE_SAMPLES"))
		make_samples();
	timing.wire_free = 0;
	timing.next_delay = 0;
	fake_timing.start = ticks();
}

static double since_first_post(uint64_t ticks)
{
	return (double)(ticks - timing.first_post) / timing.ticks_per_ns;
}

void fake_time_close(void)
{
	const char *path = getenv("FAKE_SAMPLES");
	FILE *file;

	if (!timing.samples || !timing.n_samples || !path)
		return;
	file = fopen(path, "w");
	for (uint32_t i = 0; file && i < timing.n_samples; i++)
		fprintf(file, "%.1f %.1f\n",
			since_first_post(timing.samples[i].posted),
			since_first_post(timing.samples[i].taken));
	if (file)
		fclose(file);
	free(timing.samples);
	timing.samples = NULL;
}

uint64_t fake_due(struct fake_qp *q, uint64_t now, uint32_t length, bool reads)
{
	const uint64_t start = fake_timing.start;
	uint64_t due = now;

	if (!timing.first_post)
		timing.first_post = now;
	if (timing.ticks_per_byte > 0) {
		if (timing.wire_free < (double)now)
			timing.wire_free = (double)now;
		timing.wire_free += length * timing.ticks_per_byte;
		due = (uint64_t)timing.wire_free;
	}
	if (q->route) {
		uint64_t end = fake_fabric_due(q, now + start, length, reads,
					       timing.ticks_per_ns) - start;

		due = end > due ? end : due;
	}
	due += timing.delay[timing.next_delay++];
	if (timing.next_delay == FAKE_MIX)
		timing.next_delay = 0;
	if (due < q->last_due)
		due = q->last_due;
	q->last_due = due;
	return due;
}

uint64_t fake_ns_until(uint64_t due)
{
	const uint64_t now = due ? fake_now() : 0;

	return due > now ? (uint64_t)((double)(due - now) /
				      timing.ticks_per_ns) + 1 : 1;
}

void fake_note(uint64_t posted, uint64_t now)
{
	if (timing.samples && timing.n_samples < SAMPLES_MAX)
		timing.samples[timing.n_samples++] =
			(struct sample){ posted, now };
}

/* The kernel knows the peak until the process is gone, and no longer: what
 * wait4() tells includes the program that this one replaced in exec(). */
static __attribute__((destructor)) void write_peak(void)
{
	const char *path = getenv("FAKE_PEAK");
	FILE *status = path ? fopen("/proc/self/status", "r") : NULL;
	FILE *file = status ? fopen(path, "w") : NULL;
	char line[256];

	while (file && fgets(line, sizeof(line), status))
		if (!strncmp(line, "VmHWM:", 6))
			fputs(line + 6, file);
	if (file)
		fclose(file);
	if (status)
		fclose(status);
}
