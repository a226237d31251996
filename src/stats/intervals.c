/* A log of intervals of constant size, and the peak, mean and confidence
 * interval of their rates. */
#include "config.h"
#include "stats/intervals.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/xalloc.h"

/* The 97.5% quantile of the normal distribution. */
#define X975 1.959963984540054

void intervals_init(struct interval_log *log, uint32_t max)
{
	max = max < 4 ? 4 : max & ~1U;
	*log = (struct interval_log){
		.marks = xcalloc(max + 1, sizeof(*log->marks)),
		.max = max,
		.every = 1,
	};
}

void intervals_free(struct interval_log *log)
{
	free(log->marks);
	*log = (struct interval_log){ 0 };
}

void intervals_open(struct interval_log *log, struct mark at)
{
	log->marks[0] = at;
	log->n = 1;
	log->every = 1;
	log->skipped = 0;
}

static bool is_full(const struct interval_log *log)
{
	return log->n == log->max + 1;
}

/* Keep every second edge, including the opening, and always the last. */
static void halve(struct interval_log *log)
{
	struct mark last = log->marks[log->n - 1];
	uint32_t kept = 1;

	for (uint32_t i = 2; i < log->n; i += 2)
		log->marks[kept++] = log->marks[i];
	if (log->n % 2 == 0)
		log->marks[kept++] = last;
	log->n = kept;
	log->every *= 2;
}

void intervals_mark(struct interval_log *log, struct mark at)
{
	if (!log->n || at.time <= log->marks[log->n - 1].time)
		return;
	if (++log->skipped < log->every)
		return;
	if (is_full(log)) {
		/* this mark is now half way to the next one to keep */
		halve(log);
		return;
	}
	log->marks[log->n++] = at;
	log->skipped = 0;
}

/* True when the time from the last edge to AT is too short for an interval. */
static bool is_short(const struct interval_log *log, struct mark at)
{
	const struct mark *last = &log->marks[log->n - 1];

	return log->n > 1 &&
	       at.time - last->time < (last->time - last[-1].time) / 2;
}

void intervals_close(struct interval_log *log, struct mark at)
{
	while (log->n > 1 && log->marks[log->n - 1].time >= at.time)
		log->n--;
	if (!log->n || at.time <= log->marks[0].time)
		return;
	if (!is_short(log, at) && is_full(log))
		halve(log);
	if (is_short(log, at))
		log->n--;
	log->marks[log->n++] = at;
}

void intervals_join(struct interval_log *log, uint32_t most)
{
	while (log->n > most + 1 && log->n > 2) {
		struct mark last = log->marks[log->n - 1];

		halve(log);
		log->n--;
		if (is_short(log, last))
			log->n--;
		log->marks[log->n++] = last;
	}
}

struct interval *intervals_get(const struct interval_log *log,
			       double ns_per_unit, uint32_t *n)
{
	struct interval *list;
	uint64_t start = 0;

	*n = log->n > 1 ? log->n - 1 : 0;
	if (!*n)
		return NULL;
	list = xcalloc(*n, sizeof(*list));
	for (uint32_t i = 0; i < *n; i++) {
		const struct mark *end = &log->marks[i + 1];
		uint64_t units = end->time - log->marks[0].time;
		uint64_t ns = (uint64_t)llround((double)units * ns_per_unit);

		list[i] = (struct interval){
			.start_ns = start,
			.length_ns = ns - start,
			.messages = end->messages - end[-1].messages,
		};
		start = ns;
	}
	return list;
}

struct bandwidth_summary interval_bandwidth(const struct interval *interval,
					    uint64_t size)
{
	return summary_bandwidth(interval->messages, size,
				 (double)interval->length_ns / 1e9);
}

/* Cornish-Fisher expansion (Abramowitz and Stegun, 26.7.5). */
double intervals_t975(uint32_t df)
{
	const double x = X975, x2 = x * x, v = df;
	const double g1 = x * (x2 + 1) / 4;
	const double g2 = x * ((5 * x2 + 16) * x2 + 3) / 96;
	const double g3 = x * (((3 * x2 + 19) * x2 + 17) * x2 - 15) / 384;
	const double g4 =
		x * ((((79 * x2 + 776) * x2 + 1482) * x2 - 1920) * x2 - 945) /
		92160;

	return x + (g1 + (g2 + (g3 + g4 / v) / v) / v) / v;
}

void intervals_summarise(const struct interval *intervals, uint32_t n,
			 uint64_t size, struct bandwidth_summary *b)
{
	double gbps, half, sum = 0, mean, squares = 0, peak = NAN, least = NAN;

	b->peak_gbps = b->least_gbps = NAN;
	b->ci95_gbps[0] = b->ci95_gbps[1] = NAN;
	if (n < INTERVALS_LEAST)
		return;
	for (uint32_t i = 0; i < n; i++) {
		gbps = interval_bandwidth(&intervals[i], size).gbps;
		peak = fmax(peak, gbps);
		least = fmin(least, gbps);
		sum += gbps;
	}
	mean = sum / n;
	for (uint32_t i = 0; i < n; i++) {
		gbps = interval_bandwidth(&intervals[i], size).gbps;
		squares += (gbps - mean) * (gbps - mean);
	}
	half = intervals_t975(n - 1) * sqrt(squares / (n - 1) / n);
	b->peak_gbps = peak;
	b->least_gbps = least;
	b->ci95_gbps[0] = mean - half;
	b->ci95_gbps[1] = mean + half;
}
