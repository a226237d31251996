/* JSON, parsed back: every key, null for what was not measured. */
#include "config.h"
#include "test.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>

#include "every_fact.h"
#include "json_checks.h"
#include "results.h"
#include "traffic/clock.h"

static void check_all_keys(json_t *root)
{
	for (size_t i = 0; i < param_count; i++)
		if (!json_object_get(at(root, "parameters"),
				     param_table[i].name))
			fail_msg("no parameter %s", param_table[i].name);
	assert_int_equal(json_object_size(at(root, "parameters")),
			 param_count);
}

TEST(test_bandwidth)
{
	json_t *root = document(result_bandwidth());

	check_all_keys(root);
	check_string(root, "schema", "verbsperf/1");
	check_string(root, "tool.name", "verbsperf");
	check_number(root, "tool.protocol", 7);
	check_string(root, "started", "2023-11-14T22:13:20.123Z");
	check_string(root, "test.name", "send_bw");
	check_string(root, "test.metric", "bandwidth");
	check_string(root, "client.hostname", "alpha");
	check_string(root, "client.gid", "::ffff:10.0.0.1");
	check_string(root, "server.gid", "::ffff:10.0.0.2");
	check_string(root, "server.gid_type", "RoCE v2");
	check_null(root, "server.lid");
	check_null(root, "server.numa_node");
	check_number(root, "client.rate_gbps", 1600);
	check_number(root, "results.0.bandwidth.gbps", 1.024);
	check_number(root, "results.1.bandwidth.mib_per_s", 125000);
	check_number(root, "results.0.bandwidth.lost", 0);
	check_number(root, "results.1.cq_mod", 16);
	check_null(root, "results.0.latency");
	check_null(root, "results.0.directions");
	check_number(root, "results.0.inline", 0);
	assert_true(json_is_false(at(root, "results.0.verified")));
	check_null(root, "results.0.bandwidth.peak_gbps");
	check_null(root, "results.0.bandwidth.ci95_gbps");
	check_null(root, "error");
	check_null(root, "preflight");
	assert_int_equal(json_array_size(at(root, "results")), 2);
	json_decref(root);
}

/* What is known of a host, and null for what is not. */
TEST(test_environment)
{
	struct result *r = result_bandwidth();
	json_t *root;

	r->client.facts = every_fact();
	facts_set_text(&r->server.facts, FACT_KERNEL, "6.1");
	facts_set_real(&r->server.facts, FACT_PCIE_SPEED_GT, 2.5);
	facts_set_count(&r->server.facts, FACT_MEMLOCK_BYTES, 65536);
	facts_set_count(&r->server.facts, FACT_SMT, 0);
	root = document(r);
	for (int i = 0; i < FACTS; i++)
		if (!json_object_get(at(root, "environment.client"),
				     fact_table[i].key) ||
		    !json_object_get(at(root, "environment.server"),
				     fact_table[i].key))
			fail_msg("no fact %s", fact_table[i].key);
	assert_int_equal(json_object_size(at(root, "environment.server")),
			 FACTS);
	check_string(root, "environment.client.memlock_bytes", "unlimited");
	assert_true(json_is_true(at(root, "environment.client.smt")));
	check_number(root, "environment.client.link_downed", (double)INT64_MAX);
	check_string(root, "environment.server.kernel", "6.1");
	check_number(root, "environment.server.pcie_speed_gt", 2.5);
	check_number(root, "environment.server.memlock_bytes", 65536);
	assert_true(json_is_false(at(root, "environment.server.smt")));
	check_null(root, "environment.server.governor");
	json_decref(root);
	root = document(result_bandwidth());
	check_null(root, "environment.client");
	check_null(root, "environment.server");
	json_decref(root);
}

