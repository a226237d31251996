/* Rates that the device keeps: what is refused, and what a queue pair is told. */
#include "config.h"
#include "test.h"

#include <errno.h>

#include "base/time.h"
#include "fake_verbs.h"
#include "model/plan.h"
#include "pair.h"
#include "two_ends.h"

#define GBPS 1000000000ULL

static void check_static(uint64_t rate, uint32_t qps, uint8_t wanted)
{
	const struct plan plan = { .rate = rate, .qps = qps };

	assert_int_equal(pacing_static_rate(&plan), wanted);
}

TEST(test_static_rates)
{
	check_static(25 * GBPS / 10, 1, IBV_RATE_2_5_GBPS);
	check_static(10 * GBPS, 4, IBV_RATE_2_5_GBPS);
	check_static(100 * GBPS, 1, IBV_RATE_100_GBPS);
	check_static(800 * GBPS, 4, IBV_RATE_200_GBPS);
	check_static(28125 * GBPS / 1000, 1, IBV_RATE_28_GBPS);
	check_static(28 * GBPS, 1, IBV_RATE_28_GBPS);
	check_static(1200 * GBPS, 1, 24);
	check_static(3 * GBPS, 1, 0);
	check_static(10 * GBPS, 3, 0);
	check_static(1, 1, 0);
}

/* With packet pacing of 100 kb/s to 50 Gb/s for RC at both ends. */
static struct two_ends paced_ends(void)
{
	struct two_ends e = good_ends();
	struct port_limits *limits[] = { &e.client.limits, &e.server.limits };

	e.plan.pacing = PACING_DEVICE;
	e.plan.rate = 10 * GBPS;
	e.plan.timeout = 3600 * SECOND;
	e.plan.qps = 4;
	for (size_t i = 0; i < COUNT(limits); i++) {
		limits[i]->pacing_known = true;
		limits[i]->min_kbps = 100;
		limits[i]->max_kbps = 50000000;
		limits[i]->paced_types = 1 << IBV_QPT_RC;
	}
	return e;
}

#define CHECK "rate by the device"

TEST(test_packet_pacing)
{
	struct two_ends e = paced_ends();

	look(&e);
	assert_int_equal(find_row(&e, CHECK)->verdict, VERDICT_OK);
	assert_string_equal(find_row(&e, CHECK)->client, "100 to 50000000 kb/s");
	assert_string_equal(find_row(&e, CHECK)->needed, "2500000 kb/s per QP");
	assert_int_equal(e.plan.paced_kbps, 2500000);
	assert_int_equal(e.plan.static_rate, 0);
	/* what the other end's device can do is for that end to say */
	e.server.limits.pacing_known = false;
	e.plan.bidirectional = true;
	look(&e);
	assert_int_equal(find_row(&e, CHECK)->verdict, VERDICT_OK);
}

TEST(test_no_packet_pacing)
{
	struct two_ends e = paced_ends();

	e.client.limits.paced_types = 1 << IBV_QPT_RAW_PACKET;
	check_only(&e, CHECK, VERDICT_ERROR,
		   "--pacing device: the client's mlx5_0 has no packet pacing "
		   "for RC");
	e = paced_ends();
	e.client.limits.max_kbps = 0;
	check_only(&e, CHECK, VERDICT_ERROR,
		   "--pacing device: the client's mlx5_0 has no packet pacing "
		   "for RC");
	assert_string_equal(find_row(&e, CHECK)->client, "none");
	e = paced_ends();
	e.client.limits.max_kbps = 0;
	e.plan.reversed = true;
	look(&e);
	assert_int_equal(find_row(&e, CHECK)->verdict, VERDICT_OK);
	e.server.limits.max_kbps = 2499999;
	check_only(&e, CHECK, VERDICT_ERROR,
		   "--pacing device: the server's mlx5_0 paces a queue pair at "
		   "100 to 2499999 kb/s, not at 2500000");
	e = paced_ends();
	e.client.limits.min_kbps = 2500001;
	check_only(&e, CHECK, VERDICT_ERROR,
		   "--pacing device: the client's mlx5_0 paces a queue pair at "
		   "2500001 to 50000000 kb/s, not at 2500000");
}

