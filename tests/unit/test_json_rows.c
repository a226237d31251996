/* JSON: what a row has beyond averages. */
#include "config.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>

#include "json_checks.h"
#include "report/report.h"
#include "results.h"

TEST(test_intervals)
{
	struct result *r = result_bandwidth();
	json_t *root;

	result_add_intervals(r);
	root = document(r);
	assert_int_equal(json_array_size(at(root, "results.1.intervals")), 20);
	check_number(root, "results.0.intervals.3.start", 0.075);
	check_number(root, "results.0.intervals.3.seconds", 0.025);
	check_number(root, "results.0.intervals.3.iterations", 55000);
	check_number(root, "results.0.intervals.3.gbps",
		     55000 * 64 * 8 / 0.025 / 1e9);
	check_number(root, "results.0.intervals.3.mpps", 2.2);
	check_number(root, "results.0.bandwidth.peak_gbps",
		     55000 * 64 * 8 / 0.025 / 1e9);
	assert_true(json_number_value(at(root, "results.0.bandwidth."
					       "ci95_gbps.0")) < 1.024);
	assert_true(json_number_value(at(root, "results.0.bandwidth."
					       "ci95_gbps.1")) > 1.024);
	check_null(root, "results.0.threads");
	check_null(root, "results.0.histogram");
	check_number(root, "results.0.post_list", 1);
	json_decref(root);
}

/* What is made of them stays. */
TEST(test_intervals_left_out)
{
	struct result *r = result_bandwidth();
	char *text;
	json_t *root;

	result_add_intervals(r);
	r->params.no_intervals = true;
	r->n_rows = 1;
	text = report_json(r);
	assert_null(strstr(strstr(text, "\"gbps\"") + 1, "\"gbps\""));
	free(text);
	root = document(r);
	check_null(root, "results.0.intervals");
	check_number(root, "results.0.bandwidth.peak_gbps",
		     55000 * 64 * 8 / 0.025 / 1e9);
	json_decref(root);
}

/* Either bound alone says nothing, and NaN is no JSON. */
TEST(test_an_interval_of_which_one_bound_is_unknown)
{
	for (int i = 0; i < 2; i++) {
		struct result *r = result_bandwidth();
		double *ci = r->rows[0].total.bandwidth.ci95_gbps;
		json_t *root;

		ci[i] = 1;
		ci[!i] = NAN;
		root = document(r);
		check_null(root, "results.0.bandwidth.ci95_gbps");
		json_decref(root);
	}
}

TEST(test_intervals_of_the_control_path)
{
	struct result *r = result_bandwidth();
	json_t *root;

	result_add_intervals(r);
	r->params.plan.control = CONTROL_REG_MR;
	root = document(r);
	check_null(root, "results.0.intervals.3.gbps");
	check_null(root, "results.0.intervals.3.mib_per_s");
	check_number(root, "results.0.intervals.3.mpps", 2.2);
	json_decref(root);
}

TEST(test_what_the_sender_did_not_say)
{
	struct result *r = result_bandwidth();
	json_t *root;

	r->rows[0].total.sent_unknown = true;
	r->rows[0].total.checked = false;
	root = document(r);
	check_null(root, "results.0.bandwidth.sent");
	check_null(root, "results.0.bandwidth.received");
	check_null(root, "results.0.bandwidth.lost");
	json_decref(root);
}

TEST(test_threads)
{
	struct result *r = result_bandwidth();
	json_t *root;

	result_add_threads(r);
	root = document(r);
	assert_int_equal(json_array_size(at(root, "results.0.threads")), 2);
	check_number(root, "results.0.threads.0.thread", 0);
	check_number(root, "results.0.threads.0.cpu", 3);
	check_number(root, "results.0.threads.0.qps", 1);
	check_number(root, "results.0.threads.0.seconds", 0.5);
	check_number(root, "results.0.threads.0.mpps", 1.2);
	check_number(root, "results.0.threads.1.thread", 1);
	check_null(root, "results.0.threads.1.cpu");
	check_null(root, "results.0.threads.1.seconds");
	check_null(root, "results.0.threads.1.gbps");
	check_null(root, "results.0.intervals");
	json_decref(root);
}

