/* The report of verbsperf calibrate. */
#include "config.h"
#include "report/report.h"

#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <unistd.h>

#include "base/xalloc.h"
#include "report/json_value.h"

/* The percentiles shown of an operation that takes no time: what a latency loop
 * adds, and how often this machine disturbs it. */
static const struct {
	const char *key;
	const char *heading;
	uint32_t per_million;
} points[] = {
	{ "p50_ns", "median", 500000 },
	{ "p99_ns", "99%", 990000 },
	{ "p99_9_ns", "99.9%", 999000 },
	{ "p99_99_ns", "99.99%", 999900 },
};

/* A thread that had a CPU for less of the time, in percent, or was away for
 * longer at once, in ns, calibrated a busy host. */
#define ON_CPU_PERCENT 90
#define AWAY_NS 1e6

#define N_POINTS (sizeof(points) / sizeof(*points))

static double point_ns(const struct calibration *c, size_t i)
{
	return summary_percentile(c->samples, points[i].per_million,
				  c->ns_per_tick) * 1000;
}

static void print_loops(FILE *out, const struct calibration *c)
{
	fprintf(out, " bandwidth loops, ns per message on the null provider; "
		"-: no more than the bare loop\n"
		"   %-10s %10s %10s %10s %17s\n", "options", "bare loop",
		"verbsperf", "own cost", "95% confidence");
	for (int i = 0; i < CALIBRATION_LOOPS; i++) {
		const struct calibration_loop *loop = &c->loops[i];
		/* of the figures that are shown */
		const double own = round(100 * loop->ns) / 100 -
				   round(100 * loop->bare_ns) / 100;

		fprintf(out, "   %-10s %10.2f %10.2f", loop->name,
			loop->bare_ns, loop->ns);
		if (own < 0)
			fprintf(out, " %10s", "-");
		else
			fprintf(out, " %10.2f", own);
		fprintf(out, " %7.2f to %6.2f\n", loop->own_low_ns,
			loop->own_high_ns);
	}
}

static void print_samples(FILE *out, const struct calibration *c)
{
	fprintf(out, " latency loop, of operations that take no time\n"
		"   own time of each %.1f ns; what it reports of them, in ns:\n"
		"  ", c->sample_ns);
	for (size_t i = 0; i < N_POINTS; i++)
		fprintf(out, " %10s", points[i].heading);
	fprintf(out, " %10s\n  ", "max");
	for (size_t i = 0; i < N_POINTS; i++)
		fprintf(out, " %10.1f", point_ns(c, i));
	fprintf(out, " %10.1f\n", (double)c->samples->max * c->ns_per_tick);
}

/* What disturbed the calibration, and so is in its numbers. */
static void print_busy(FILE *out, const struct calibration *c)
{
	const double away = (double)c->samples->max * c->ns_per_tick;

	if (c->on_cpu_percent < ON_CPU_PERCENT)
		fprintf(out, " This host is busy: the thread had a CPU for only "
			"%.2g%% of the time (taken %" PRIu64 " times); all "
			"numbers are less sure: repeat it on an idle CPU "
			"(--cpus).\n", c->on_cpu_percent, c->taken);
	else if (away > AWAY_NS)
		fprintf(out, " This host was away for %.3g ms at once: a "
			"latency measured here may have such a maximum, too.\n",
			away / 1e6);
}

char *report_calibration_text(const struct calibration *c)
{
	char *text = NULL;
	FILE *out = xmemstream(&text);

	fprintf(out, " calibration: the instrument on this machine, with a "
		"null provider in place of a NIC\n"
		" clock %s: resolution %.3g ns, one read %.3g ns",
		c->clock.source, c->clock.resolution * c->ns_per_tick,
		c->clock.read_cost * c->ns_per_tick);
	if (c->deviation > 0)
		fprintf(out, ", its rate changed by %.3g ppm",
			c->deviation * 1e6);
	fputs("\n", out);
	print_loops(out, c);
	print_samples(out, c);
	fputs(" The median above is what a latency includes of the clock and "
	      "of one poll.\n", out);
	print_busy(out, c);
	fclose(out);
	return text;
}

static json_t *loops(const struct calibration *c)
{
	json_t *array = json_array();

	for (int i = 0; i < CALIBRATION_LOOPS; i++)
		json_add(array,
			 json_pack("{s:s, s:f, s:f, s:f, s:[f, f]}", "options",
				   c->loops[i].name, "message_ns",
				   c->loops[i].ns, "bare_message_ns",
				   c->loops[i].bare_ns, "own_ns",
				   c->loops[i].own_ns, "own_ci95_ns",
				   c->loops[i].own_low_ns,
				   c->loops[i].own_high_ns));
	return array;
}

static json_t *samples(const struct calibration *c)
{
	double tick = c->ns_per_tick;
	json_t *object = json_pack("{s:f, s:o, s:f}", "turn_ns", c->sample_ns,
				   "samples", json_count(c->samples->count),
				   "min_ns", (double)c->samples->min * tick);

	for (size_t i = 0; i < N_POINTS; i++)
		json_put(object, points[i].key, json_real(point_ns(c, i)));
	json_put(object, "max_ns", json_real((double)c->samples->max * tick));
	return object;
}

char *report_calibration_json(const struct calibration *c, const char *title)
{
	const struct clock_description clock =
		clock_describe(&c->clock, c->ns_per_tick, c->deviation);
	char host[PORT_NAME_SIZE] = "";
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	gethostname(host, sizeof(host) - 1);
	return json_to_text(json_pack(
		"{s:s, s:o, s:o, s:o, s:o, s:s, s:o, s:f, s:o, s:o, s:o}",
		"schema",
		"verbsperf-calibration/1", "tool", json_tool(), "started",
		json_time(&now), "title", json_text(title), "hostname",
		json_text(host), "provider", "null", "clock",
		json_clock(&clock), "on_cpu_percent", c->on_cpu_percent,
		"involuntary_switches", json_count(c->taken),
		"bandwidth_loops", loops(c),
		"latency_loop", samples(c)));
}
