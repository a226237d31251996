/* The doubts about a result: one line each, the worst first. */
#include "config.h"
#include "report/parts.h"

#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/numbers.h"
#include "base/xalloc.h"
#include "model/limit.h"
#include "report/longer.h"

/* More than this between two clocks means that one is wrong. */
#define CLOCKS_DIFFER 0.01
/* Bounds that are further apart have no middle to be told. */
#define WIDE_RATIO 1.5
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

/* A thread that had a CPU for less of the time, in percent, measured less than
 * the device can do.  What the system itself needs takes a percent or two. */
#define ON_CPU_PERCENT 90
/* A thread that lacked a CPU for less was taken off once or not at all, and the
 * readings are not better than that, in ns. */
#define LACKED_LEAST 2e6
/* Stalls that make a mean this many times as high as the median, of which one
 * is longer than this, in us. */
#define STALLED_MEAN 1.3
#define STALLED_US 1000

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

/* Both bounds of the clocks' ratio are on one side. */
static double clocks_differ(const struct subject *s)
{
	const double *ratio = s->r->clock_ratio;
	const struct clock_description *clocks = s->r->clocks;
	const bool wide = ratio[1] > ratio[0] * WIDE_RATIO;
	const bool fast = ratio[0] > 1;

	if (ratio[0] <= 1 + CLOCKS_DIFFER &&
	    (ratio[0] <= 0 || ratio[1] >= 1 - CLOCKS_DIFFER))
		return 0;
	fprintf(s->out, "the clocks of both hosts disagree: %s%.3g s at the "
		"server (%s, kernel: %s) are 1 s at the client (%s, kernel: "
		"%s); 'sleep 60' by a watch shows which is wrong; change its "
		"clocksource=", !wide ? "" : fast ? "at least " : "at most ",
		!wide ? sqrt(ratio[0] * ratio[1]) : ratio[!fast],
		clocks[0].source,
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

/* For how long THREAD wanted a CPU and had none, in ns; 0: for too short a time
 * to say so. */
static double lacked(const struct cpu_thread *thread)
{
	const double ns = (double)thread->loop_ns - (double)thread->on_cpu_ns;

	return ns >= LACKED_LEAST &&
		       cpu_thread_percent(thread) < ON_CPU_PERCENT ? ns : 0;
}

/* The thread of COST that had a CPU for the smallest part of its time, if too
 * small; NULL: none. */
static const struct cpu_thread *poorest_thread(const struct cpu_cost *cost)
{
	const struct cpu_thread *found = NULL;

	for (uint32_t t = 0; t < cost->n_threads; t++) {
		const struct cpu_thread *thread = &cost->threads[t];

		if (lacked(thread) > 0 &&
		    (!found || cpu_thread_percent(thread) <
				       cpu_thread_percent(found)))
			found = thread;
	}
	return found;
}

/* What took the CPU of THREAD, as far as the kernel tells, and what to do.  It
 * counts what a control group holds up like what others take. */
static void print_taker(FILE *out, const struct cpu_cost *cost,
			const struct cpu_thread *thread, bool perftest)
{
	const uint64_t taken = thread->use.involuntary;

	if (cost->stolen_ns != CPU_UNKNOWN &&
	    (double)cost->stolen_ns > lacked(thread) / 2) {
		fputs(": the hypervisor ran something else; give this virtual "
		      "machine CPUs of its own", out);
		return;
	}
	if (taken != CPU_UNKNOWN && taken)
		fprintf(out, " (taken %" PRIu64 " times)", taken);
	/* perftest's names have no option for that */
	if (thread->cpu == PLAN_AUTO)
		fprintf(out, ": keep an idle CPU for it with %s",
			perftest ? "taskset" : "--cpus");
	else
		fprintf(out, ": keep its CPU %" PRIu32 " idle, or name "
			"another one with --cpus", thread->cpu);
	fputs(", and look for a control group's limit (cpu.max)", out);
}

/* A loop that polls wants a CPU all the time; with events it sleeps. */
static double lacked_cpu(const struct subject *s)
{
	double worst = 0;
	bool client = false;

	if (s->plan->events)
		return 0;
	for (int end = 1; end >= 0; end--) {
		const struct cpu_thread *thread =
			poorest_thread(&s->row->at[end].cpu);
		const double lack =
			thread ? 100 - cpu_thread_percent(thread) : 0;

		if (lack > worst) {
			worst = lack;
			client = end;
		}
	}
	if (worst > 0) {
		const struct cpu_cost *cost = &s->row->at[client].cpu;
		const struct cpu_thread *thread = poorest_thread(cost);

		fprintf(s->out, "the %s polls, but %s had a CPU for only "
			"%.2g%% of the time", client ? "client" : "server",
			cost->n_threads > 1 ? "a thread of it" : "its thread",
			100 - worst);
		print_taker(s->out, cost, thread, s->r->params.perftest);
	}
	return worst;
}

/* A loop that polls the last byte has it copied if the host cannot read it. */
static double is_copied(const struct subject *s)
{
	if (!plan_waits_for_memory(s->plan) || !s->r->n_rows)
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

/* Soft-RoCE of Linux 7.2 completes messages in memory that is paged on demand
 * with success, and puts bytes of packets that do not begin at a page's
 * beginning elsewhere. */
static double is_misplaced(const struct subject *s)
{
	if (!s->plan->odp || s->plan->verify ||
	    !(port_is_soft_roce(&s->r->client) ||
	      port_is_soft_roce(&s->r->server)))
		return 0;
	fputs("nobody checked the data, and Soft-RoCE is known to put wrong "
	      "bytes into memory that is paged on demand (--odp): --verify "
	      "checks every byte", s->out);
	return 1;
}

static double drained(const struct subject *s)
{
	const struct result_row *row = s->row;
	const double bits = 8 * (double)(row->drained * row->size);

	if (s->plan->metric != METRIC_BANDWIDTH || row->failed)
		return 0;
	if (row->total.left) {
		fprintf(s->out, "the run did not wait for %" PRIu64 " messages "
			"that were not acknowledged as long after its time as "
			"it took: look for lost packets (--counters all), or "
			"lower --tx-depth", row->total.left);
		return INFINITY;
	}
	if (!(row->drain_seconds > DRAINED_SECONDS))
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

/* Packets that one end sent and that the device of the other did not take, in
 * percent of those sent. */
struct missing {
	double percent;
	bool damaged;		/* most of them reached its interface */
};

/* The packets that reached the interface of the end that has TO, of those from
 * the end that has FROM: others come, too, as many as leave there. */
static uint64_t reached(const struct packet_counts *from,
			const struct packet_counts *to)
{
	const uint64_t others = from->out - smaller(from->out, from->sent);

	/* what did not leave cannot be damaged further on */
	if (from->out < from->sent)
		return 0;
	return smaller(to->in - smaller(to->in, others), from->sent);
}

/* Both ends count from before the first message until after the last, when
 * nothing is on its way but an acknowledgement of each queue pair, and what a
 * run has left; the kernel's values may be some ms old. */
static struct missing missing_from(const struct subject *s, bool client)
{
	const struct result_row *row = s->row;
	const struct packet_counts *from = &row->at[client].packets;
	const struct packet_counts *to = &row->at[!client].packets;
	const uint64_t packets = sends_data(s->plan, client) ?
				 row->size / s->plan->mtu + 1 : 1;
	const uint64_t queued = s->plan->qps *
				(row->total.left ? packets * row->tx_depth : 1);
	const double ns = (double)row->at[client].counters.ns;
	struct missing missing = { 0 };

	if (!from->known || !to->known || counters_are_shared(s->r) ||
	    (double)(to->came + queued) >=
		    (double)from->sent * (1 - READING_LATE / ns))
		return missing;
	missing.percent = 100 - 100 * (double)to->came / (double)from->sent;
	missing.damaged = reached(from, to) >= (from->sent + to->came) / 2;
	return missing;
}

static double packets_missing(const struct subject *s)
{
	const bool client = missing_from(s, true).percent >
			    missing_from(s, false).percent;
	const struct missing missing = missing_from(s, client);
	const double percent = missing.percent;
	const char *end = client ? "client" : "server";
	const char *what = sends_data(s->plan, client) ? "data" :
			   op_table[s->plan->op].fetches ? "requests" :
							   "acknowledgements";

	if (percent <= MISSING_PERCENT)
		return 0;
	if (missing.damaged)
		fprintf(s->out, "packets arrived damaged: %.*g%% of the %s's "
			"%s reached the other end's interface (its "
			"netdev.rx_packets) and not its device (rcvd_pkts), "
			"which drops what fails a checksum (ICRC): look for a "
			"bad cable or optics, and for what rewrites packets on "
			"the way", DIGITS(percent), percent, end, what);
	else
		fprintf(s->out, "packets did not arrive: %.*g%% of the %s's %s "
			"(its sent_pkts, rcvd_pkts of the other end): look for "
			"discards on the way", DIGITS(percent), percent, end,
			what);
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

/* A few stalls, and not the messages in general, made the mean what it is. */
static double stalled(const struct subject *s)
{
	const struct latency_summary *l = &s->row->latency;

	if (s->row->failed || !plan_has_latency(s->plan) ||
	    !(l->mean > STALLED_MEAN * l->empirical_p50) ||
	    !(l->empirical_p99 < l->mean) || !(l->max > STALLED_US))
		return 0;
	fprintf(s->out, "a few stalls, of up to %.3g ms, make the mean %.0f%% "
		"higher than the median: %slook for what else needs the CPU, "
		"and for power saving", l->max / 1e3,
		100 * (l->mean / l->empirical_p50 - 1),
		s->r->params.perftest ? "" : "--samples shows when; ");
	return l->mean / l->empirical_p50;
}

static double trouble(const struct subject *s)
{
	return counters_risen(s->r, COUNTER_TROUBLE, s->out);
}

static double congestion(const struct subject *s)
{
	return counters_risen(s->r, COUNTER_CONGESTION, s->out);
}

/* Two ends in one host may meet inside a NIC, which is faster than its port. */
static double exceeds_port(const struct subject *s)
{
	const double above = longer_above_port(s->r, s->row);
	const bool burst = longer_is_burst(s->r, s->row);

	if (!(above > 0) ||
	    (!burst && !strcmp(s->r->client.hostname, s->r->server.hostname)))
		return 0;
	fprintf(s->out, "more than the port carries (%.4g Gb/s%s): ",
		goodput_gbps(s->r, s->row->size),
		s->row->n_directions ? " each way" : "");
	if (burst) {
		fprintf(s->out, "%" PRIu64 " messages are too few where %.0f "
			"may be under way: ", s->row->total.iterations,
			longer_under_way(s->plan, s->row));
		longer_print(s->out, s->r, false);
	} else {
		fputs("look whether both ends are in one NIC, at the port's "
		      "rate (verbsperf devices), and at both clocks", s->out);
	}
	return above;
}

/* What the peak needs, if that is more than the mean. */
static void print_for_peak(const struct subject *s)
{
	char *mean = NULL, *all = NULL;
	FILE *out = xmemstream(&mean);

	longer_print(out, s->r, true);
	fclose(out);
	out = xmemstream(&all);
	longer_print(out, s->r, false);
	fclose(out);
	if (strcmp(mean, all) != 0)
		fprintf(s->out, ", %s a peak's, too", all);
	free(mean);
	free(all);
}

static double is_uncertain(const struct subject *s)
{
	const double percent = s->row->total.bandwidth.error_percent;

	if (!(percent > SUMMARY_ERROR_PERCENT) || s->row->failed)
		return 0;
	fprintf(s->out, "uncertain by %.*g%%: ", DIGITS(percent), percent);
	longer_print(s->out, s->r, true);
	fprintf(s->out, " brings it below %g%%", SUMMARY_ERROR_PERCENT);
	print_for_peak(s);
	return percent;
}

/* How many times as many samples are needed. */
static double samples_missing(const struct subject *s)
{
	const struct percentiles list = longer_percentiles(s->r);
	const uint64_t samples = s->row->latency.samples;
	char text[PERCENTILE_TEXT_SIZE];
	uint32_t n = 0;

	if (!longer_has_percentiles(s->r, s->row))
		return 0;
	for (uint32_t i = 0; i < list.n; i++) {
		uint64_t needed = summary_min_samples(list.per_million[i]);

		if (needed <= samples)
			continue;
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
	longer_print(s->out, s->r, false);
	fputs(n > 1 ? " gives them" : " gives it", s->out);
	return (double)longer_samples(s->r) / (double)samples;
}

static double peak_is_uncertain(const struct subject *s)
{
	const double percent = s->row->total.bandwidth.peak_error_percent;

	if (!(percent > SUMMARY_ERROR_PERCENT) || s->row->failed)
		return 0;
	fprintf(s->out, "peak uncertain by %.*g%%: ", DIGITS(percent), percent);
	longer_print(s->out, s->r, false);
	fprintf(s->out, " brings it below %g%%", SUMMARY_ERROR_PERCENT);
	return percent;
}

static double lacks_peak(const struct subject *s)
{
	if (!longer_has_peak(s->plan, s->row) ||
	    isfinite(s->row->total.bandwidth.peak_gbps))
		return 0;
	fprintf(s->out, "%s %d intervals of %.3g s: ", fills(s->r) ?
			"the peak is the average; one of its own needs" :
			"peak and +-95% need",
		INTERVALS_LEAST, longer_interval(s->plan, s->row));
	longer_print(s->out, s->r, false);
	fputs(" gives them", s->out);
	return 1;
}

/* A queue pair of theirs may have the number of the client's: then their
 * messages are seen only where more come than were sent. */
static double others_sent(const struct subject *s)
{
	const struct result_direction *d = &s->row->total;
	const uint64_t due = plan_due(s->plan, d->sent);
	uint64_t n = s->row->others;

	if (s->plan->mcast.wanted && !d->sent_unknown && d->received > due)
		n += d->received - due;
	if (!n)
		return 0;
	fprintf(s->out, "%" PRIu64 " messages of other senders came to the "
		"multicast group: choose another group (--mcast GROUP)", n);
	return (double)n;
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

/* The most serious first: what makes numbers wrong before what makes them
 * uncertain, and a cause before a width.  That a clock is wrong comes before
 * all. */
static const struct {
	caveat_fn *find;
	bool of_run;		/* not of one size */
} caveats[] = {
	/* the numbers are wrong */
	{ clocks_differ, true },
	{ clock_drifts, true },
	{ is_doubted, true },
	{ lacked_cpu, false },
	{ mistimed, false },
	{ is_copied, true },
	{ is_unordered, false },
	{ is_misplaced, true },
	{ exceeds_port, false },
	{ drained, false },
	/* they are right, and have a cause */
	{ others_sent, false },
	{ packets_missing, false },
	{ trouble, true },
	{ stalled, false },
	{ ran_dry, false },
	{ congestion, true },
	/* they are known less exactly than others */
	{ is_uncertain, false },
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
	/* a run that failed early may have nothing but counters */
	const uint32_t rows = !caveats[caveat].of_run ? r->n_rows :
			      r->n_rows || r->unmeasured.n ? 1 : 0;
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
