#include "config.h"
#include "report/caveats.h"

#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/numbers.h"
#include "report/counters.h"

/* More than this between two clocks means that one is wrong. */
#define CLOCKS_DIFFER 0.01
/* NTP slews a clock by at most half of this. */
#define KERNEL_DIFFERS 0.001
/* Nobody wonders what took a second. */
#define DRAINED_SECONDS 1
/* Of packets, what may be the difference between two times. */
#define MISSING_PERCENT 0.1
/* A queue that is dry less often has no visible cost. */
#define DRY_PERCENT 1

/* 2.9, 12.3, 100: of what is uncertain, in percent. */
#define DIGITS(percent) ((percent) < 10 ? 2 : 3)

/* A kind of doubt: a row of the table below. */
struct caveat {
	/* How much of it ROW has; above 0, it is said of the worst row. */
	double (*much)(const struct result *r, const struct result_row *row);
	/* One sentence, without a line end: what it is, and what to do. */
	void (*say)(FILE *out, const struct result *r,
		    const struct result_row *row, double much);
	bool of_run;		/* not of one size: ROW is the first */
};

/* perftest's table has a number everywhere: of what there is. */
static bool fills(const struct result *r)
{
	return r->params.perftest || r->params.format == TABLE_PERFTEST;
}

/* VALUE, rounded up to a number that a person would choose. */
static double nice(double value)
{
	static const double steps[] = { 1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8 };
	const double power = pow(10, floor(log10(value)));

	for (size_t i = 0; i < sizeof(steps) / sizeof(*steps); i++)
		if (value <= steps[i] * power * (1 + 1e-9))
			return steps[i] * power;
	return 10 * power;
}

/* The option that makes a run FACTOR times as long as that of ROW was. */
static void print_longer(FILE *out, const struct result *r,
			 const struct result_row *row, double factor)
{
	const struct plan *plan = &r->params.plan;
	const double seconds = row->seconds > 0 ? row->seconds :
						  (double)plan->duration / 1e9;
	const double longest = (double)param_find("duration")->max / 1e9;

	if (plan->iterations)
		fprintf(out, "-n %.0f",
			ceil(nice((double)plan->iterations * factor)));
	else if (seconds * factor > longest)
		fprintf(out, "not even -D %.0f", longest);
	else
		fprintf(out, "-D %.6g", nice(seconds * factor));
}

/* Of the bounds of both clocks' ratio both are on one side. */
static double clocks_differ(const struct result *r,
			    const struct result_row *row)
{
	const double *ratio = r->clock_ratio;

	(void)row;
	return ratio[0] > 1 + CLOCKS_DIFFER ||
	       (ratio[0] > 0 && ratio[1] < 1 - CLOCKS_DIFFER);
}

static void say_clocks(FILE *out, const struct result *r,
		       const struct result_row *row, double much)
{
	const struct clock_description *clocks = r->clocks;

	(void)row, (void)much;
	fprintf(out, "the clocks of both hosts disagree: %.3g s at the server "
		"(%s, kernel: %s) are 1 s at the client (%s, kernel: %s); "
		"'sleep 60' by a watch shows which is wrong; change its "
		"clocksource=",
		sqrt(r->clock_ratio[0] * r->clock_ratio[1]),
		clocks[0].source, clocks[0].kernel, clocks[1].source,
		clocks[1].kernel);
}

/* How far the clock of one end is from its kernel's. */
static double kernel_differs(const struct clock_description *clock)
{
	return clock->source[0] ? fmax(fabs(clock->drift), clock->deviation) :
				  0;
}

static double clock_drifts(const struct result *r, const struct result_row *row)
{
	(void)row;
	return fmax(kernel_differs(&r->clocks[0]),
		    kernel_differs(&r->clocks[1])) - KERNEL_DIFFERS;
}

