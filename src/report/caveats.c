#include "config.h"
#include "report/parts.h"

#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>

#include "base/numbers.h"
#include "base/xalloc.h"

/* More than this between two clocks means that one is wrong. */
#define CLOCKS_DIFFER 0.01
/* NTP slews a clock by at most half of this. */
#define KERNEL_DIFFERS 0.001
/* A run that drains for longer is worth a caveat, in seconds. */
#define DRAINED_SECONDS 1
/* Less than this percentage of packets that did not arrive is no caveat. */
#define MISSING_PERCENT 0.1
/* How much later than the other end one may read its counters, in ns. */
#define READING_LATE 20e6
/* A queue that is dry less often has no visible cost. */
#define DRY_PERCENT 1

/* Digits of an uncertain percentage: 2.9, 12.3, 100. */
#define DIGITS(percent) ((percent) < 10 ? 2 : 3)

/* What a caveat is about, and where its sentence goes. */
struct subject {
	const struct result *r;
	const struct plan *plan;
	const struct result_row *row;
	FILE *out;
};

/* A kind of caveat: returns how serious it is.  Above 0, it has written one
 * sentence without a line end: what is doubtful, and what to do. */
typedef double caveat_fn(const struct subject *s);

/* True for perftest's table, which has a number everywhere, however few samples
 * there are. */
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

/* The option that makes a run FACTOR times as long as this one was. */
static void print_longer(const struct subject *s, double factor)
{
	const double seconds = s->row->total.seconds > 0 ?
				       s->row->total.seconds :
				       (double)s->plan->duration / 1e9;
	const double longest = (double)param_find("duration")->max / 1e9;

	if (s->plan->iterations)
		fprintf(s->out, "-n %.0f",
			ceil(nice((double)s->plan->iterations * factor)));
	else if (seconds * factor > longest)
		fprintf(s->out, "not even -D %.0f", longest);
	else
		fprintf(s->out, "-D %.6g", nice(seconds * factor));
}

/* Both bounds of the clocks' ratio are on one side. */
static double clocks_differ(const struct subject *s)
{
	const double *ratio = s->r->clock_ratio;
	const struct clock_description *clocks = s->r->clocks;

	if (ratio[0] <= 1 + CLOCKS_DIFFER &&
	    (ratio[0] <= 0 || ratio[1] >= 1 - CLOCKS_DIFFER))
		return 0;
	fprintf(s->out, "the clocks of both hosts disagree: %.3g s at the "
		"server (%s, kernel: %s) are 1 s at the client (%s, kernel: "
		"%s); 'sleep 60' by a watch shows which is wrong; change its "
		"clocksource=", sqrt(ratio[0] * ratio[1]), clocks[0].source,
		clocks[0].kernel, clocks[1].source, clocks[1].kernel);
	return 1;
}

/* How far the clock of one end is from its kernel's. */
static double kernel_differs(const struct clock_description *clock)
{
	return clock->source[0] ? fmax(fabs(clock->drift), clock->deviation) :
				  0;
}

static double clock_drifts(const struct subject *s)
{
	const struct clock_description *clocks = s->r->clocks;
	const bool client = kernel_differs(&clocks[1]) >
			    kernel_differs(&clocks[0]);
	const double most = kernel_differs(&clocks[client]);

	if (most <= KERNEL_DIFFERS)
		return 0;
	fprintf(s->out, "the %s's clock (%s) differs from its kernel's by "
		"%.*g%%: %s", client ? "client" : "server",
		clocks[client].source, DIGITS(100 * most), 100 * most,
		clocks[client].deviation > KERNEL_DIFFERS ?
			"try --clock monotonic_raw there" :
			"look at what sets the time there (chronyc tracking)");
	return most;
}

static double is_doubted(const struct subject *s)
{
	const struct error *what = &s->r->implausible;

	if (!error_is_set(what))
		return 0;
	fprintf(s->out, "what the other end says cannot be: %s; compare both "
		"hosts' clocks and versions",
		s->r->params.verbose && what->detail[0] ? what->detail :
							  what->message);
	return 1;
}