TEST(test_parameters_in_their_units)
{
	json_t *root = document(result_bandwidth());

	check_number(root, "parameters.duration", 1);
	check_number(root, "parameters.warmup", 0.2);
	check_number(root, "parameters.max-memory", 4294967296.0);
	check_number(root, "parameters.size.1", 65536);
	check_number(root, "parameters.sl", 0);
	check_null(root, "parameters.iterations");
	check_null(root, "parameters.cq-mod");
	check_null(root, "parameters.device");
	assert_true(json_is_false(at(root, "parameters.loopback")));
	assert_true(json_is_false(at(root, "parameters.round-trip")));
	check_string(root, "parameters.post", "auto");
	check_string(root, "parameters.clock", "auto");
	check_number(root, "parameters.wait", 0);
	check_null(root, "parameters.interval");
	check_null(root, "parameters.percentiles");
	check_null(root, "parameters.cpus");
	check_null(root, "parameters.samples");
	check_null(root, "parameters.min-gbps");
	check_null(root, "parameters.max-lost");
	check_null(root, "parameters.key-file");
	check_null(root, "parameters.allow");
	check_null(root, "parameters.max-duration");
	check_null(root, "parameters.ready-fd");
	json_decref(root);
}

TEST(test_parameters_that_are_lists_and_words)
{
	struct result *r = result_bandwidth();
	json_t *root;

	r->params.percentiles = (struct percentiles){ 2, { 500000, 999999 } };
	r->params.cpus = (struct cpus){ 3, { 4, 0, 65535 }, false };
	r->server.numa_node = 1;
	networks_parse("10.0.0.0/8,::1", &r->params.allow);
	r->params.numa = PARAM_NONE;
	r->params.plan.post = POST_LEGACY;
	r->params.clock = CLOCK_RAW;
	r->params.plan.interval = 250000000;
	r->params.plan.round_trip = true;
	root = document(r);
	assert_int_equal(json_array_size(at(root, "parameters.percentiles")),
			 2);
	check_number(root, "parameters.percentiles.0", 50);
	check_number(root, "parameters.percentiles.1", 99.9999);
	assert_int_equal(json_array_size(at(root, "parameters.cpus")), 3);
	check_number(root, "parameters.cpus.0", 4);
	check_number(root, "parameters.cpus.2", 65535);
	check_number(root, "server.numa_node", 1);
	check_string(root, "parameters.allow", "10.0.0.0/8,::1");
	check_string(root, "parameters.numa", "none");
	check_string(root, "parameters.post", "legacy");
	check_string(root, "parameters.clock", "monotonic_raw");
	check_number(root, "parameters.interval", 0.25);
	assert_true(json_is_true(at(root, "parameters.round-trip")));
	json_decref(root);
}

/* Those that shape the traffic: words, a rate, labels, and what is none. */
TEST(test_parameters_of_shapes)
{
	struct result *r = result_bandwidth();
	json_t *root;

	r->params.plan.transport = TRANSPORT_UD;
	r->params.plan.rate = RATE_MESSAGES | 1200000000;
	r->params.plan.flow_labels = (struct labels){ 2, { 7, LABEL_MAX } };
	r->params.plan.inline_size = 64;
	r->params.numa = PARAM_NONE;
	root = document(r);
	check_string(root, "parameters.transport", "UD");
	check_number(root, "parameters.rate.value", 1.2);
	check_string(root, "parameters.rate.unit", "Mpps");
	check_number(root, "parameters.flow-label.1", LABEL_MAX);
	check_number(root, "parameters.inline", 64);
	check_string(root, "parameters.numa", "none");
	json_decref(root);

	r = result_bandwidth();
	r->params.plan.rate = 2500000000;
	r->params.numa = 1;
	root = document(r);
	check_number(root, "parameters.rate.value", 2.5);
	check_string(root, "parameters.rate.unit", "Gb/s");
	check_number(root, "parameters.numa", 1);
	check_null(root, "parameters.flow-label");
	check_null(root, "parameters.inline");
	check_null(root, "parameters.dscp");
	check_string(root, "parameters.transport", "RC");
	json_decref(root);

	root = document(result_bandwidth());
	check_null(root, "parameters.rate");
	check_null(root, "parameters.numa");
	json_decref(root);
}

