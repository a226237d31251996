/* What is said of limits: on stderr, below the table and in the JSON. */
#include "config.h"
#include "test.h"

#include <stdio.h>

#include "base/xalloc.h"
#include "json_checks.h"
#include "model/cpu_cost.h"
#include "model/timeline.h"
#include "report/report.h"
#include "results.h"

/* What report_limits() says of R, which says nothing if all are MET. */
static const char *said(const struct result *r, bool met, char text[2000])
{
	char path[] = "/tmp/verbsperf-test-XXXXXX";
	int saved = dup(STDERR_FILENO), fd = mkstemp(path);
	ssize_t n;

	assert_true(saved >= 0 && fd >= 0);
	dup2(fd, STDERR_FILENO);
	report_limits(r);
	dup2(saved, STDERR_FILENO);
	n = pread(fd, text, 1999, 0);
	text[n > 0 ? n : 0] = '\0';
	unlink(path);
	close(fd);
	close(saved);
	assert_int_equal(!text[0], met);
	return text;
}

#define SAID "verbsperf: limit not met: "

TEST(test_one_sentence_each)
{
	struct result *r = result_bandwidth();
	char text[2000];

	result_demand(r, LIMIT_MIN_GBPS, 0.5);
	assert_string_equal(said(r, true, text), "");
	result_demand(r, LIMIT_MIN_GBPS, 2000);
	result_demand(r, LIMIT_MIN_MPPS, 2.25);
	assert_string_equal(
		said(r, false, text),
		SAID "--min-gbps 2000: 1.024 Gb/s at size 64 on 2 QPs\n"
		SAID "--min-gbps 2000: 1048.58 Gb/s at size 65536 on 2 QPs\n"
		SAID "--min-mpps 2.25: 2 Mpps at size 64 on 2 QPs\n"
		SAID "--min-mpps 2.25: 2 Mpps at size 65536 on 2 QPs\n");
	result_free(r);
	r = result_tail();
	result_demand(r, LIMIT_MAX_P99, 2.4);
	r->rows[0].latency.p99_9 = NAN;
	r->rows[0].latency.samples = 1000;
	result_demand(r, LIMIT_MAX_P99_9, 9);
	assert_string_equal(
		said(r, false, text),
		SAID "--max-p99 2.4: 2.5 us at size 2 on 1 QP\n"
		SAID "--max-p99.9 9: cannot be judged at size 2 on 1 QP: 1000 "
		"of the 2995 samples that it needs\n");
	result_free(r);
	r = result_bandwidth();
	result_add_intervals(r);
	r->client.rate_mbps = r->server.rate_mbps = 100000;
	r->params.limits[LIMIT_MIN_INTERVAL_GBPS] =
		(struct limit){ true, true, 50 };
	r->n_rows = r->params.plan.sizes.n = 1;
	assert_string_equal(
		said(r, false, text),
		SAID "--min-interval-gbps 50% (21.9178 Gb/s): 0.9216 Gb/s at "
		"size 64 on 2 QPs, in the interval 0.000-0.025 s\n");
	result_free(r);
	r = result_datagrams();
	result_demand(r, LIMIT_MAX_LOST, 0.1);
	assert_string_equal(said(r, false, text), SAID "--max-lost 0.1: 0.5% "
			    "at size 64 on 2 QPs\n");
	result_free(r);
}

/* A reading at NS: RNR_NAKS of the device, and so much of the process. */
static void read_at(struct timeline *t, uint64_t ns, uint64_t rnr_naks,
		    uint64_t process_ns)
{
	struct counter *list = xcalloc(2, sizeof(*list));

	list[0] = (struct counter){ "link_downed", true, 3 };
	list[1] = (struct counter){ "rnr_nak_retry_err", true, rnr_naks };
	timeline_add(t, &(struct moment){
		.ns = ns, .counters = { .n = 2, .list = list },
		.throttled = rnr_naks ? 5 : CPU_UNKNOWN,
		.process_ns = process_ns, .host_busy_ns = 2 * process_ns,
		.host_ns = 4 * ns,
	});
}

