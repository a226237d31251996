/* verbsperf calibrate: the null provider, and what is said of it. */
#include "config.h"
#include "test.h"

#include <errno.h>

#include "json_checks.h"
#include "report/report.h"
#include "traffic/calibrate.h"
#include "traffic/null_provider.h"

TEST(test_the_null_provider)
{
	struct null_provider *p = calloc(1, sizeof(*p));
	struct ibv_send_wr quiet = { .wr_id = 1 }, *bad;
	struct ibv_send_wr told = { .wr_id = 2,
				    .send_flags = IBV_SEND_SIGNALED };
	struct ibv_wc wc[4];

	null_provider_init(p);
	quiet.next = &told;
	assert_int_equal(ibv_poll_cq(&p->cq, 4, wc), 0);
	assert_int_equal(ibv_post_send(&p->qp, &quiet, &bad), 0);
	assert_int_equal(ibv_poll_cq(&p->cq, 4, wc), 1);
	assert_int_equal(wc[0].wr_id, 2);
	assert_int_equal(wc[0].status, IBV_WC_SUCCESS);
	for (int i = 0; i < NULL_PROVIDER_RING; i++)
		assert_int_equal(ibv_post_send(&p->qp, &told, &bad), 0);
	assert_int_equal(ibv_post_send(&p->qp, &told, &bad), ENOMEM);
	assert_ptr_equal(bad, &told);
	assert_int_equal(ibv_poll_cq(&p->cq, 4, wc), 4);
	free(p);
}

static void check_calibration(const struct calibration *c)
{
	for (int i = 0; i < CALIBRATION_LOOPS; i++) {
		assert_true(c->loops[i].bare_ns > 0);
		assert_true(c->loops[i].ns > 0);
		/* the columns subtract */
		assert_close(c->loops[i].own_ns,
			     c->loops[i].ns - c->loops[i].bare_ns, 1e-9);
		assert_true(c->loops[i].own_low_ns <= c->loops[i].own_ns);
		assert_true(c->loops[i].own_ns <= c->loops[i].own_high_ns);
	}
	assert_int_equal(c->samples->count, 1000000);
	/* arm64's counter may tick every 40 ns only */
	assert_true(c->samples->min > 0 || c->ns_per_tick > 5);
	/* a turn of the loop holds the sample, and more */
	assert_true(c->sample_ns >= (double)c->samples->min * c->ns_per_tick);
}

static void check_reports(const struct calibration *c)
{
	char *text = report_calibration_text(c);
	char *json = report_calibration_json(c, "bench 7");
	json_t *root = parsed(json);

	assert_contains(text, "null provider in place of a NIC");
	assert_contains(text, c->clock.source);
	assert_contains(text, "-Q 100");
	check_string(root, "provider", "null");
	check_string(root, "title", "bench 7");
	check_string(root, "clock.source", c->clock.source);
	assert_int_equal(json_array_size(at(root, "bandwidth_loops.0."
						  "own_ci95_ns")), 2);
	json_decref(root);
	free(text);
	free(json);
}

/* A made-up calibration on a host that had nothing else to do. */
static struct calibration idle_host(void)
{
	struct calibration c = {
		.clock = { .source = "tsc", .resolution = 20,
			   .read_cost = 20 },
		.sample_ns = 30,
		.ns_per_tick = 1,
		.loops = { { "-Q 100", 100, 1, 3.514, 3.885, -0.371, -0.4, 0.1 },
			   { "-Q 1", 1, 1, 3.884, 3.506, 0.378, 0.3, 0.4 },
			   { "-l 16", 96, 16, 1.2, 1.2, 0, -0.1, 0.1 } },
		.on_cpu_percent = 99,
		.samples = histogram_new(),
	};

	for (int i = 0; i < 30000; i++)
		histogram_record(c.samples, 20);
	return c;
}

/* What is shown subtracts, and no loop has a cost below nothing. */
TEST(test_columns_that_subtract)
{
	struct calibration c = idle_host();
	char *text = report_calibration_text(&c);

	assert_contains(text, "       3.88       3.51          -   -0.40");
	assert_contains(text, "       3.51       3.88       0.37    0.30");
	assert_contains(text, "       1.20       1.20       0.00   -0.10");
	assert_null(strstr(text, "This host"));
	free(text);
	calibration_free(&c);
}

TEST(test_busy_host)
{
	struct calibration c = idle_host();
	char *text, *json;
	json_t *root;

	histogram_record(c.samples, 18000000);
	text = report_calibration_text(&c);
	assert_contains(text, "This host was away for 18 ms at once");
	free(text);
	c.on_cpu_percent = 23.4;
	c.taken = 207;
	text = report_calibration_text(&c);
	assert_contains(text, "a CPU for only 23% of the time (taken 207 "
			      "times)");
	free(text);
	json = report_calibration_json(&c, NULL);
	root = parsed(json);
	check_number(root, "on_cpu_percent", 23.4);
	check_number(root, "involuntary_switches", 207);
	json_decref(root);
	free(json);
	calibration_free(&c);
}

TEST(test_calibration)
{
	struct calibration c;

	assert_int_equal(calibrate(CLOCK_RAW, &c), 0);
	assert_string_equal(c.clock.source, "monotonic_raw");
	check_calibration(&c);
	check_reports(&c);
	calibration_free(&c);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_the_null_provider),
	cmocka_unit_test(test_columns_that_subtract),
	cmocka_unit_test(test_busy_host),
	cmocka_unit_test(test_calibration),
};

TEST_MAIN(tests, 60)
