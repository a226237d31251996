/* Tables for people, to the letter; the list of devices; writing them. */
#include "config.h"
#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "base/time.h"
#include "base/xalloc.h"
#include "every_fact.h"
#include "json_checks.h"
#include "report/parts.h"
#include "report/report.h"
#include "results.h"

/* R with all that is said below a table. */
static struct result *verbose(struct result *r)
{
	r->params.verbose = true;
	return r;
}

static void check_text(struct result *r, const char *wanted)
{
	char *text = report_text(r);

	assert_string_equal(text, wanted);
	free(text);
	result_free(r);
}

#define ROCE_HEAD \
	" client: alpha rxe0 port 1, Ethernet, GID 1 ::ffff:10.0.0.1 " \
	"(RoCE v2)\n" \
	" server: beta rxe0 port 1, Ethernet, GID 3 ::ffff:10.0.0.2 " \
	"(RoCE v2)\n"
#define BW_HEADINGS \
	" #bytes     #iterations BW peak[Gb/s] BW average[Gb/s] " \
	"+-95%[Gb/s] BW average[MiB/s] MsgRate[Mpps]\n"
#define NO_PEAK \
	"peak and +-95% need 10 intervals of 0.1 s: -D 1.2 gives them\n"
#define OF_TWO " size 64: " NO_PEAK
#define CLOCK \
	"after 0.2 s of warm-up; clock tsc: resolution 0.5 ns, one read " \
	"9.25 ns\n"

TEST(test_bandwidth)
{
	check_text(result_bandwidth(),
		   " send_bw: RC, 2 QPs, MTU 1024, tx depth 128, "
		   "rx depth 512\n"
		   ROCE_HEAD BW_HEADINGS
		   " 64             1000000             -            1.024"
		   "           -            122.07      2.000000\n"
		   " 65536          1000000             -         1048.576"
		   "           -         125000.00      2.000000\n"
		   OF_TWO);
}

TEST(test_failed_half_way)
{
	struct result *r = result_bandwidth();

	r->rows[1].failed = true;
	r->rows[1].total.bandwidth = summary_bandwidth(0, 64, 0);
	r->rows[1].total.iterations = 0;
	fail(&r->error, -EIO, NULL, "gone");
	check_text(r, " send_bw: RC, 2 QPs, MTU 1024, tx depth 128, "
		      "rx depth 512\n"
		      ROCE_HEAD BW_HEADINGS
		      " 64             1000000             -            1.024"
		      "           -            122.07      2.000000\n"
		      " 65536                0             -                -"
		      "           -                 -             - failed\n"
		      OF_TWO);
}

#define IB_HEAD \
	" write_lat: RC, 1 QP, MTU 1024, tx depth 8\n" \
	" client: alpha rxe0 port 1, InfiniBand, LID 17, GID 1 " \
	"::ffff:10.0.0.1 (IB)\n" \
	" server: beta rxe0 port 1, InfiniBand, LID 17, GID 3 " \
	"::ffff:10.0.0.2 (IB)\n" \
	" #bytes     #iterations t_min[us] t_max[us] t_typical[us] " \
	"t_avg[us] t_stdev[us]"
#define USUAL "   99%[us] 99.9%[us]\n"

TEST(test_latency)
{
	check_text(result_latency(3000), IB_HEAD USUAL
		   " 2                 3000      2.00      2.60          "
		   "2.00      2.30        0.30      2.60      2.60\n");
	check_text(verbose(result_latency(3000)), IB_HEAD USUAL
		   " 2                 3000      2.00      2.60          "
		   "2.00      2.30        0.30      2.60      2.60\n"
		   " latency: half round trip, " CLOCK);
}

TEST(test_cpu)
{
	struct result *r = result_bandwidth();

	result_add_cpu(r);
	check_text(verbose(r), " send_bw: RC, 2 QPs, MTU 1024, tx depth 128, "
		      "rx depth 512\n"
		      ROCE_HEAD BW_HEADINGS
		      " 64             1000000             -            1.024"
		      "           -            122.07      2.000000\n"
		      "   client: CPU 100% (98% user), 500 ns/message, "
		      "7812 ms/GB, 7 context switches; host 31.5% busy\n"
		      "   server: CPU 0.05% (0% user), 0.25 ns/message, "
		      "3.91 ms/GB, 8 context switches, 1234 interrupts\n"
		      " 65536          1000000             -         1048.576"
		      "           -         125000.00      2.000000\n"
		      "   client: CPU 100% (98% user), 500 ns/message, "
		      "7.63 ms/GB, 7 context switches; host 31.5% busy\n"
		      "   server: CPU not known\n"
		      " bandwidth: messages completed, " CLOCK
		      " CPU: 100% is one CPU; what the kernel does in "
		      "interrupts counts only for the host\n" OF_TWO);
}

TEST(test_nodes)
{
	struct result *r = result_bandwidth();
	char *text;

	r->server.numa_node = 0;
	text = report_text(r);
	assert_contains(text, "10.0.0.1 (RoCE v2)\n");
	assert_contains(text, "10.0.0.2 (RoCE v2), NUMA node 0\n");
	free(text);
	result_free(r);
}