/* Seconds that are missing from half of the time, or beyond those that a busy
 * machine may be late by.  Queues on the way decide when a receiver's messages
 * arrive. */
static double mistimed(const struct subject *s)
{
	const double wanted = (double)s->plan->duration / 1e9;
	const double seconds = s->row->total.seconds;
	double much = seconds - wanted - fmax(4, wanted / 2);

	if (s->row->failed || s->plan->iterations ||
	    plan_receiver_measures(s->plan) || plan_is_endless(s->plan))
		return 0;
	if (s->plan->metric == METRIC_BANDWIDTH && seconds < wanted / 2)
		much = wanted - seconds;
	if (much > 0)
		fprintf(s->out, "measured for %.3g s instead of %.3g s: look "
			"at what held it up", seconds, wanted);
	return much;
}

/* A loop that polls the last byte has it copied if the host cannot read it. */
static double is_copied(const struct subject *s)
{
	if (!plan_waits_for_memory(s->plan))
		return 0;
	for (int client = 1; client >= 0; client--) {
		const char *memory = s->r->ends[client].memory;

		if (!memory_text_is_copied(memory))
			continue;
		fprintf(s->out, "the latency includes copies: the host cannot "
			"read the memory %s that a message arrives in; "
			"send_lat or --imm does without them", memory);
		return 1;
	}
	return 0;
}

/* The bytes of one cache line arrive together: no byte is missing once the last
 * one is there. */
static double is_unordered(const struct subject *s)
{
	const bool relaxed = s->plan->relaxed_ordering;

	if ((!relaxed && !s->r->may_reorder) ||
	    !plan_waits_for_memory(s->plan) || s->row->size <= CACHE_LINE)
		return 0;
	fprintf(s->out, "%s the last byte, which is waited for, may arrive "
		"before others: --poll completion waits for all", relaxed ?
		"with relaxed ordering" : "this device does not promise order:");
	return 1;
}

static double drained(const struct subject *s)
{
	const struct result_row *row = s->row;
	const double bits = 8 * (double)(row->drained * row->size);

	if (s->plan->metric != METRIC_BANDWIDTH || row->failed ||
	    !(row->drain_seconds > DRAINED_SECONDS))
		return 0;
	fprintf(s->out, "the run went on for %.3g s after its time, for "
		"%" PRIu64 " messages under way, at %.2g Gb/s: a lower "
		"--tx-depth ends sooner, --counters shows what was lost",
		row->drain_seconds, row->drained,
		bits / row->drain_seconds / 1e9);
	return row->drain_seconds;
}

/* Does the client, or the server, send what the test moves? */
static bool sends_data(const struct plan *plan, bool client)
{
	return plan->bidirectional ||
	       plan_sends(plan, client) != op_table[plan->op].fetches;
}

/* The percentage of the packets that one end sent and the other did not
 * receive, as far as drivers count them (rxe).  Each end reads its counters
 * when it can: packets in the queues may be on their way, and as many as go by
 * until the other end reads. */
static double missing_from(const struct subject *s, bool client)
{
	const struct result_row *row = s->row;
	const struct counter *sent = counters_find(&row->at[client].counters,
						   "sent_pkts");
	const struct counter *came = counters_find(&row->at[!client].counters,
						   "rcvd_pkts");
	const uint64_t packets = sends_data(s->plan, client) ?
				 row->size / s->plan->mtu + 1 : 1;
	const uint64_t queued = packets * row->tx_depth * s->plan->qps;
	const double ns = (double)row->at[client].counters.ns;

	if (!sent || !came || !sent->known || !came->known ||
	    counters_are_shared(s->r) ||
	    (double)(came->value + queued) >=
		    (double)sent->value * (1 - READING_LATE / ns))
		return 0;
	return 100 - 100 * (double)came->value / (double)sent->value;
}

static double packets_missing(const struct subject *s)
{
	const bool client = missing_from(s, true) > missing_from(s, false);
	const double percent = missing_from(s, client);

	if (percent <= MISSING_PERCENT)
		return 0;
	fprintf(s->out, "packets did not arrive: %.*g%% of the %s's %s (its "
		"sent_pkts, rcvd_pkts of the other end): look for discards on "
		"the way", DIGITS(percent), percent,
		client ? "client" : "server",
		sends_data(s->plan, client) ? "data" :
		op_table[s->plan->op].fetches ? "requests" :
						"acknowledgements");
	return percent;
}