TEST(test_static_rate_of_a_path)
{
	struct two_ends e = good_infiniband();

	e.plan.pacing = PACING_DEVICE;
	e.plan.rate = 100 * GBPS;
	e.plan.timeout = 3600 * SECOND;
	e.plan.qps = 4;
	look(&e);
	assert_int_equal(find_row(&e, CHECK)->verdict, VERDICT_OK);
	assert_string_equal(find_row(&e, CHECK)->client, "static rates");
	assert_int_equal(e.plan.static_rate, IBV_RATE_25_GBPS);
	assert_int_equal(e.plan.paced_kbps, 0);
	e.plan.rate = 7 * GBPS;
	check_only(&e, CHECK, VERDICT_ERROR,
		   "--pacing device: the client's mlx5_0 is an InfiniBand port, "
		   "where each queue pair sends at 2.5, 5, 10, 14, 20, 25, 28, "
		   "30, 40, 50, 56, 60, 80, 100, 112, 120, 168, 200, 300, 400, "
		   "600, 800 or 1200 Gb/s, not at 1750000 kb/s");
}

static void open_paced(struct pair *p, bool bidirectional)
{
	fake_verbs_reset();
	fake_verbs.extended = true;
	fake_verbs.pacing = (struct ibv_packet_pacing_caps){
		.qp_rate_limit_min = 1, .qp_rate_limit_max = 100000000,
		.supported_qpts = 1 << IBV_QPT_RC,
	};
	pair_open(p, OP_WRITE, METRIC_BANDWIDTH);
	pair_plan(p)->pacing = PACING_DEVICE;
	pair_plan(p)->rate = 9 * GBPS;
	pair_plan(p)->qps = 3;
	pair_plan(p)->bidirectional = bidirectional;
}

/* Whole runs: every queue pair that sends is told, once. */
TEST(test_a_run_that_the_device_paces)
{
	for (int both = 0; both < 2; both++) {
		struct pair p;

		open_paced(&p, both);
		pair_run_well(&p, "paced by the device");
		assert_int_equal(fake_verbs.paced, both ? 6 : 3);
		assert_int_equal(fake_verbs.rate_limit, 3000000);
		assert_int_equal(fake_verbs.static_rate, 0);
		pair_close_clean(&p);
	}
}

static void check_refused_run(struct pair *p, int ret, const char *message)
{
	pair_run(p);
	assert_int_equal(p->client.ret, ret);
	assert_contains(p->client.result->error.message, message);
	pair_close_clean(p);
}

TEST(test_a_device_that_refuses)
{
	struct pair p;

	open_paced(&p, false);
	fake_verbs.no_pacing = true;
	check_refused_run(&p, -EOPNOTSUPP, "to RTS: Operation not supported");
}

TEST(test_a_run_at_a_static_rate)
{
	struct pair p;

	for (int refused = 0; refused < 2; refused++) {
		fake_verbs_reset();
		fake_verbs.port.link_layer = IBV_LINK_LAYER_INFINIBAND;
		fake_verbs.port.lid = 7;
		fake_verbs.no_static_rate = refused;
		pair_open(&p, OP_WRITE, METRIC_BANDWIDTH);
		pair_plan(&p)->pacing = PACING_DEVICE;
		pair_plan(&p)->rate = 10 * GBPS;
		if (refused) {
			check_refused_run(&p, -EOPNOTSUPP,
					  "--pacing device: fake0 port 1 does "
					  "not take a static rate");
			continue;
		}
		pair_run_well(&p, "at a static rate");
		assert_int_equal(fake_verbs.static_rate, IBV_RATE_10_GBPS);
		assert_int_equal(fake_verbs.paced, 0);
		pair_close_clean(&p);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_static_rates),
	cmocka_unit_test(test_packet_pacing),
	cmocka_unit_test(test_no_packet_pacing),
	cmocka_unit_test(test_static_rate_of_a_path),
	cmocka_unit_test(test_a_run_that_the_device_paces),
	cmocka_unit_test(test_a_device_that_refuses),
	cmocka_unit_test(test_a_run_at_a_static_rate),
};

TEST_MAIN(tests, 60)