/* The text of R, freed, has each part of HAS, and does not have LACKS. */
static void check_parts(struct result *r, const char *has, const char *has_too,
			const char *lacks)
{
	char *text = report_text(r);

	assert_contains(text, has);
	assert_contains(text, has_too);
	assert_null(strstr(text, lacks));
	free(text);
}

/* Memory that is not the usual is in the head, and what copies cost below. */
TEST(test_memory)
{
	struct result *r = result_latency(4);

	strcpy(r->ends[1].memory, "anonymous");
	strcpy(r->ends[0].memory, "cuda:1 (dma-buf)");
	r->params.plan.op = OP_SEND;
	check_parts(r, "10.0.0.1 (IB)\n",
		    "10.0.0.2 (IB), memory cuda:1 (dma-buf)\n",
		    "copies");
	r->params.plan.op = OP_WRITE_IMM;
	check_parts(r, "memory cuda:1", "write_lat", "copies");
	r->params.plan.op = OP_WRITE;
	check_parts(r, "memory cuda:1", " the latency includes copies: the "
		    "host cannot read the memory cuda:1 (dma-buf) that a "
		    "message arrives in; send_lat or --imm does without "
		    "them (--verbose: 1 more)\n", "memory anonymous");
	strcpy(r->ends[0].memory, "shared");
	check_parts(r, ", memory shared\n", "write_lat", "copies");
	result_free(r);
}

TEST(test_no_samples_and_one)
{
	check_text(result_latency(0), IB_HEAD USUAL
		   " 2                    0         -         -          "
		   "   -         -           -         -         -\n");
	check_text(result_latency(1), IB_HEAD USUAL
		   " 2                    1      2.00      2.00          "
		   "   -      2.00           -         -         -\n"
		   " 99% needs 299, 99.9% needs 2995 samples: -D 0.01 gives "
		   "them\n");
}

TEST(test_intervals_and_threads)
{
	struct result *r = result_bandwidth();

	result_add_intervals(r);
	result_add_threads(r);
	r->params.plan.post_list = 16;
	check_text(verbose(r), " send_bw: RC, 2 QPs, MTU 1024, tx depth 128, "
		      "post list 16, 2 threads, rx depth 512\n"
		      ROCE_HEAD BW_HEADINGS
		      " 64             1000000         1.126            1.024"
		      "       0.049            122.07      2.000000\n"
		      "   thread 0 on CPU 3: 1 QP, 600000 messages, 0.614 "
		      "Gb/s, 1.200000 Mpps\n"
		      "   thread 1: 1 QP, 400000 messages, - Gb/s, - Mpps\n"
		      " 65536          1000000      1153.434         1048.576"
		      "      50.350         125000.00      2.000000\n"
		      "   thread 0 on CPU 3: 1 QP, 600000 messages, 629.146 "
		      "Gb/s, 1.200000 Mpps\n"
		      "   thread 1: 1 QP, 400000 messages, - Gb/s, - Mpps\n"
		      " bandwidth: messages completed, " CLOCK
		      " peak: best of 20 intervals of 0.025 s; +-95%: "
		      "confidence of their mean\n");
}

/* Of TEXT, the line that FRAGMENT is in, without blanks at its end. */
static const char *line_with(const char *text, const char *fragment,
			     char line[200])
{
	const char *at = strstr(text, fragment);
	size_t length;

	if (!at)
		fail_msg("'%s' is not in '%s'", fragment, text);
	while (at > text && at[-1] != '\n')
		at--;
	length = strcspn(at, "\n");
	while (length && at[length - 1] == ' ')
		length--;
	assert_true(length < 200);
	memcpy(line, at, length);
	line[length] = '\0';
	return line;
}

/* The one sentence below the table of R; NULL: none. */
static void check_caveat(struct result *r, const char *wanted)
{
	char *text = report_text(r), *first = NULL, *more;
	char line[200];
	size_t size;
	FILE *out = open_memstream(&first, &size);

	caveats_print(out, r);
	fclose(out);
	if (wanted) {
		first[strcspn(first, "\n")] = '\0';
		assert_string_equal(line_with(text, wanted, line), first);
		more = strstr(first, " (--verbose: ");
		if (more)
			*more = '\0';
		assert_string_equal(first + 1, wanted);
	} else {
		assert_string_equal(first, "");
	}
	free(first);
	free(text);
}