static void say_drift(FILE *out, const struct result *r,
		      const struct result_row *row, double much)
{
	const bool client = kernel_differs(&r->clocks[1]) >
			    kernel_differs(&r->clocks[0]);
	const struct clock_description *clock = &r->clocks[client];

	(void)row;
	fprintf(out, "the %s's clock (%s) differs from its kernel's by %.2g%%: "
		"%s", client ? "client" : "server", clock->source,
		100 * (much + KERNEL_DIFFERS),
		clock->deviation > KERNEL_DIFFERS ?
			"try --clock monotonic_raw there" :
			"look at what sets the time there (chronyc tracking)");
}

static double is_doubted(const struct result *r, const struct result_row *row)
{
	(void)row;
	return error_is_set(&r->doubt);
}

static void say_doubted(FILE *out, const struct result *r,
			const struct result_row *row, double much)
{
	(void)row, (void)much;
	fprintf(out, "what the other end says cannot be: %s; compare both "
		"hosts' clocks and versions", r->doubt.message);
}

/* Seconds that are missing from half of the time, or beyond those that a busy
 * machine may be late by.  Queues on the way decide when the messages of a
 * receiver come. */
static double mistimed(const struct result *r, const struct result_row *row)
{
	const struct plan *plan = &r->params.plan;
	const double wanted = (double)plan->duration / 1e9;

	if (row->failed || plan->iterations || plan_receiver_measures(plan) ||
	    plan_is_endless(plan))
		return 0;
	if (plan->metric == METRIC_BANDWIDTH && row->seconds < wanted / 2)
		return wanted - row->seconds;
	return row->seconds - wanted - fmax(4, wanted / 2);
}

static void say_mistimed(FILE *out, const struct result *r,
			const struct result_row *row, double much)
{
	(void)much;
	fprintf(out, "measured for %.3g s instead of %.3g s: look at what held "
		"it up", row->seconds,
		(double)r->params.plan.duration / 1e9);
}

/* Whoever watches a flag byte has it copied, if the host cannot read it. */
static const char *copied(const struct result *r)
{
	const struct plan *plan = &r->params.plan;

	if (!plan_is_pingpong(plan) || op_table[plan->op].receives)
		return NULL;
	for (int client = 1; client >= 0; client--)
		if (memory_text_is_copied(r->ends[client].memory))
			return r->ends[client].memory;
	return NULL;
}

static double is_copied(const struct result *r, const struct result_row *row)
{
	(void)row;
	return copied(r) != NULL;
}

static void say_copied(FILE *out, const struct result *r,
		       const struct result_row *row, double much)
{
	(void)row, (void)much;
	fprintf(out, "the latency includes copies: the host cannot read the "
		"memory %s that a message arrives in; send_lat or --imm does "
		"without them", copied(r));
}

/* Of what is in one cache line nothing is missing when the last byte is
 * there. */
static double is_unordered(const struct result *r, const struct result_row *row)
{
	const struct plan *plan = &r->params.plan;

	return plan->relaxed_ordering && plan_is_pingpong(plan) &&
	       !op_table[plan->op].receives && row->size > CACHE_LINE;
}

static void say_unordered(FILE *out, const struct result *r,
			  const struct result_row *row, double much)
{
	(void)r, (void)row, (void)much;
	fputs("with relaxed ordering the last byte, which is waited for, may "
	      "arrive before others: send_lat or --imm waits for all", out);
}

static double drained_of(const struct result *r, const struct result_row *row)
{
	return r->params.plan.metric == METRIC_BANDWIDTH && !row->failed ?
		       row->drain_seconds - DRAINED_SECONDS : 0;
}

static void say_drained(FILE *out, const struct result *r,
			const struct result_row *row, double much)
{
	const double bits = 8 * (double)(row->drained * row->size);

	(void)r, (void)much;
	fprintf(out, "the run went on for %.3g s after its time, for %" PRIu64
		" messages under way, at %.2g Gb/s: a lower --tx-depth ends "
		"sooner, --counters shows what was lost", row->drain_seconds,
		row->drained, bits / row->drain_seconds / 1e9);
}