TEST(test_cpu)
{
	struct result *r = result_bandwidth();
	json_t *root;

	result_add_cpu(r);
	root = document(r);
	check_number(root, "results.0.cpu.client.seconds", 0.5);
	check_number(root, "results.0.cpu.client.user_seconds", 0.49);
	check_number(root, "results.0.cpu.client.system_seconds", 0.01);
	check_number(root, "results.0.cpu.client.utilization_percent", 100);
	check_number(root, "results.0.cpu.client.host_utilization_percent",
		     31.5);
	check_number(root, "results.0.cpu.client.stolen_percent", 1);
	check_number(root, "results.0.cpu.client.voluntary_switches", 3);
	check_number(root, "results.0.cpu.client.involuntary_switches", 4);
	check_number(root, "results.0.cpu.client.ns_per_message", 500);
	check_number(root, "results.0.cpu.client.ns_per_gb", 500e9 / 64);
	check_number(root, "results.1.cpu.client.ns_per_gb", 500e9 / 65536);
	check_null(root, "results.0.cpu.client.interrupts");
	check_number(root, "results.0.cpu.client.threads.0.cpu", 3);
	check_number(root, "results.0.cpu.client.threads.0.loop_seconds", 0.5);
	check_number(root, "results.0.cpu.client.threads.0.on_cpu_percent",
		     98);
	check_number(root, "results.0.cpu.client.threads.0.user_seconds",
		     0.48);
	check_null(root, "results.0.cpu.client.threads.0."
			 "involuntary_switches");
	check_number(root, "results.0.cpu.server.ns_per_message", 0.25);
	check_number(root, "results.0.cpu.server.interrupts", 1234);
	check_null(root, "results.0.cpu.server.host_utilization_percent");
	check_null(root, "results.0.cpu.server.stolen_percent");
	assert_true(json_is_array(at(root, "results.0.cpu.server.threads")));
	check_null(root, "results.1.cpu.server");
	json_decref(root);
}

/* Each direction has its own window, and both have messages. */
TEST(test_cpu_of_two_directions)
{
	struct result *r = result_bandwidth();
	json_t *root;

	result_add_cpu(r);
	r->rows[0].n_directions = 2;
	r->rows[0].total.bandwidth.mpps = 4;
	root = document(r);
	check_number(root, "results.0.cpu.client.ns_per_message", 250);
	json_decref(root);
	r = result_bandwidth();
	result_add_cpu(r);
	r->rows[0].total.seconds = 0;		/* it failed */
	root = document(r);
	check_null(root, "results.0.cpu.client.ns_per_message");
	json_decref(root);
}

TEST(test_percentiles_of_choice)
{
	struct result *r = result_latency(3000);
	json_t *root;

	r->params.percentiles = (struct percentiles){ 3, { 995000, 500000,
							   999999 } };
	r->rows[0].percentiles[0] = 2.6;
	r->rows[0].percentiles[1] = 2;
	r->rows[0].percentiles[2] = NAN;
	r->params.samples = "file";
	r->rows[0].samples_dropped = 7;
	root = document(r);
	assert_int_equal(json_object_size(at(root, "results.0.latency."
						   "percentiles")), 3);
	/* at() takes a point for another level */
	assert_true(json_real_value(json_object_get(
		at(root, "results.0.latency.percentiles"), "99.5")) == 2.6);
	check_number(root, "results.0.latency.percentiles.50", 2);
	assert_true(json_is_null(json_object_get(
		at(root, "results.0.latency.percentiles"), "99.9999")));
	check_number(root, "results.0.latency.samples_dropped", 7);
	json_decref(root);
}

TEST(test_histogram)
{
	static const struct histogram_bin bins[] = {
		{ 2000, 2000, 12 }, { 2600.5, 2601.25, 1ULL << 40 }
	};
	struct result *r = result_latency(3000);
	json_t *root;

	r->rows[0].n_bins = 2;
	r->rows[0].bins = calloc(2, sizeof(*bins));
	memcpy(r->rows[0].bins, bins, sizeof(bins));
	root = document(r);
	check_string(root, "results.0.histogram.unit", "ns");
	assert_int_equal(json_array_size(at(root, "results.0.histogram.bins")),
			 2);
	check_number(root, "results.0.histogram.bins.0.0", 2000);
	check_number(root, "results.0.histogram.bins.1.0", 2600.5);
	check_number(root, "results.0.histogram.bins.1.1", 2601.25);
	check_number(root, "results.0.histogram.bins.1.2", 1ULL << 40);
	json_decref(root);
}