TEST(test_why_there_is_no_peak)
{
	struct result *r = result_bandwidth();

	r->params.plan.interval = 500000000;
	check_caveat(r, "size 64: peak and +-95% need 10 intervals of 0.5 s: "
			"-D 6 gives them");
	r->rows[0].n_directions = r->rows[1].n_directions = 2;
	check_caveat(r, "the sum of two directions has no peak and no +-95%: "
			"--json has them for each direction");
	r->rows[0].n_directions = r->rows[1].n_directions = 0;
	/* which was not enough on a busy machine */
	r->params.plan.duration = 6 * SECOND;
	r->rows[0].total.seconds = 6;
	r->rows[1].failed = true;
	check_caveat(r, "size 64: peak and +-95% need 10 intervals of 0.5 s: "
			"-D 10 gives them");
	r->params.plan.iterations = 1000;
	check_caveat(r, "size 64: peak and +-95% need 10 intervals of 0.5 s: "
			"-n 1500 gives them");
	r->params.plan.iterations = 0;
	/* an interval is as long as a message at least */
	r->rows[0].total.iterations = 5;
	check_caveat(r, "size 64: peak and +-95% need 10 intervals of 1.2 s: "
			"-D 15 gives them");
	/* one that failed says that itself */
	r->rows[0].failed = true;
	check_caveat(r, NULL);
	r->rows[0].failed = r->rows[1].failed = false;
	r->rows[1].total.seconds = 6;
	result_add_intervals(r);
	check_caveat(r, NULL);
	result_free(r);
}

TEST(test_why_there_is_no_percentile)
{
	struct result *r = result_latency(298);

	check_caveat(r, "99% needs 299, 99.9% needs 2995 samples: -D 0.01 "
			"gives them");
	/* that which it has is no dash */
	r->rows[0].latency.samples = 299;
	check_caveat(r, "99.9% needs 2995 samples: -D 0.01 gives it");
	r->params.plan.iterations = 299;
	check_caveat(r, "99.9% needs 2995 samples: -n 3000 gives it");
	r->params.percentiles = (struct percentiles){ 2, { 995000, 500000 } };
	check_caveat(r, "99.5% needs 598 samples: -n 600 gives it");
	r->params.plan.iterations = 0;
	r->params.plan.duration = 600000 * SECOND;
	r->rows[0].total.seconds = 600000;
	check_caveat(r, "99.5% needs 598 samples: not even -D 604800 gives it");
	r->rows[0].failed = true;
	check_caveat(r, NULL);
	result_free(r);
	r = result_latency(2995);
	check_caveat(r, NULL);
	result_free(r);
}

/* Of several sizes the worst is named, and of several doubts the greatest. */
TEST(test_caveats)
{
	struct result *r = result_bandwidth();
	struct bandwidth_summary *b = &r->rows[1].total.bandwidth;
	char *text;

	result_add_intervals(r);
	check_caveat(r, NULL);
	b->error_percent = b->peak_error_percent = 0.5;
	b->dry_percent = 1;
	check_caveat(r, NULL);
	b->peak_error_percent = 12.3;
	check_caveat(r, "size 65536: peak uncertain by 12.3%: --interval 0.8 "
			"with -D 10 brings it below 0.5%");
	r->params.plan.iterations = 1000;
	check_caveat(r, "size 65536: peak uncertain by 12.3%: --interval 0.8 "
			"with -n 20000 brings it below 0.5%");
	r->params.plan.iterations = 0;
	b->dry_percent = 12.4;
	r->rows[1].tx_depth = 128;
	r->rows[1].cq_mod = 32;
	check_caveat(r, "size 65536: the send queue ran dry before 12% of "
			"completions: raise --tx-depth");
	r->rows[1].cq_mod = 33;
	check_caveat(r, "size 65536: the send queue ran dry before 12% of "
			"completions: raise --tx-depth or lower --cq-mod");
	r->rows[0].total.bandwidth.dry_percent = 13;
	b->error_percent = 2.9;
	check_caveat(r, "size 64: the send queue ran dry before 13% of "
			"completions: raise --tx-depth or lower --cq-mod");
	text = report_text(r);
	assert_contains(text, "lower --cq-mod (--verbose: 2 more)\n");
	free(text);
	/* one advice for both */
	text = report_text(verbose(r));
	assert_contains(text, "lower --cq-mod\n size 65536: uncertain by 2.9%: "
			      "-D 4 brings it below 0.5%, --interval 0.8 with "
			      "-D 10 a peak's, too\n size 65536: peak "
			      "uncertain by 12.3%: --interval "
			      "0.8 with -D 10 ");
	free(text);
	r->params.plan.iterations = 5000;
	r->n_rows = 1;
	r->rows[0].total.bandwidth.dry_percent = 0;
	r->rows[0].total.bandwidth.error_percent = 100;
	check_caveat(r, "uncertain by 100%: -n 1200000 brings it below 0.5%");
	r->n_rows = 2;
	result_free(r);
}