/* Does the client, or the server, send what the test moves? */
static bool sends_data(const struct plan *plan, bool client)
{
	return plan->bidirectional ||
	       plan_sends(plan, client) != op_table[plan->op].fetches;
}

/* Of the packets that one end sent, the percentage that the other did not
 * receive, as far as drivers count these (rxe).  Each end reads its counters
 * when it can: what the queues hold may be on its way. */
static double missing_from(const struct result *r,
			   const struct result_row *row, bool client)
{
	const struct plan *plan = &r->params.plan;
	const struct counter *sent = counters_find(&row->counters[client],
						   "sent_pkts");
	const struct counter *came = counters_find(&row->counters[!client],
						   "rcvd_pkts");
	const uint64_t packets = sends_data(plan, client) ?
				 row->size / plan->mtu + 1 : 1;
	const uint64_t queued = packets * row->tx_depth * plan->qps;

	if (!sent || !came || !sent->known || !came->known ||
	    came->value + queued >= sent->value)
		return 0;
	return 100 - 100 * (double)came->value / (double)sent->value;
}

static double missing_of(const struct result *r, const struct result_row *row)
{
	return fmax(missing_from(r, row, false), missing_from(r, row, true)) -
	       MISSING_PERCENT;
}

static void say_packets(FILE *out, const struct result *r,
			const struct result_row *row, double much)
{
	const double percent = much + MISSING_PERCENT;
	const bool client = missing_from(r, row, true) >
			    missing_from(r, row, false);

	fprintf(out, "packets did not arrive: %.*g%% of the %s's %s (its "
		"sent_pkts, rcvd_pkts of the other end): look for discards on "
		"the way", DIGITS(percent), percent,
		client ? "client" : "server",
		sends_data(&r->params.plan, client) ? "data" :
		op_table[r->params.plan.op].fetches ? "requests" :
						      "acknowledgements");
}

static double error_of(const struct result *r, const struct result_row *row)
{
	(void)r;
	return row->bandwidth.error_percent - SUMMARY_ERROR_PERCENT;
}

static void say_error(FILE *out, const struct result *r,
		      const struct result_row *row, double much)
{
	const double percent = much + SUMMARY_ERROR_PERCENT;

	fprintf(out, "uncertain by %.*g%%: ", DIGITS(percent), percent);
	print_longer(out, r, row, percent / SUMMARY_ERROR_PERCENT);
	fprintf(out, " brings it below %g%%", SUMMARY_ERROR_PERCENT);
}

static double dry_of(const struct result *r, const struct result_row *row)
{
	(void)r;
	return row->bandwidth.dry_percent - DRY_PERCENT;
}

static void say_dry(FILE *out, const struct result *r,
		    const struct result_row *row, double much)
{
	(void)r;
	fprintf(out, "the send queue ran dry before %.0f%% of completions: "
		"raise --tx-depth%s", much + DRY_PERCENT,
		row->cq_mod > row->tx_depth / 4 ? " or lower --cq-mod" : "");
}

static double trouble_of(const struct result *r, const struct result_row *row)
{
	(void)row;
	return counters_risen(r, COUNTER_TROUBLE, NULL);
}

static void say_trouble(FILE *out, const struct result *r,
			const struct result_row *row, double much)
{
	(void)row, (void)much;
	counters_risen(r, COUNTER_TROUBLE, out);
}

static double congestion_of(const struct result *r,
			    const struct result_row *row)
{
	(void)row;
	return counters_risen(r, COUNTER_CONGESTION, NULL);
}

static void say_congestion(FILE *out, const struct result *r,
			   const struct result_row *row, double much)
{
	(void)row, (void)much;
	counters_risen(r, COUNTER_CONGESTION, out);
}

/* The percentiles that the table has. */
static struct percentiles percentiles_of(const struct result *r)
{
	static const struct percentiles usual = { 2, { 990000, 999000 } };
	const struct percentiles *own = &r->params.percentiles;
	struct percentiles list = usual;