TEST(test_what_happened_in_the_slowest_interval)
{
	static const struct interval third = { 200, 100, 1 };
	static const struct interval brief[] = { { 10, 20, 1 },
						 { 390, 10, 1 } };
	struct result *r = result_bandwidth();
	struct timeline *t = &r->rows[0].timeline;
	char text[2000], *said_of;

	result_add_intervals(r);
	result_demand(r, LIMIT_MIN_INTERVAL_GBPS, 1);
	r->n_rows = r->params.plan.sizes.n = 1;
	/* the readings come a little late */
	read_at(t, 1000000, 0, 1000000);
	assert_null(strstr(said(r, false, text), "meanwhile"));
	read_at(t, 26000000, 12, 6000000);
	read_at(t, 51000000, 12, 31000000);
	assert_string_equal(
		strchr(said(r, false, text), '\n') + 1,
		"verbsperf: meanwhile, at the client: rnr_nak_retry_err +12, "
		"this process used 20% of a CPU (60% in all), the CPUs were "
		"10% busy (30%)\n");
	/* many readings share the memory, and still reach to the end */
	for (uint32_t i = 0; i < 10 * TIMELINE_MAX; i++)
		read_at(t, 60000000 + i, i, 31000000);
	assert_true(t->n <= TIMELINE_MAX);
	assert_int_equal(t->list[0].ns, 1000000);
	timeline_free(t);
	for (uint32_t i = 0; i < 5; i++)
		read_at(t, i * 100, 1 + i, i * 50);
	t->list[3].throttled = t->list[4].throttled = 7;
	said_of = timeline_describe(t, &third);
	assert_string_equal(said_of, "rnr_nak_retry_err +1, CPUs throttled 2 "
			    "times, this process used 50% of a CPU (50% in "
			    "all), the CPUs were 25% busy (25%)");
	free(said_of);
	/* what is shorter than the time between two readings */
	for (uint32_t i = 0; i < COUNT(brief); i++) {
		said_of = timeline_describe(t, &brief[i]);
		assert_string_equal(said_of, "rnr_nak_retry_err +1, this "
				    "process used 50% of a CPU (50% in all), "
				    "the CPUs were 25% busy (25%)");
		free(said_of);
	}
	result_free(r);
}

/* Each counter is a limit of its own. */
TEST(test_counters)
{
	struct counter downed = { "link_downed", true, 7 };
	struct result *r = result_bandwidth();
	char text[2000], *table;
	json_t *root;

	r->rows[0].at[0].counters = (struct counters){ 1, 1, &downed };
	r->rows[1].at[1].counters = (struct counters){ 1, 1, &downed };
	r->params.counter_limits = (struct counter_limits){
		2, { { "link_downed", 0 }, { "RNR sent", 9 } },
	};
	assert_string_equal(
		said(r, false, text),
		SAID "--max-counter link_downed=0: 7 at the server at size 64 "
		"on 2 QPs\n"
		SAID "--max-counter link_downed=0: 7 at the client at size "
		"65536 on 2 QPs\n"
		SAID "--max-counter RNR sent=9: cannot be judged at size 64 on "
		"2 QPs: neither end has that counter\n"
		SAID "--max-counter RNR sent=9: cannot be judged at size 65536 "
		"on 2 QPs: neither end has that counter\n");
	table = report_text(r);
	assert_contains(table, "\n limits: --max-counter link_downed=0, "
			"--max-counter RNR sent=9: 4 of 4 not met\n");
	free(table);
	memset(r->rows[0].at, 0, sizeof(r->rows[0].at));
	r->rows[1].at[1].counters = (struct counters){ 0 };
	r->n_rows = 0;
	assert_string_equal(
		said(r, false, text),
		SAID "--max-counter link_downed=0: cannot be judged at size 64 "
		"and 1 more on 2 QPs: the run ended before them\n"
		SAID "--max-counter RNR sent=9: cannot be judged at size 64 "
		"and 1 more on 2 QPs: the run ended before them\n");
	root = document(r);
	check_string(root, "parameters.max-counter",
		     "link_downed=0,RNR sent=9");
	check_string(root, "limits.0.counter", "link_downed");
	check_null(root, "limits.0.unit");
	check_null(root, "limits.0.end");
	json_decref(root);
}

/* Nobody wants to read that 10 is less than 10. */
TEST(test_what_is_nearly_enough)
{
	struct result *r = result_datagrams();
	char text[2000];

	result_demand(r, LIMIT_MIN_GBPS, 10);
	r->rows[0].total.bandwidth.gbps = 9.99999997;
	assert_string_equal(said(r, false, text), SAID "--min-gbps 10: "
			    "9.99999997 Gb/s at size 64 on 2 QPs\n");
	r->rows[0].total.bandwidth.gbps = nextafter(10, 0);
	assert_contains(said(r, false, text), ": 9.999999999999998 Gb/s");
	result_free(r);
	r = result_tail();
	result_demand(r, LIMIT_MAX_P50, 20000000);
	r->rows[0].latency.p50 = 20000000.25;
	assert_contains(said(r, false, text), "--max-p50 20000000: "
					      "20000000.25 us");
	result_free(r);
}