/* The last byte of a message that fills a cache line comes with the others. */
/* Before all other doubts: every time is by a clock. */
TEST(test_clocks)
{
	struct result *r = result_bandwidth();
	static const struct {
		double low, high;
		const char *said;
	} rows[] = {
		{ 0, 0, NULL }, { 1.01, 3, NULL }, { 0.3, 0.99, NULL },
		{ 0.001, 1000, NULL },
		{ 2.79, 2.81, "2.8" }, { 0.3, 0.31, "0.305" },
		{ 2.8, 100, "at least 2.8" }, { 0.001, 0.3, "at most 0.3" },
		{ 1.011, 1.012, "1.01" },
	};
	char text[300];

	result_add_intervals(r);
	r->clocks[0] = (struct clock_description){ "tsc", 1, 1, NAN, NAN,
						   "hpet" };
	r->clocks[1] = (struct clock_description){ "cntvct", 1, 1, NAN, NAN,
						   "arm" };
	for (size_t i = 0; i < COUNT(rows); i++) {
		r->clock_ratio[0] = rows[i].low;
		r->clock_ratio[1] = rows[i].high;
		snprintf(text, sizeof(text), "the clocks of both hosts "
			 "disagree: %s s at the server (tsc, kernel: hpet) are "
			 "1 s at the client (cntvct, kernel: arm); 'sleep 60' "
			 "by a watch shows which is wrong; change its "
			 "clocksource=",
			 rows[i].said ? rows[i].said : "");
		check_caveat(r, rows[i].said ? text : NULL);
	}
	r->clock_ratio[0] = 0;
	r->clocks[0].drift = -0.001;
	r->clocks[1].deviation = 0.001;
	check_caveat(r, NULL);
	r->clocks[0].drift = -0.02;
	check_caveat(r, "the server's clock (tsc) differs from its kernel's by "
			"2%: look at what sets the time there (chronyc "
			"tracking)");
	r->clocks[1].deviation = 0.035;
	check_caveat(r, "the client's clock (cntvct) differs from its kernel's "
			"by 3.5%: try --clock monotonic_raw there");
	r->clocks[0].source[0] = r->clocks[1].source[0] = '\0';
	check_caveat(r, NULL);
	fail(&r->implausible, -EPROTO, NULL, "no queue is that long");
	check_caveat(r, "what the other end says cannot be: no queue is that "
			"long; compare both hosts' clocks and versions");
	result_free(r);
}

/* A run that took long after its window says so. */
TEST(test_drained)
{
	struct result *r = result_bandwidth();

	r->rows[0].drain_seconds = 0.9;
	r->rows[1].drain_seconds = 25;
	r->rows[1].drained = 120;
	check_caveat(r, "size 65536: the run went on for 25 s after its time, "
			"for 120 messages under way, at 0.0025 Gb/s: a lower "
			"--tx-depth ends sooner, --counters shows what was "
			"lost");
	r->rows[1].total.left = 40;
	check_caveat(r, "size 65536: the run did not wait for 40 messages that "
			"were not acknowledged as long after its time as it "
			"took: look for lost packets (--counters all), or "
			"lower --tx-depth");
	r->rows[1].failed = true;
	check_caveat(r, "size 64: peak and +-95% need 10 intervals of 0.1 s: "
			"-D 1.2 gives them");
	result_free(r);
}

/* What stderr says under perftest's names, where the table has a number. */
TEST(test_reservations_of_perftest)
{
	struct result *r = result_bandwidth();
	char *first;

	r->params.perftest = true;
	r->params.plan.iterations = 1000;
	r->params.plan.interval = 500000000;
	first = caveats_first(r);
	assert_string_equal(first, "size 64: the peak is the average; one of "
			    "its own needs 10 intervals of 0.5 s: -n 12000 "
			    "gives them");
	free(first);
	/* its peak is a sum, which is right */
	r->rows[0].n_directions = r->rows[1].n_directions = 2;
	assert_null(caveats_first(r));
	result_free(r);
	r = result_latency(1000);
	r->params.perftest = true;
	r->params.plan.iterations = 1000;
	first = caveats_first(r);
	assert_string_equal(first, "99.9% needs 2995 samples (here: 1000): "
			    "-n 3000 gives it");
	free(first);
	result_free(r);
}

/* Something kept the ends from running: what was measured stays. */
TEST(test_mistimed)
{
	struct result *r = result_bandwidth();

	result_add_intervals(r);
	r->n_rows = 1;
	r->params.plan.duration = SECOND;
	r->rows[0].total.seconds = 5;
	check_caveat(r, NULL);
	r->rows[0].total.seconds = 0.5;
	check_caveat(r, NULL);
	r->rows[0].total.seconds = 0.25;
	check_caveat(r, "measured for 0.25 s instead of 1 s: look at what held "
			"it up");
	r->rows[0].total.seconds = 5.25;
	check_caveat(r, "measured for 5.25 s instead of 1 s: look at what held "
			"it up");
	r->params.plan.iterations = 5000;
	check_caveat(r, NULL);
	r->params.plan.iterations = 0;
	r->params.plan.duration = 20 * SECOND;
	r->rows[0].total.seconds = 30;
	check_caveat(r, NULL);
	r->rows[0].total.seconds = 31;
	check_caveat(r, "measured for 31 s instead of 20 s: look at what held "
			"it up");
	/* queues decide when the messages of a receiver come */
	r->params.plan.op = OP_SEND;
	r->params.plan.transport = TRANSPORT_UD;
	check_caveat(r, NULL);
	r->n_rows = 2;
	result_free(r);
}