	if (!r->params.plan.control)
		return own->n ? *own : usual;
	for (uint32_t i = 0; i < own->n && list.n < PERCENTILES_MAX; i++)
		if (own->per_million[i] != list.per_million[0] &&
		    own->per_million[i] != list.per_million[1])
			list.per_million[list.n++] = own->per_million[i];
	return list;
}

/* How many times as many samples the percentiles of ROW need; above 0 when some
 * are missing. */
static double missing_samples(const struct result *r,
			      const struct result_row *row)
{
	const uint64_t samples = row->latency.samples;
	const struct percentiles list = percentiles_of(r);
	double most = 0;

	if (row->failed || !samples ||
	    r->params.plan.metric != METRIC_LATENCY)
		return 0;
	for (uint32_t i = 0; i < list.n; i++) {
		uint64_t needed = summary_min_samples(list.per_million[i]);

		if (needed > samples)
			most = fmax(most, (double)needed / (double)samples);
	}
	return most;
}

static void say_missing(FILE *out, const struct result *r,
			const struct result_row *row, double much)
{
	const struct percentiles list = percentiles_of(r);
	char text[PERCENTILE_TEXT_SIZE];
	uint32_t n = 0;

	for (uint32_t i = 0; i < list.n; i++) {
		uint64_t needed = summary_min_samples(list.per_million[i]);

		if (needed > row->latency.samples)
			fprintf(out, "%s%s%% needs %" PRIu64, n++ ? ", " : "",
				units_format_percentile(list.per_million[i],
							text), needed);
	}
	fprintf(out, fills(r) ?
			" samples (here: %" PRIu64 "): " : " samples: ", row->latency.samples);
	print_longer(out, r, row, much);
	fputs(n > 1 ? " gives them" : " gives it", out);
}

/* The length of an interval of ROW, in seconds. */
static double interval_of(const struct result *r, const struct result_row *row)
{
	const uint64_t own = r->params.plan.interval;

	if (own)
		return (double)own / 1e9;
	return row->n_intervals ? row->seconds / row->n_intervals :
				  INTERVALS_SHORTEST / 1e9;
}

/* How many times as long the intervals must be. */
static double peak_error_of(const struct result *r,
			    const struct result_row *row)
{
	(void)r;
	return row->bandwidth.peak_error_percent - SUMMARY_ERROR_PERCENT;
}

static void say_peak_error(FILE *out, const struct result *r,
			   const struct result_row *row, double much)
{
	const double percent = much + SUMMARY_ERROR_PERCENT;
	const double length = nice(interval_of(r, row) * percent /
				       SUMMARY_ERROR_PERCENT);

	fprintf(out, "peak uncertain by %.*g%%: --interval %.6g",
		DIGITS(percent), percent, length);
	if (length * INTERVALS_LEAST > row->seconds) {
		fputs(" with ", out);
		print_longer(out, r, row,
			     length * INTERVALS_LEAST / row->seconds);
	}
	fprintf(out, " brings it below %g%%", SUMMARY_ERROR_PERCENT);
}

/* Has a row no peak although its bandwidth was measured? */
static double lacks_peak(const struct result *r, const struct result_row *row)
{
	return r->params.plan.metric == METRIC_BANDWIDTH && !row->failed &&
	       !row->n_directions && isfinite(row->bandwidth.gbps) &&
	       !isfinite(row->bandwidth.peak_gbps);
}

static void say_no_peak(FILE *out, const struct result *r,
			const struct result_row *row, double much)
{
	const double seconds = INTERVALS_LEAST * interval_of(r, row);

	(void)much;
	fprintf(out, "%s %d intervals of %.3g s: ", fills(r) ?
			"peak is the average, for the best interval needs" :
			"peak and +-95% need",
		INTERVALS_LEAST, seconds / INTERVALS_LEAST);
	/* a busy machine makes some intervals longer than planned */
	print_longer(out, r, row, fmax(1.1 * seconds / row->seconds, 1.5));
	fputs(" gives them", out);
}