TEST(test_latency)
{
	json_t *root = document(result_latency(3000));

	check_all_keys(root);
	check_null(root, "results.0.latency.requested_mpps");
	check_null(root, "results.0.latency.late");
	check_string(root, "results.0.latency.definition", "half round trip");
	check_string(root, "results.0.latency.unit", "us");
	check_number(root, "results.0.latency.samples", 3000);
	check_number(root, "results.0.latency.min", 2);
	check_number(root, "results.0.latency.mean", 2.3);
	check_number(root, "results.0.latency.p99_9", 2.6);
	check_null(root, "results.0.latency.p99_99");
	check_null(root, "results.0.latency.percentiles");
	check_null(root, "results.0.latency.samples_dropped");
	check_null(root, "results.0.latency.lost");
	check_null(root, "results.0.bandwidth");
	check_number(root, "client.lid", 17);
	json_decref(root);
}

TEST(test_no_samples_and_one)
{
	static const char *const absent[] = { "min", "mean", "stddev", "p50",
					      "p90", "p99", "p99_9", "p99_99",
					      "max" };
	json_t *root = document(result_latency(0));
	char path[60];

	check_null(root, "results.0.seconds");
	check_number(root, "results.0.latency.samples", 0);
	for (size_t i = 0; i < COUNT(absent); i++) {
		snprintf(path, sizeof(path), "results.0.latency.%s",
			 absent[i]);
		check_null(root, path);
	}
	json_decref(root);
	root = document(result_latency(1));
	check_number(root, "results.0.latency.min", 2);
	check_null(root, "results.0.latency.stddev");
	check_null(root, "results.0.latency.p50");
	json_decref(root);
}

TEST(test_failed_half_way)
{
	struct result *r = result_bandwidth();
	json_t *root;

	r->n_rows = 1;
	r->rows[0].failed = true;
	r->rows[0].total.checked = false;
	r->rows[0].total.bandwidth = summary_bandwidth(0, 64, 0);
	r->rows[0].total.seconds = 0;
	error_stage(&r->error, "traffic");
	fail_code(&r->error, -EIO, "IBV_WC_RETRY_EXC_ERR", NULL, "no answer");
	root = document(r);
	check_all_keys(root);
	check_string(root, "error.stage", "traffic");
	check_string(root, "error.code", "IBV_WC_RETRY_EXC_ERR");
	check_string(root, "error.message", "no answer");
	check_null(root, "error.advice");
	check_null(root, "error.peer");
	assert_true(json_is_true(at(root, "results.0.failed")));
	check_null(root, "results.0.bandwidth.gbps");
	check_null(root, "results.0.bandwidth.received");
	check_null(root, "results.0.bandwidth.lost");
	check_null(root, "results.0.seconds");
	json_decref(root);
}

TEST(test_both_ends_failed)
{
	struct result *r = result_bandwidth();
	json_t *root;

	error_stage(&r->error, "traffic");
	fail_code(&r->error, -EIO, "IBV_WC_REM_ACCESS_ERR", NULL, "refused");
	error_stage(&r->peer_error, "traffic");
	fail_code(&r->peer_error, -EIO, "IBV_EVENT_QP_FATAL", "try", "gone");
	root = document(r);
	check_string(root, "error.code", "IBV_WC_REM_ACCESS_ERR");
	check_string(root, "error.peer.stage", "traffic");
	check_string(root, "error.peer.code", "IBV_EVENT_QP_FATAL");
	check_string(root, "error.peer.message", "gone");
	check_string(root, "error.peer.advice", "try");
	json_decref(root);
}

TEST(test_failed_before_the_connection)
{
	json_t *root = document(result_unconnected());
	size_t i = 0;
	const char *key;
	json_t *value;

	check_all_keys(root);
	assert_int_equal(json_array_size(at(root, "results")), 0);
	check_string(root, "client.device", "rxe0");
	check_null(root, "client.gid");
	json_object_foreach(at(root, "server"), key, value) {
		assert_true(json_is_null(value));
		i++;
	}
	assert_int_equal(i, 16);
	check_null(root, "clock.source");
	check_null(root, "clock.resolution_ns");
	check_string(root, "error.code", "ECONNREFUSED");
	json_decref(root);
}