TEST(test_relaxed_order)
{
	struct result *r = result_latency(3000);

	r->params.plan.relaxed_ordering = true;
	r->rows[0].size = 64;
	check_caveat(r, NULL);
	r->rows[0].size = 65;
	check_caveat(r, "with relaxed ordering the last byte, which is waited "
			"for, may arrive before others: --poll completion "
			"waits for all");
	r->params.plan.relaxed_ordering = false;
	check_caveat(r, NULL);
	r->may_reorder = true;
	check_caveat(r, "this device does not promise order: the last byte, "
			"which is waited for, may arrive before others: --poll "
			"completion waits for all");
	r->params.plan.op = OP_WRITE_IMM;
	check_caveat(r, NULL);
	result_free(r);
}

/* Only what wakes an end is said of it. */
TEST(test_events)
{
	struct result *r = result_bandwidth();
	char *text;

	r->params.plan.op = OP_SEND;
	r->params.plan.events = true;
	r->n_rows = 1;
	r->rows[0].at[1].events = (struct event_counts){ .known = true,
						      .sends = 7 };
	r->rows[0].at[0].events = (struct event_counts){ .known = true,
						      .receives = 9 };
	text = report_text(r);
	assert_contains(text, "\n   client: 7 events of sends\n");
	assert_contains(text, "\n   server: 9 events of receives");
	free(text);
	r->params.plan.solicited = true;
	r->rows[0].at[1].events.sends = 0;
	text = report_text(r);
	assert_null(strstr(text, "client: 0"));
	assert_null(strstr(text, "of sends"));
	assert_contains(text, "\n   server: 9 events of receives");
	free(text);
	result_free(r);
}

TEST(test_intervals_that_differ)
{
	struct result *r = result_bandwidth();
	char *text;

	result_add_intervals(verbose(r));
	r->rows[1].total.n_intervals = 10;
	r->rows[1].total.intervals[9].start_ns = 450000000;
	r->rows[1].total.intervals[9].length_ns = 50000000;
	text = report_text(r);
	assert_contains(text, " peak: best of 10 to 20 intervals of 0.025 to "
			      "0.05 s; ");
	free(text);
	r->rows[0].total.n_intervals = r->rows[1].total.n_intervals = 9;
	text = report_text(r);
	assert_null(strstr(text, "peak:"));
	free(text);
	result_free(r);
}

/* R with the percentiles in TEXT, of 1.5, 2.5, ... us; the last is NAN. */
static struct result *with_percentiles(const char *text)
{
	struct result *r = result_latency(3000);
	struct percentiles *list = &r->params.percentiles;

	assert_int_equal(units_parse_percentiles(text, list), 0);
	for (uint32_t i = 0; i < list->n; i++)
		r->rows[0].percentiles[i] = i + 1 < list->n ? i + 1.5 : NAN;
	return r;
}

TEST(test_percentiles_of_choice)
{
	check_text(with_percentiles("50,99.9999"), IB_HEAD
		   "   50%[us] 99.9999%[us]\n"
		   " 2                 3000      2.00      2.60          "
		   "2.00      2.30        0.30      1.50            -\n"
		   " 99.9999% needs 2995731 samples: -D 10 gives it\n");
	check_text(with_percentiles("1,2,3,4,5,99.9999"), IB_HEAD "\n"
		   " 2                 3000      2.00      2.60          "
		   "2.00      2.30        0.30\n"
		   "         1%[us]     1.50       2%[us]     2.50       "
		   "3%[us]     3.50       4%[us]     4.50       5%[us]     "
		   "5.50\n"
		   "   99.9999%[us]        -\n"
		   " 99.9999% needs 2995731 samples: -D 10 gives it\n");
}

/* However many columns, whatever is in them. */
TEST(test_no_row_is_wider_than_119)
{
	static const char *const lists[] = {
		"50", "50,99", "50,99,99.9", "50,99.9,99.9999",
		"99.9991,99.9992,99.9993", "1,2,3,4,5,6,7,8,9",
		"99.9991,99.9992,99.9993,99.9994,99.9995,99.9996",
	};

	for (size_t i = 0; i < COUNT(lists); i++) {
		struct result *r = with_percentiles(lists[i]);
		char *text, *rest, *line;

		r->rows[0].failed = true;
		r->rows[0].total.iterations = 999999999999;
		text = rest = report_text(r);
		assert_contains(text, " failed\n");
		while ((line = strsep(&rest, "\n")))
			if (strlen(line) > 119)
				fail_msg("%zu columns: %s", strlen(line),
					 line);
		free(text);
		result_free(r);
	}
}

