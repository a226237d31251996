/* Keeps what happened at an end during a size, and finds what happened next to
 * an interval. */
#include "config.h"
#include "model/timeline.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/xalloc.h"
#include "model/cpu_cost.h"

void timeline_free(struct timeline *t)
{
	for (uint32_t i = 0; i < t->n; i++)
		counters_free(&t->list[i].counters);
	free(t->list);
	*t = (struct timeline){ 0 };
}

/* Leave out every second reading. */
static void thin(struct timeline *t)
{
	const uint32_t n = t->n;

	t->n = 0;
	for (uint32_t i = 0; i < n; i++)
		if (i % 2)
			counters_free(&t->list[i].counters);
		else
			t->list[t->n++] = t->list[i];
}

void timeline_add(struct timeline *t, const struct moment *moment)
{
	if (!t->list)
		t->list = xcalloc(TIMELINE_MAX, sizeof(*t->list));
	if (t->n == TIMELINE_MAX)
		thin(t);
	t->list[t->n++] = *moment;
}

static uint64_t distance(uint64_t a, uint64_t b)
{
	return a > b ? a - b : b - a;
}

/* The reading of T that is next to NS. */
static const struct moment *next_to(const struct timeline *t, uint64_t ns)
{
	const struct moment *best = t->list;

	for (uint32_t i = 1; i < t->n; i++)
		if (distance(t->list[i].ns, ns) < distance(best->ns, ns))
			best = &t->list[i];
	return best;
}

/* What A and B, ends of a time, have of a part of a whole, in percent; NAN: not
 * known. */
static double percent(uint64_t part_a, uint64_t part_b, uint64_t whole_a,
		      uint64_t whole_b)
{
	if (part_a == CPU_UNKNOWN || part_b == CPU_UNKNOWN ||
	    part_b < part_a || whole_b <= whole_a)
		return NAN;
	return 100 * (double)(part_b - part_a) / (double)(whole_b - whole_a);
}

static double process_percent(const struct moment *a, const struct moment *b)
{
	return percent(a->process_ns, b->process_ns, a->ns, b->ns);
}

static double host_percent(const struct moment *a, const struct moment *b)
{
	return percent(a->host_busy_ns, b->host_busy_ns, a->host_ns,
		       b->host_ns);
}

static void print_counters(FILE *out, const struct moment *a,
			   const struct moment *b)
{
	for (uint32_t i = 0; i < b->counters.n && i < a->counters.n; i++) {
		struct counter rise = counter_rise(&a->counters.list[i],
						   &b->counters.list[i]);

		if (rise.known && rise.value)
			fprintf(out, "%s +%" PRIu64 ", ", rise.name,
				rise.value);
	}
}

char *timeline_describe(const struct timeline *t,
			const struct interval *interval)
{
	const uint64_t end = interval->start_ns + interval->length_ns;
	const struct moment *a, *b, *last;
	char *text = NULL;
	FILE *out;

	if (t->n < 2)
		return NULL;
	a = next_to(t, interval->start_ns);
	b = next_to(t, end);
	last = &t->list[t->n - 1];
	/* they may be further apart than its ends */
	if (a == b && b == last)
		a--;
	else if (a == b)
		b++;
	out = xmemstream(&text);
	print_counters(out, a, b);
	if (a->throttled != CPU_UNKNOWN && b->throttled > a->throttled)
		fprintf(out, "CPUs throttled %" PRIu64 " times, ",
			b->throttled - a->throttled);
	fprintf(out, "this process used %.0f%% of a CPU (%.0f%% in all)",
		process_percent(a, b), process_percent(t->list, last));
	if (isfinite(host_percent(a, b)))
		fprintf(out, ", the CPUs were %.0f%% busy (%.0f%%)",
			host_percent(a, b), host_percent(t->list, last));
	fclose(out);
	return text;
}