/* Sizes that a run did not come to: one sentence for all of them. */
TEST(test_sizes_without_a_row)
{
	struct result *r = result_bandwidth();
	char text[2000];

	result_demand(r, LIMIT_MIN_GBPS, 1);
	result_demand(r, LIMIT_MIN_MPPS, 3);
	r->n_rows = 1;
	assert_string_equal(
		said(r, false, text),
		SAID "--min-gbps 1: cannot be judged at size 65536 on 2 QPs: "
		"the run ended before that size\n"
		SAID "--min-mpps 3: 2 Mpps at size 64 on 2 QPs\n"
		SAID "--min-mpps 3: cannot be judged at size 65536 on 2 QPs: "
		"the run ended before that size\n");
	r->n_rows = 0;
	assert_string_equal(
		said(r, false, text),
		SAID "--min-gbps 1: cannot be judged at size 64 and 1 more on "
		"2 QPs: the run ended before them\n"
		SAID "--min-mpps 3: cannot be judged at size 64 and 1 more on "
		"2 QPs: the run ended before them\n");
	result_free(r);
}

static void check_line(const struct result *r, const char *line)
{
	char *text = report_text(r);

	if (line)
		assert_contains(text, line);
	else
		assert_null(strstr(text, "limits:"));
	free(text);
}

TEST(test_line_below_the_table)
{
	struct result *r = result_bandwidth();

	check_line(r, NULL);
	result_demand(r, LIMIT_MIN_GBPS, 0.5);
	check_line(r, "\n limits: --min-gbps 0.5: all met\n");
	r->params.plan.sizes.n = r->n_rows = 1;
	check_line(r, "\n limits: --min-gbps 0.5: met\n");
	result_demand(r, LIMIT_MIN_GBPS, 50);
	check_line(r, "\n limits: --min-gbps 50: not met\n");
	r->params.plan.sizes.n = r->n_rows = 2;
	result_demand(r, LIMIT_MIN_GBPS, 0.5);
	result_demand(r, LIMIT_MIN_MPPS, 2.5);
	check_line(r, "\n limits: --min-gbps 0.5, --min-mpps 2.5: 2 of 4 not "
		      "met\n");
	r->n_rows = 0;
	check_line(r, NULL);
	result_free(r);
}

TEST(test_json)
{
	struct result *r = result_bandwidth();
	json_t *root;

	result_demand(r, LIMIT_MIN_GBPS, 99.5);
	r->n_rows = 1;
	root = document(r);
	check_number(root, "parameters.min-gbps", 99.5);
	assert_int_equal(json_array_size(at(root, "limits")), 2);
	check_string(root, "limits.0.name", "min-gbps");
	check_number(root, "limits.0.asked", 99.5);
	check_string(root, "limits.0.unit", "Gb/s");
	check_number(root, "limits.0.seen", 1.024);
	check_number(root, "limits.0.size", 64);
	check_number(root, "limits.0.qps", 2);
	assert_true(json_is_false(at(root, "limits.0.met")));
	check_null(root, "limits.0.reason");
	check_number(root, "limits.1.size", 65536);
	check_null(root, "limits.1.seen");
	assert_true(json_is_false(at(root, "limits.1.met")));
	check_string(root, "limits.1.reason",
		     "the run ended before that size");
	json_decref(root);
	r = result_tail();
	result_demand(r, LIMIT_MAX_P99_9, 8);
	root = document(r);
	assert_int_equal(json_array_size(at(root, "limits")), 1);
	assert_true(json_is_true(at(root, "limits.0.met")));
	check_null(root, "limits.0.reason");
	json_decref(root);
	root = document(result_bandwidth());
	check_null(root, "limits");
	json_decref(root);
}

TEST(test_nothing_is_said_at_a_server)
{
	struct result *r = result_datagrams();
	char text[2000];

	result_demand(r, LIMIT_MIN_GBPS, 1000);
	r->at_server = true;
	assert_string_equal(said(r, true, text), "");
	check_line(r, NULL);
	r->at_server = false;
	r->params.plan.check = true;
	assert_string_equal(said(r, true, text), "");
	check_line(r, NULL);
	result_free(r);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_one_sentence_each),
	cmocka_unit_test(test_what_happened_in_the_slowest_interval),
	cmocka_unit_test(test_counters),
	cmocka_unit_test(test_what_is_nearly_enough),
	cmocka_unit_test(test_sizes_without_a_row),
	cmocka_unit_test(test_line_below_the_table),
	cmocka_unit_test(test_json),
	cmocka_unit_test(test_nothing_is_said_at_a_server),
};

TEST_MAIN(tests, 10)