static double is_uncertain(const struct subject *s)
{
	const double percent = s->row->total.bandwidth.error_percent;

	if (!(percent > SUMMARY_ERROR_PERCENT))
		return 0;
	fprintf(s->out, "uncertain by %.*g%%: ", DIGITS(percent), percent);
	print_longer(s, percent / SUMMARY_ERROR_PERCENT);
	fprintf(s->out, " brings it below %g%%", SUMMARY_ERROR_PERCENT);
	return percent;
}

static double ran_dry(const struct subject *s)
{
	const double percent = s->row->total.bandwidth.dry_percent;

	if (!(percent > DRY_PERCENT))
		return 0;
	fprintf(s->out, "the send queue ran dry before %.0f%% of completions: "
		"raise --tx-depth%s", percent,
		s->row->cq_mod > s->row->tx_depth / 4 ?
			" or lower --cq-mod" : "");
	return percent;
}

static double trouble(const struct subject *s)
{
	return counters_risen(s->r, COUNTER_TROUBLE, s->out);
}

static double congestion(const struct subject *s)
{
	return counters_risen(s->r, COUNTER_CONGESTION, s->out);
}

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

/* How many times as many samples are needed. */
static double samples_missing(const struct subject *s)
{
	const struct percentiles list = percentiles_of(s->r);
	const uint64_t samples = s->row->latency.samples;
	char text[PERCENTILE_TEXT_SIZE];
	double most = 0;
	uint32_t n = 0;

	/* perftest's table of a timed run has no percentile */
	if (s->row->failed || !samples || !plan_has_latency(s->plan) ||
	    (s->r->params.perftest && s->r->params.timed))
		return 0;
	for (uint32_t i = 0; i < list.n; i++) {
		uint64_t needed = summary_min_samples(list.per_million[i]);

		if (needed <= samples)
			continue;
		most = fmax(most, (double)needed / (double)samples);
		fprintf(s->out, "%s%s%% needs %" PRIu64, n++ ? ", " : "",
			units_format_percentile(list.per_million[i], text),
			needed);
	}
	if (!n)
		return 0;
	fputs(" samples", s->out);
	if (fills(s->r))
		fprintf(s->out, " (here: %" PRIu64 ")", samples);
	fputs(": ", s->out);
	print_longer(s, most);
	fputs(n > 1 ? " gives them" : " gives it", s->out);
	return most;
}

/* The length of an interval, in seconds. */
static double interval_of(const struct subject *s)
{
	const struct result_direction *d = &s->row->total;

	if (s->plan->interval)
		return (double)s->plan->interval / 1e9;
	return d->n_intervals ? d->seconds / d->n_intervals :
				INTERVALS_SHORTEST / 1e9;
}

static double peak_is_uncertain(const struct subject *s)
{
	const double percent = s->row->total.bandwidth.peak_error_percent;
	const double seconds = s->row->total.seconds;
	double length;

	if (!(percent > SUMMARY_ERROR_PERCENT))
		return 0;
	length = nice(interval_of(s) * percent / SUMMARY_ERROR_PERCENT);
	fprintf(s->out, "peak uncertain by %.*g%%: ", DIGITS(percent), percent);
	/* perftest has no such option: an interval is a part of the time */
	if (s->r->params.perftest)
		print_longer(s, length * INTERVALS_USUAL / seconds);
	else
		fprintf(s->out, "--interval %.6g", length);
	if (!s->r->params.perftest && length * INTERVALS_LEAST > seconds) {
		fputs(" with ", s->out);
		print_longer(s, length * INTERVALS_LEAST / seconds);
	}
	fprintf(s->out, " brings it below %g%%", SUMMARY_ERROR_PERCENT);
	return percent;
}

