/* What the reports say of a test of the control path. */
#include "config.h"
#include "test.h"

#include <errno.h>

#include "base/xalloc.h"
#include "json_checks.h"
#include "report/report.h"
#include "report/stream.h"

static struct latency_summary times(double us)
{
	return (struct latency_summary){
		.samples = 100,
		.min = us / 2,
		.mean = us,
		.stddev = 1,
		.max = 2 * us,
		.p50 = us,
		.p90 = us,
		.p99 = us,
		.p99_9 = NAN,
		.p99_99 = NAN,
	};
}

/* 4 KiB were registered, as many as there could be. */
static struct result *held(void)
{
	struct result *r = xcalloc(1, sizeof(*r));
	struct control_row *c = xcalloc(1, sizeof(*c));
	struct result_row *row = &r->rows[0];

	param_defaults(&r->params);
	r->alone = true;
	r->params.plan.control = CONTROL_REG_MR;
	r->params.plan.metric = METRIC_LATENCY;
	r->params.pattern = CONTROL_HOLD;
	r->params.plan.sizes = (struct sizes){ 1, { 4096 } };
	strcpy(r->client.hostname, "host1");
	strcpy(r->client.device, "rxe0");
	strcpy(r->clock.source, "tsc");
	r->client.number = 1;
	r->n_rows = 1;
	row->size = 4096;
	row->total.iterations = 100;
	row->total.seconds = 0.5;
	row->latency = times(12);
	row->control = c;
	c->most = 100;
	c->per_second = 200;
	c->pinned_gb_per_s = 0.25;
	c->n_parts = 2;
	c->parts[0] = (struct control_part){ "register", false, times(12) };
	c->parts[1] = (struct control_part){ "deregister", true, times(5) };
	c->n_spans = 2;
	c->spans[0] = (struct control_span){ 0, 9, times(11),
					     { times(11), times(4) } };
	c->spans[1] = (struct control_span){ 10, 99, times(13),
					     { times(13), times(6) } };
	c->wall_ns = 13000;
	c->cpu_ns = 12000;
	c->user_ns = 2000;
	c->system_ns = 10000;
	strcpy(c->firmware.reason, "the driver does not tell");
	fail(&c->limit, -ENOMEM, "raise it", "no more");
	return r;
}

TEST(test_document)
{
	json_t *root = document(held());

	check_string(root, "test.name", "reg_mr");
	check_string(root, "test.operation", "reg_mr");
	check_string(root, "test.metric", "latency");
	check_null(root, "test.transport");
	check_null(root, "test.load");
	check_string(root, "parameters.pattern", "hold");
	check_string(root, "parameters.access", "local");
	check_null(root, "parameters.qps");
	check_null(root, "server.device");
	check_string(root, "results.0.latency.definition",
		     "time of the calls");
	check_null(root, "results.0.bandwidth");
	check_null(root, "results.0.tx_depth");
	check_null(root, "results.0.verified");
	check_string(root, "results.0.control.pattern", "hold");
	check_number(root, "results.0.control.most", 100);
	check_number(root, "results.0.control.per_second", 200);
	check_number(root, "results.0.control.pinned_gb_per_s", 0.25);
	check_string(root, "results.0.control.parts.1.name", "deregister");
	check_number(root, "results.0.control.parts.1.p50", 5);
	assert_true(json_is_false(at(
		root, "results.0.control.parts.1.in_latency")));
	assert_true(json_is_true(at(
		root, "results.0.control.parts.0.in_latency")));
	assert_int_equal(json_array_size(at(root, "results.0.control."
						  "existing")), 2);
	check_number(root, "results.0.control.existing.1.from", 10);
	check_number(root, "results.0.control.existing.1.to", 99);
	check_number(root, "results.0.control.existing.1.latency.p50", 13);
	check_number(root, "results.0.control.existing.1.parts.deregister.p50",
		     6);
	check_number(root, "results.0.control.time.waiting_ns", 1000);
	check_null(root, "results.0.control.firmware_commands");
	check_string(root, "results.0.control.limit.code", "ENOMEM");
	check_string(root, "results.0.control.limit.advice", "raise it");
	json_decref(root);
}

TEST(test_unknown_and_firmware)
{
	struct result *r = held();
	struct control_row *c = r->rows[0].control;
	json_t *root;
	char *text;

	c->cpu_ns = c->user_ns = c->system_ns = NAN;
	c->n_spans = 0;
	error_clear(&c->limit);
	c->firmware = (struct control_commands){
		.operations = 100,
		.given = 250,
		.ns = 1250,
		.n = 2,
		.named = { { "CREATE_MKEY", 200 }, { "DESTROY_MKEY", 50 } },
	};
	text = row_format_render(&control_format, r);
	assert_contains(text, "firmware commands of an operation: 2.5 "
			"(CREATE_MKEY 2, DESTROY_MKEY 0.5)\n");
	free(text);
	root = document(r);
	check_null(root, "results.0.control.time.cpu_ns");
	check_null(root, "results.0.control.time.waiting_ns");
	check_null(root, "results.0.control.existing");
	check_null(root, "results.0.control.limit");
	check_number(root, "results.0.control.firmware_commands.mean_ns", 5);
	check_number(root,
		     "results.0.control.firmware_commands.names.CREATE_MKEY",
		     2);
	json_decref(root);
}