TEST(test_open_loop)
{
	struct result *r = result_latency(3000);
	json_t *root;

	r->params.plan.rate = RATE_MESSAGES | 500000000;	/* 0.5 Mpps */
	r->rows[0].load = load_summarise(&r->params.plan, 2, 3000, 0.01, 2900);
	root = document(r);
	check_string(root, "test.load", "open");
	check_string(root, "results.0.latency.definition",
		     "round trip from the intended start");
	check_number(root, "results.0.latency.requested_mpps", 0.5);
	check_number(root, "results.0.latency.achieved_mpps", 0.3);
	check_number(root, "results.0.latency.late", 2900);
	assert_true(json_is_true(at(root, "results.0.latency.saturated")));
	json_decref(root);
}

/* Both ends sent: each direction by itself, and their sum above. */
TEST(test_directions)
{
	struct result *r = result_bandwidth();
	struct result_row *row = &r->rows[0];
	json_t *root;

	r->params.plan.bidirectional = true;
	row->n_directions = 2;
	for (int i = 0; i < 2; i++)
		row->directions[i] = (struct result_direction){
			.from_client = i == 0,
			.iterations = i ? 400000 : 600000,
			.seconds = i ? 0 : 0.5,
			.bandwidth = summary_bandwidth(i ? 0 : 600000, 64,
						       i ? 0 : 0.5),
			.sent = 700000,
			.received = 699990,
			.checked = i == 0,
			.sent_unknown = i == 1,
		};
	root = document(r);
	check_string(root, "test.direction", "bi");
	assert_int_equal(json_array_size(at(root, "results.0.directions")), 2);
	check_string(root, "results.0.directions.0.from", "client");
	check_string(root, "results.0.directions.1.from", "server");
	check_number(root, "results.0.directions.0.iterations", 600000);
	check_number(root, "results.0.directions.0.seconds", 0.5);
	check_number(root, "results.0.directions.0.bandwidth.mpps", 1.2);
	check_number(root, "results.0.directions.0.bandwidth.lost", 10);
	check_null(root, "results.0.directions.1.seconds");
	check_null(root, "results.0.directions.1.bandwidth.gbps");
	check_null(root, "results.0.directions.1.bandwidth.sent");
	check_null(root, "results.0.directions.1.bandwidth.lost");
	check_null(root, "results.0.directions.1.threads");
	check_null(root, "results.1.directions");
	json_decref(root);
}

TEST(test_lost_and_verified)
{
	struct result *r = result_latency(3000);
	json_t *root;

	r->params.plan.transport = TRANSPORT_UD;
	r->params.plan.verify = true;
	r->rows[0].lost = 7;
	r->rows[0].inline_size = 220;
	root = document(r);
	check_number(root, "results.0.latency.lost", 7);
	check_number(root, "results.0.inline", 220);
	assert_true(json_is_true(at(root, "results.0.verified")));
	json_decref(root);
	r = result_bandwidth();
	r->params.plan.verify = true;
	r->rows[1].failed = true;	/* it may be what was wrong */
	root = document(r);
	assert_true(json_is_true(at(root, "results.0.verified")));
	assert_true(json_is_false(at(root, "results.1.verified")));
	json_decref(root);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_intervals),
	cmocka_unit_test(test_intervals_left_out),
	cmocka_unit_test(test_an_interval_of_which_one_bound_is_unknown),
	cmocka_unit_test(test_intervals_of_the_control_path),
	cmocka_unit_test(test_what_the_sender_did_not_say),
	cmocka_unit_test(test_threads),
	cmocka_unit_test(test_cpu),
	cmocka_unit_test(test_cpu_of_two_directions),
	cmocka_unit_test(test_percentiles_of_choice),
	cmocka_unit_test(test_histogram),
	cmocka_unit_test(test_directions),
	cmocka_unit_test(test_lost_and_verified),
	cmocka_unit_test(test_open_loop),
};

TEST_MAIN(tests, 11)