TEST(test_histogram_and_samples)
{
	struct result *r = result_latency(3000);

	r->params.plan.round_trip = true;
	r->params.samples = "s.csv";
	r->rows[0].samples_dropped = 12;
	r->rows[0].n_bins = 1;
	r->rows[0].bins = calloc(1, sizeof(*r->rows[0].bins));
	r->rows[0].bins[0] = (struct histogram_bin){ 2000, 2500, 3000 };
	check_text(r, IB_HEAD USUAL
		   " 2                 3000      2.00      2.60          "
		   "2.00      2.30        0.30      2.60      2.60\n"
		   " 12 samples came too fast for s.csv; the table "
		   "has them\n"
		   "\n histogram of size 2:\n"
		   "     from[us]       to[us]     #samples\n"
		   "        2.000        2.500         3000  "
		   "########################################\n");
}

TEST(test_nothing_measured)
{
	check_text(result_unconnected(), "");
}

static void set_gid(struct gid *gid, uint32_t index, uint8_t type,
		    uint8_t last)
{
	memset(gid, 0, sizeof(*gid));
	gid->raw.raw[10] = gid->raw.raw[11] = 0xff;
	gid->raw.raw[12] = 10;
	gid->raw.raw[15] = last;
	gid->index = index;
	gid->type = type;
}

TEST(test_devices)
{
	struct result *r = result_bandwidth();
	struct found_port found[2] = { { .port = r->client },
				       { .port = r->client } };
	char line[200], *text;

	set_gid(&found[0].port.gids[0], 0, GID_TYPE_ROCE_V1, 1);
	set_gid(&found[0].port.gids[1], 1, GID_TYPE_ROCE_V2, 1);
	found[0].port.n_gids = 2;
	found[1].port.number = 2;
	found[1].port.state = IBV_PORT_DOWN;
	set_gid(&found[1].port.gids[0], 7, GID_TYPE_ROCE_V2, 9);
	text = report_devices(found, 2);
	assert_string_equal(line_with(text, "port 1:", line),
			    "rxe0 port 1: ACTIVE, Ethernet 1600 Gb/s, MTU "
			    "1024, firmware 1.2.3");
	assert_string_equal(line_with(text, "RoCE v1", line),
			    "        0  RoCE v1  ::ffff:10.0.0.1");
	assert_string_equal(line_with(text, "* ", line),
			    "  *     1  RoCE v2  ::ffff:10.0.0.1");
	assert_string_equal(line_with(text, "port 2:", line),
			    "rxe0 port 2: DOWN, Ethernet 1600 Gb/s, MTU 1024, "
			    "firmware 1.2.3");
	assert_string_equal(line_with(text, "10.0.0.9", line),
			    "        7  RoCE v2  ::ffff:10.0.0.9");
	assert_contains(text, "  no GID would be chosen: the port is DOWN\n");
	assert_contains(text, "* the GID chosen unless the peer's needs "
			      "another (-x overrides)\n");
	free(text);
	result_free(r);
}

/* One line each, beside those that can be used. */
TEST(test_devices_that_cannot_be_opened)
{
	struct result *r = result_bandwidth();
	struct found_port found[4] = { { .port = r->client },
				       { .port = r->client } };
	char line[200], *text;

	fail(&found[0].error, -EACCES, "let this user read it",
	     "mlx5_0: cannot open /dev/infiniband/uverbs0: Permission denied");
	fail(&found[2].error, -ENOENT, "is udev running?",
	     "mlx5_2: cannot open /dev/infiniband/uverbs2: No such file");
	fail(&found[3].error, -ENOENT, "is udev running?",
	     "mlx5_3: cannot open /dev/infiniband/uverbs3: No such file");
	text = report_devices(found, 4);
	assert_string_equal(line_with(text, "mlx5_0", line),
			    "mlx5_0: cannot open /dev/infiniband/uverbs0: "
			    "Permission denied");
	assert_contains(text, "  -> let this user read it\n"
			      "rxe0 port 1: ACTIVE");
	assert_contains(text, "mlx5_2: cannot open /dev/infiniband/uverbs2: "
			      "No such file\n"
			      "mlx5_3: cannot open /dev/infiniband/uverbs3: "
			      "No such file\n"
			      "  -> is udev running?\n");
	free(text);
	result_free(r);
}

/* The same for programs: a port with GIDs, one that is down, one of
 * InfiniBand, one that cannot be read, and a device that does not open. */