static double has_two_directions(const struct result *r,
				 const struct result_row *row)
{
	return r->params.plan.metric == METRIC_BANDWIDTH && !row->failed &&
	       row->n_directions && !fills(r);
}

static void say_two_directions(FILE *out, const struct result *r,
			       const struct result_row *row, double much)
{
	(void)r, (void)row, (void)much;
	fputs("the sum of two directions has no peak and no +-95%: --json has "
	      "them for each direction", out);
}

static double dropped_of(const struct result *r, const struct result_row *row)
{
	return r->params.samples ? (double)row->samples_dropped : 0;
}

static void say_dropped(FILE *out, const struct result *r,
			const struct result_row *row, double much)
{
	(void)much;
	fprintf(out, "%" PRIu64 " samples came too fast for %s; the table has "
		"them", row->samples_dropped, r->params.samples);
}

/* The most doubtful first.  A doubt of both ends' clocks comes before all. */
static const struct caveat caveats[] = {
	{ clocks_differ, say_clocks, true },
	{ clock_drifts, say_drift, true },
	{ is_doubted, say_doubted, true },
	{ mistimed, say_mistimed, false },
	{ is_copied, say_copied, true },
	{ is_unordered, say_unordered, false },
	{ drained_of, say_drained, false },
	{ missing_of, say_packets, false },
	{ error_of, say_error, false },
	{ trouble_of, say_trouble, true },
	{ dry_of, say_dry, false },
	{ congestion_of, say_congestion, true },
	{ missing_samples, say_missing, false },
	{ lacks_peak, say_no_peak, false },
	{ peak_error_of, say_peak_error, false },
	{ dropped_of, say_dropped, false },
	{ has_two_directions, say_two_directions, true },
};

#define N_CAVEATS (sizeof(caveats) / sizeof(*caveats))

/* A caveat that R has, and the row that has most of it. */
struct doubt {
	const struct caveat *caveat;
	const struct result_row *row;
	double much;
};

static struct doubt worst(const struct caveat *c, const struct result *r)
{
	struct doubt found = { .caveat = c };
	const uint32_t rows = c->of_run && r->n_rows ? 1 : r->n_rows;

	for (uint32_t i = 0; i < rows; i++) {
		const double much = c->much(r, &r->rows[i]);

		if (!(much > found.much))
			continue;
		found.much = much;
		found.row = &r->rows[i];
	}
	return found;
}

static uint32_t find(const struct result *r, struct doubt list[N_CAVEATS])
{
	uint32_t n = 0;

	for (size_t i = 0; i < N_CAVEATS; i++) {
		list[n] = worst(&caveats[i], r);
		n += list[n].row != NULL;
	}
	return n;
}

static void say(FILE *out, const struct result *r, const struct doubt *doubt)
{
	if (r->n_rows > 1 && !doubt->caveat->of_run)
		fprintf(out, "size %" PRIu64 ": ", doubt->row->size);
	doubt->caveat->say(out, r, doubt->row, doubt->much);
}

char *caveats_first(const struct result *r)
{
	struct doubt list[N_CAVEATS];
	char *text = NULL;
	size_t size;
	FILE *out = find(r, list) ? open_memstream(&text, &size) : NULL;

	if (!out)
		return NULL;
	say(out, r, &list[0]);
	fclose(out);
	return text;
}

void caveats_print(FILE *out, const struct result *r)
{
	struct doubt list[N_CAVEATS];
	const uint32_t n = find(r, list);
	const uint32_t said = r->params.verbose ? n : n > 0;

	for (uint32_t i = 0; i < said; i++) {
		fputs(" ", out);
		say(out, r, &list[i]);
		if (n > said)
			fprintf(out, " (--verbose: %u more)", n - said);
		fputs("\n", out);
	}
}
