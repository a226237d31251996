/* How long the traffic of a perftest may take at a server. */
#include "config.h"
#include "test.h"

#include "base/time.h"
#include "perftest/traffic_time.h"

static struct plan plan_of(enum metric metric, uint64_t iterations)
{
	return (struct plan){
		.op = OP_WRITE, .metric = metric, .iterations = iterations,
		.qps = 1, .timeout = 10 * SECOND,
		.sizes = { .n = 1, .bytes = { 65536 } },
	};
}

/* In ms. */
static uint64_t ms(const struct plan *plan, uint64_t size, uint32_t mbps)
{
	return traffic_time(plan, size, mbps) / 1000000;
}

/* 60 messages had 600 s. */
TEST(a_few_messages_take_less_than_a_second)
{
	struct plan plan = plan_of(METRIC_BANDWIDTH, 60);

	/* 1 ms each, and a thousand times 5.24 us */
	assert_int_equal(ms(&plan, 65536, 100000), 374);
	plan = plan_of(METRIC_LATENCY, 60);
	assert_int_equal(ms(&plan, 2, 100000), 600);
}

TEST(the_rate_of_the_port_counts)
{
	struct plan plan = plan_of(METRIC_BANDWIDTH, 5000);
	const uint64_t fast = ms(&plan, 65536, 100000);

	assert_int_equal(fast, 31214);
	assert_in_range(ms(&plan, 65536, 2500), 1053000, 1054000);
	/* unknown: a slow one */
	assert_int_equal(ms(&plan, 65536, 0), ms(&plan, 65536, 1000));
	plan.qps = 4;
	assert_in_range(ms(&plan, 65536, 100000), 4 * fast, 4 * fast + 4);
}

/* It sees all sizes as one, after each of which perftest looks at its clock. */
TEST(all_sizes_take_longer)
{
	struct plan plan = plan_of(METRIC_BANDWIDTH, 5);
	const uint64_t one = ms(&plan, 8 << 20, 100000);

	plan.all = true;
	assert_in_range(ms(&plan, 8 << 20, 100000), 44000 + one,
			44000 + 23 * one);
	/* a round of its own for each */
	plan.sizes.n = 23;
	assert_int_equal(ms(&plan, 8 << 20, 100000), one);
}

TEST(time_is_twice_as_long_and_not_endless)
{
	struct plan plan = plan_of(METRIC_BANDWIDTH, 0);

	plan.duration = 5 * SECOND;
	assert_int_equal(ms(&plan, 2, 100000), 10000);
	plan.duration = PLAN_LONGEST;
	assert_int_equal(traffic_time(&plan, 2, 1), 2 * PLAN_LONGEST);
	plan = plan_of(METRIC_LATENCY, UINT32_MAX);
	plan.qps = 16384;
	assert_int_equal(traffic_time(&plan, 8 << 20, 1), 2 * PLAN_LONGEST);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(a_few_messages_take_less_than_a_second),
	cmocka_unit_test(the_rate_of_the_port_counts),
	cmocka_unit_test(all_sizes_take_longer),
	cmocka_unit_test(time_is_twice_as_long_and_not_endless),
};

TEST_MAIN(tests, 10)