TEST(test_devices_as_json)
{
	struct result *r = result_bandwidth(), *ib = result_latency(1);
	struct found_port found[5] = { { .port = r->client },
				       { .port = r->client },
				       { .port = ib->client } };
	char *text;
	json_t *root;

	set_gid(&found[0].port.gids[0], 0, GID_TYPE_ROCE_V1, 1);
	set_gid(&found[0].port.gids[1], 1, GID_TYPE_ROCE_V2, 1);
	found[0].port.gids[1].ifindex = 1;	/* lo, as a rule */
	found[0].port.n_gids = 2;
	found[1].port.number = 2;
	found[1].port.state = IBV_PORT_DOWN;
	found[1].port.n_gids = 1;
	strcpy(found[3].port.device, "mlx5_2");
	found[3].port.number = 1;
	fail(&found[3].error, -EIO, NULL, "mlx5_2: port 1 cannot be read");
	strcpy(found[4].port.device, "mlx5_3");
	fail(&found[4].error, -EACCES, "let this user read it",
	     "mlx5_3: cannot open /dev/infiniband/uverbs0");
	text = report_devices_json(found, COUNT(found));
	root = parsed(text);
	check_string(root, "schema", "verbsperf-devices/1");
	check_string(root, "ports.0.device", "rxe0");
	check_number(root, "ports.0.port", 1);
	check_string(root, "ports.0.state", "ACTIVE");
	check_string(root, "ports.0.link_layer", "Ethernet");
	check_number(root, "ports.0.rate_gbps", r->client.rate_mbps / 1e3);
	check_number(root, "ports.0.mtu", 1024);
	check_null(root, "ports.0.lid");
	check_null(root, "ports.0.error");
	check_string(root, "ports.0.gids.1.gid", "::ffff:10.0.0.1");
	check_string(root, "ports.0.gids.1.type", "RoCE v2");
	check_number(root, "ports.0.gids.1.index", 1);
	check_null(root, "ports.0.gids.0.interface");
	assert_true(json_is_false(at(root, "ports.0.gids.0.chosen")));
	assert_true(json_is_true(at(root, "ports.0.gids.1.chosen")));
	check_string(root, "ports.1.state", "DOWN");
	assert_true(json_is_false(at(root, "ports.1.gids.0.chosen")));
	check_string(root, "ports.2.link_layer", "InfiniBand");
	check_number(root, "ports.2.lid", 17);
	check_string(root, "ports.3.device", "mlx5_2");
	check_number(root, "ports.3.port", 1);
	check_null(root, "ports.3.state");
	check_null(root, "ports.3.error.advice");
	check_null(root, "ports.4.port");
	check_string(root, "ports.4.error.advice", "let this user read it");
	json_decref(root);
	free(text);
	result_free(ib);
	result_free(r);
}

/* WANTED is how a table shows the message rate MPPS. */
static void check_message_rate(double mpps, const char *wanted)
{
	struct result *r = result_bandwidth();
	char *text;

	r->rows[0].total.bandwidth.mpps = mpps;
	text = report_text(r);
	assert_contains(text, wanted);
	free(text);
	result_free(r);
}

/* Few large messages keep as many digits as many small ones. */
TEST(test_small_message_rates)
{
	check_message_rate(12.3456789, "    12.345679\n");
	check_message_rate(0.00123456789, "     0.001235\n");
	check_message_rate(0.000113234, "    0.0001132\n");
	check_message_rate(0.0000151234, "   0.00001512\n");
	check_message_rate(0.00000012, "      1.2e-07\n");
}

static char *facts_as_text(const struct facts *facts)
{
	char *text = NULL;
	FILE *out = xmemstream(&text);

	facts_print(out, facts);
	fclose(out);
	return text;
}

/* No key of the JSON, which has underscores, and units where there are some. */
TEST(test_facts_for_people)
{
	struct facts facts = every_fact();
	char line[200], *text = facts_as_text(&facts);

	for (const char *at = text; (at = strchr(at, '_')); at++)
		fail_msg("a key: %s", at);
	free(text);
	memset(&facts, 0, sizeof(facts));
	facts_set_text(&facts, FACT_VIRTUAL_MACHINE, FACT_UNKNOWN_MAKER);
	facts_set_text(&facts, FACT_THREAD_NODES, "0");
	facts_set_count(&facts, FACT_NUMA_NODES, 1);
	facts_set_count(&facts, FACT_IDLE_EXIT_US, 1);
	facts_set_count(&facts, FACT_HUGE_PAGE_BYTES, 2 << 20);
	facts_set_count(&facts, FACT_MEMLOCK_BYTES, FACT_UNLIMITED);
	facts_set_count(&facts, FACT_PCIE_WIDTH, 16);
	facts_set_real(&facts, FACT_PCIE_SPEED_GT, 32);
	text = facts_as_text(&facts);
	assert_string_equal(line_with(text, "virtual machine", line),
			    "    virtual machine          yes");
	assert_string_equal(line_with(text, "threads on", line),
			    "    threads on NUMA node     0");
	assert_string_equal(line_with(text, "NUMA nodes", line),
			    "    NUMA nodes               1");
	assert_string_equal(line_with(text, "leave that state", line),
			    "    to leave that state      1 us");
	assert_string_equal(line_with(text, "size of huge", line),
			    "    size of huge pages       2M");
	assert_string_equal(line_with(text, "may be locked", line),
			    "    may be locked            unlimited");
	assert_string_equal(line_with(text, "link width", line),
			    "    link width               x16");
	assert_string_equal(line_with(text, "link speed", line),
			    "    link speed               32 GT/s");
	free(text);
}