static double lacks_peak(const struct subject *s)
{
	const struct bandwidth_summary *b = &s->row->total.bandwidth;
	const double seconds = s->row->total.seconds;
	const double message = seconds / (double)s->row->total.iterations;
	double length = interval_of(s);

	if (s->plan->metric != METRIC_BANDWIDTH || s->row->failed ||
	    s->row->n_directions || !isfinite(b->gbps) ||
	    isfinite(b->peak_gbps))
		return 0;
	/* an interval ends with a message */
	length = fmax(length, ceil(length / message) * message);
	fprintf(s->out, "%s %d intervals of %.3g s: ", fills(s->r) ?
			"the peak is the average; one of its own needs" :
			"peak and +-95% need",
		INTERVALS_LEAST, length);
	/* a busy machine makes some intervals longer than planned */
	print_longer(s, fmax(1.1 * INTERVALS_LEAST * length / seconds, 1.5));
	fputs(" gives them", s->out);
	return 1;
}

static double samples_dropped(const struct subject *s)
{
	if (!s->r->params.samples || !s->row->samples_dropped)
		return 0;
	fprintf(s->out, "%" PRIu64 " samples came too fast for %s; the table "
		"has them", s->row->samples_dropped, s->r->params.samples);
	return (double)s->row->samples_dropped;
}

static double has_two_directions(const struct subject *s)
{
	if (s->plan->metric != METRIC_BANDWIDTH || s->row->failed ||
	    !s->row->n_directions || fills(s->r))
		return 0;
	fputs("the sum of two directions has no peak and no +-95%: --json has "
	      "them for each direction", s->out);
	return 1;
}

/* The most serious first.  That the clocks of both ends differ comes before
 * all. */
static const struct {
	caveat_fn *find;
	bool of_run;		/* not of one size */
} caveats[] = {
	{ clocks_differ, true },
	{ clock_drifts, true },
	{ is_doubted, true },
	{ mistimed, false },
	{ is_copied, true },
	{ is_unordered, false },
	{ drained, false },
	{ packets_missing, false },
	{ is_uncertain, false },
	{ trouble, true },
	{ ran_dry, false },
	{ congestion, true },
	{ samples_missing, false },
	{ lacks_peak, false },
	{ peak_is_uncertain, false },
	{ samples_dropped, false },
	{ has_two_directions, true },
};

#define N_CAVEATS (sizeof(caveats) / sizeof(*caveats))

/* The sentence of CAVEAT about ROW, and how serious it is; NULL: none. */
static char *sentence(size_t caveat, const struct result *r,
		      const struct result_row *row, double *much)
{
	struct subject s = { .r = r, .plan = &r->params.plan, .row = row };
	char *text = NULL;

	s.out = xmemstream(&text);
	if (r->n_rows > 1 && !caveats[caveat].of_run)
		fprintf(s.out, "size %" PRIu64 ": ", row->size);
	*much = caveats[caveat].find(&s);
	fclose(s.out);
	if (*much > 0)
		return text;
	free(text);
	return NULL;
}

/* The sentence about the row for which CAVEAT is most serious; NULL: none. */
static char *worst(size_t caveat, const struct result *r)
{
	const uint32_t rows = caveats[caveat].of_run && r->n_rows ? 1 :
								    r->n_rows;
	char *found = NULL;
	double most = 0, much;

	for (uint32_t i = 0; i < rows; i++) {
		char *text = sentence(caveat, r, &r->rows[i], &much);

		if (text && much > most) {
			free(found);
			found = text;
			most = much;
		} else {
			free(text);
		}
	}
	return found;
}

char *caveats_first(const struct result *r)
{
	char *text = NULL;

	for (size_t i = 0; i < N_CAVEATS && !text; i++)
		text = worst(i, r);
	return text;
}

void caveats_print(FILE *out, const struct result *r)
{
	char *list[N_CAVEATS];
	uint32_t n = 0, said;

	for (size_t i = 0; i < N_CAVEATS; i++) {
		list[n] = worst(i, r);
		n += list[n] != NULL;
	}
	said = r->params.verbose ? n : n > 0;
	for (uint32_t i = 0; i < said; i++) {
		fprintf(out, " %s", list[i]);
		if (n > said)
			fprintf(out, " (--verbose: %u more)", n - said);
		fputs("\n", out);
	}
	for (uint32_t i = 0; i < n; i++)
		free(list[i]);
}