/* Nothing is known at all: a client whose device is missing. */
TEST(test_nothing_known)
{
	struct result *r = calloc(1, sizeof(*r));
	json_t *root;

	param_defaults(&r->params);
	error_stage(&r->error, "device");
	fail(&r->error, -ENODEV, NULL, "there is no RDMA device");
	root = document(r);
	check_all_keys(root);
	check_null(root, "client.device");
	check_null(root, "client.link_layer");
	json_decref(root);
}

TEST(test_titles)
{
	static const char *const titles[] = {
		"plain", "with \"quotes\" and \\", "two\nlines\t\x01",
		"\xc3\xbc\xe2\x82\xac", "",
	};

	for (size_t i = 0; i < COUNT(titles); i++) {
		struct result *r = result_bandwidth();
		json_t *root;

		r->params.title = titles[i];
		root = document(r);
		if (titles[i][0])
			check_string(root, "title", titles[i]);
		else
			check_null(root, "title");
		json_decref(root);
	}
}

/* How a run ended is one field, which needs nothing beside it. */
TEST(test_outcomes)
{
	static const struct {
		const char *code;	/* of the run's error; NULL: none */
		double asked;		/* Mpps, of 2 and 2 */
		int ended_by;
		const char *verdict;
		int exit_status;
	} rows[] = {
		{ NULL, 1, 0, "ok", 0 },
		{ NULL, 1, SIGINT, "ok", 0 },
		{ NULL, 2.1, 0, "limit", 3 },
		{ "EIO", 1, 0, "failed", 1 },
		{ "EIO", 2.1, 0, "failed", 1 },
		{ "ECANCELED", 1, SIGINT, "interrupted", 130 },
		{ "ECANCELED", 1, SIGTERM, "interrupted", 143 },
		{ VERIFICATION_CODE, 2.1, 0, "data", 4 },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct result *r = result_bandwidth();
		json_t *root;

		error_stage(&r->error, "traffic");
		if (rows[i].code)
			fail_code(&r->error, -EIO, rows[i].code, NULL, "gone");
		result_demand(r, LIMIT_MIN_MPPS, rows[i].asked);
		r->ended_by = rows[i].ended_by;
		root = document(r);
		check_string(root, "outcome.verdict", rows[i].verdict);
		check_number(root, "outcome.exit_status", rows[i].exit_status);
		json_decref(root);
	}
}

/* Only the client judges. */
TEST(test_outcome_at_a_server)
{
	struct result *r = result_bandwidth();
	json_t *root;

	r->at_server = true;
	result_demand(r, LIMIT_MIN_MPPS, 100);
	root = document(r);
	check_string(root, "outcome.verdict", "ok");
	json_decref(root);
}

/* JSON is UTF-8: the document is valid, and says that there was something. */
TEST(test_title_that_is_not_utf8)
{
	static const char *const titles[] = { "\xff", "a\x80z",
					      "\xed\xa0\x80", "\xc0\x80" };

	for (size_t i = 0; i < COUNT(titles); i++) {
		struct result *r = result_bandwidth();
		json_t *root, *title;

		r->params.title = titles[i];
		root = document(r);
		check_all_keys(root);
		title = at(root, "title");
		assert_true(json_is_string(title));
		json_decref(root);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_bandwidth),
	cmocka_unit_test(test_environment),
	cmocka_unit_test(test_parameters_in_their_units),
	cmocka_unit_test(test_parameters_that_are_lists_and_words),
	cmocka_unit_test(test_parameters_of_shapes),
	cmocka_unit_test(test_latency),
	cmocka_unit_test(test_no_samples_and_one),
	cmocka_unit_test(test_failed_half_way),
	cmocka_unit_test(test_both_ends_failed),
	cmocka_unit_test(test_failed_before_the_connection),
	cmocka_unit_test(test_nothing_known),
	cmocka_unit_test(test_outcomes),
	cmocka_unit_test(test_outcome_at_a_server),
	cmocka_unit_test(test_titles),
	cmocka_unit_test(test_title_that_is_not_utf8),
};

TEST_MAIN(tests, 10)