TEST(test_devices_without_gid_and_infiniband)
{
	struct result *r = result_latency(1);
	struct found_port found = { .port = r->client };
	char line[200], *text;

	found.port.n_gids = 0;
	text = report_devices(&found, 1);
	assert_string_equal(line_with(text, "InfiniBand", line),
			    "rxe0 port 1: ACTIVE, InfiniBand 100 Gb/s, MTU "
			    "1024, LID 17, firmware 1.2.3");
	assert_contains(text, "  the LID would be used, with a GID across "
			      "subnets\n");
	free(text);
	found.port.link_layer = IBV_LINK_LAYER_ETHERNET;
	text = report_devices(&found, 1);
	assert_contains(text, "  no GID would be chosen: there is none; give "
			      "the interface an address\n");
	free(text);
	text = report_devices(&found, 0);
	assert_non_null(text);
	free(text);
	result_free(r);
}

TEST(test_output_errors)
{
	struct error err = { 0 };

	assert_int_equal(report_print("/dev/full", strdup("text\n"), &err),
			 -ENOSPC);
	assert_message(&err, "cannot write /dev/full: No space left on device");
	assert_string_equal(err.code, "ENOSPC");
	error_clear(&err);
	assert_int_equal(report_print("/nowhere/at/all", strdup("x"), &err),
			 -ENOENT);
	assert_message(&err, "cannot write /nowhere/at/all: No such file or "
			     "directory");
	error_clear(&err);
	assert_int_equal(report_print("/", strdup("x"), &err), -EISDIR);
}

TEST(test_output_to_a_file)
{
	char path[] = "/tmp/verbsperf-test-XXXXXX", text[20] = "";
	struct error err = { 0 };
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, "something longer\n", 17), 17);
	close(fd);
	assert_int_equal(report_print(path, strdup("short\n"), &err), 0);
	/* it may be another one */
	fd = open(path, O_RDONLY);
	assert_int_equal(pread(fd, text, sizeof(text), 0), 6);
	assert_string_equal(text, "short\n");
	unlink(path);
	close(fd);
}

/* What does not fit leaves the file as it was, and nothing beside it. */
TEST(test_output_to_a_full_disk)
{
	char folder[] = "/tmp/verbsperf-test-XXXXXX", path[60], was[20] = "";
	struct rlimit all, least = { 4, 4 };
	struct error err = { 0 };
	int fd, ret;

	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/out", folder);
	fd = open(path, O_RDWR | O_CREAT, 0600);
	assert_int_equal(write(fd, "old\n", 4), 4);
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &all), 0);
	least.rlim_max = all.rlim_max;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &least), 0);
	ret = report_print(path, strdup("something longer\n"), &err);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &all), 0);
	signal(SIGXFSZ, SIG_DFL);
	assert_int_equal(ret, -EFBIG);
	assert_contains(err.message, "cannot write ");
	assert_int_equal(pread(fd, was, sizeof(was), 0), 4);
	assert_string_equal(was, "old\n");
	close(fd);
	unlink(path);
	assert_int_equal(rmdir(folder), 0);
}

/* stdout that is full: the reader must not take half a table for a whole. */
TEST(test_full_stdout)
{
	struct error err = { 0 };
	int saved = dup(1), ret;

	assert_true(saved >= 0);
	fflush(stdout);
	assert_non_null(freopen("/dev/full", "w", stdout));
	ret = report_print("-", strdup("text\n"), &err);
	clearerr(stdout);
	dup2(saved, 1);
	close(saved);
	assert_int_equal(ret, -ENOSPC);
	assert_contains(err.message, "cannot write to stdout: No space");
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_bandwidth),
	cmocka_unit_test(test_failed_half_way),
	cmocka_unit_test(test_latency),
	cmocka_unit_test(test_cpu),
	cmocka_unit_test(test_nodes),
	cmocka_unit_test(test_memory),
	cmocka_unit_test(test_no_samples_and_one),
	cmocka_unit_test(test_intervals_and_threads),
	cmocka_unit_test(test_why_there_is_no_peak),
	cmocka_unit_test(test_why_there_is_no_percentile),
	cmocka_unit_test(test_caveats),
	cmocka_unit_test(test_clocks),
	cmocka_unit_test(test_drained),
	cmocka_unit_test(test_reservations_of_perftest),
	cmocka_unit_test(test_mistimed),
	cmocka_unit_test(test_relaxed_order),
	cmocka_unit_test(test_events),
	cmocka_unit_test(test_intervals_that_differ),
	cmocka_unit_test(test_percentiles_of_choice),
	cmocka_unit_test(test_no_row_is_wider_than_119),
	cmocka_unit_test(test_histogram_and_samples),
	cmocka_unit_test(test_nothing_measured),
	cmocka_unit_test(test_devices),
	cmocka_unit_test(test_devices_that_cannot_be_opened),
	cmocka_unit_test(test_devices_as_json),
	cmocka_unit_test(test_small_message_rates),
	cmocka_unit_test(test_facts_for_people),
	cmocka_unit_test(test_devices_without_gid_and_infiniband),
	cmocka_unit_test(test_output_errors),
	cmocka_unit_test(test_output_to_a_file),
	cmocka_unit_test(test_output_to_a_full_disk),
	cmocka_unit_test(test_full_stdout),
};

TEST_MAIN(tests, 10)
