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
		assert_true(c->loops[i].own_low_ns <= c->loops[i].own_ns);
		assert_true(c->loops[i].own_ns <= c->loops[i].own_high_ns);
		/* most pairs of runs are about as far apart as the medians */
		assert_true(c->loops[i].own_high_ns > -c->loops[i].bare_ns);
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
	cmocka_unit_test(test_calibration),
};

TEST_MAIN(tests, 60)