static void check_text(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("'%s' is not in '%s'", part, text);
}

TEST(test_text)
{
	struct result *r = held();
	char *text;

	r->params.verbose = true;
	text = row_format_render(&control_format, r);
	check_text(text, " reg_mr: hold, 1 thread\n");
	check_text(text, " client: host1 rxe0 port 1, ");
	check_text(text, "  deregister* ");
	assert_null(strstr(text, "percentiles"));
	check_text(text, "   rate: 200 operations a second; pinned: 0.25 "
		   "GB/s\n");
	check_text(text, "   an operation: 13.00 us of its thread: processor "
		   "12.00 (user 2.00, system 10.00), waiting 1.00\n");
	check_text(text, "   firmware commands of an operation: - (the driver "
		   "does not tell)\n");
	check_text(text,
		   "   existing already, and t_typical[us]:  register "
		   "deregister\n"
		   "   0 to 9                                   11.00       "
		   "4.00\n"
		   "   10 to 99                                 13.00       "
		   "6.00\n"
		   "   limit reached with 100: no more\n     raise it\n");
	check_text(text, " time of the calls, after 0.2 s of warm-up");
	check_text(text, " *: not in the line above\n");
	free(text);
	r->rows[0].failed = true;
	r->params.percentiles = (struct percentiles){ 2, { 500000, 999900 } };
	r->rows[0].percentiles[0] = 12.5;
	r->rows[0].percentiles[1] = NAN;
	text = row_format_render(&control_format, r);
	check_text(text, "   percentiles [us]: 50% 12.50, 99.99% -\n");
	check_text(text, "   failed: what was measured until then\n");
	free(text);
	result_free(r);
}

/* Which percentiles the samples do not suffice for: the usual ones, and each
 * other that was asked for, once. */
TEST(test_too_few_samples)
{
	struct result *r = held();
	char *text;

	r->params.verbose = true;
	r->params.percentiles = (struct percentiles){ 4, { 999000, 500000,
							   999900, 990000 } };
	text = row_format_render(&control_format, r);
	check_text(text, " 99% needs 299, 99.9% needs 2995, 99.99% needs 29956 "
			 "samples");
	free(text);
	result_free(r);
}

/* Two decimals, or as many digits as a smaller number needs. */
TEST(test_small_numbers)
{
	struct result *r = held();
	char *text;

	r->rows[0].latency.min = 0.0123;
	r->rows[0].latency.p50 = 0.1;
	text = row_format_render(&control_format, r);
	check_text(text, " 0.0123 ");
	check_text(text, " 0.10 ");
	free(text);
	result_free(r);
}

/* A test without sizes and queue pairs has none in its document. */
TEST(test_no_size)
{
	struct result *r = held();
	json_t *root;

	r->params.plan.control = CONTROL_CREATE_CQ;
	r->params.plan.sizes.bytes[0] = r->rows[0].size = 0;
	r->params.limits[LIMIT_MAX_P50] =
		(struct limit){ .given = true, .value = 100 };
	root = document(r);
	check_null(root, "results.0.size");
	check_null(root, "results.0.qps");
	check_null(root, "limits.0.size");
	check_null(root, "limits.0.qps");
	json_decref(root);
	r = held();
	root = document(r);
	check_number(root, "results.0.size", 4096);
	check_null(root, "results.0.qps");
	json_decref(root);
}

/* It failed before anything was measured: only the reason is left to say. */
TEST(test_failed_at_once)
{
	struct result *r = held();
	char *text;

	r->rows[0].failed = true;
	r->rows[0].total.iterations = 0;
	text = row_format_render(&control_format, r);
	assert_string_equal(text, "");
	free(text);
	/* the second size of two */
	r->rows[1] = r->rows[0];
	r->rows[1].size = 8192;
	r->rows[1].control = xcalloc(1, sizeof(*r->rows[1].control));
	r->rows[0].failed = false;
	r->rows[0].total.iterations = 100;
	r->n_rows = 2;
	text = row_format_render(&control_format, r);
	check_text(text, " 4096 ");
	assert_null(strstr(text, " 8192 "));
	free(text);
	result_free(r);
}

TEST(test_ends)
{
	struct result *r = held();
	char *text = row_format_render(&control_format, r);

	assert_null(strstr(text, " server: "));
	free(text);
	r->alone = false;
	r->params.plan.control = CONTROL_CONNECT;
	strcpy(r->server.hostname, "host2");
	strcpy(r->server.device, "rxe1");
	r->server.number = 2;
	text = row_format_render(&control_format, r);
	check_text(text, " server: host2 rxe1 port 2, ");
	free(text);
	result_free(r);
}

TEST_FILE()
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_document),
		cmocka_unit_test(test_unknown_and_firmware),
		cmocka_unit_test(test_text),
	cmocka_unit_test(test_too_few_samples),
		cmocka_unit_test(test_small_numbers),
		cmocka_unit_test(test_no_size),
		cmocka_unit_test(test_failed_at_once),
		cmocka_unit_test(test_ends),
	};

	alarm(patient(10));
	return cmocka_run_group_tests(tests, NULL, NULL);
}
