/* The choice of the clock, and the length of its tick. */
#include "config.h"
#include "test.h"

#include <time.h>

#include "traffic/clock.h"

TEST(test_steadiness_is_promised)
{
	static const struct {
		const char *text;
		bool steady;
	} rows[] = {
		{ "flags\t: fpu tsc constant_tsc rep_good nonstop_tsc cpuid\n",
		  true },
		{ "flags\t: nonstop_tsc x constant_tsc\n", true },
		{ "flags\t: fpu tsc constant_tsc rep_good\n", false },
		{ "flags\t: fpu tsc nonstop_tsc\n", false },
		{ "flags\t: fpu tsc\n", false },
		{ "", false },
	};

#if defined(__x86_64__) || defined(__i386__)
	for (size_t i = 0; i < COUNT(rows); i++)
		assert_int_equal(clock_counter_is_steady(rows[i].text),
				 rows[i].steady);
#else
	(void)rows;
	skip();
#endif
}

/* Ticks against clock_gettime() over 20 ms. */
static bool ratio_is_right(bool counter)
{
	const struct timespec nap = { .tv_nsec = 20000000 };
	struct timespec before, after;
	struct clock clock;
	uint64_t ticks;
	double ns, measured;

	clock_start(&clock, counter ? CLOCK_COUNTER : CLOCK_RAW);
	clock_gettime(CLOCK_MONOTONIC_RAW, &before);
	ticks = clock_ticks(&clock);
	nanosleep(&nap, NULL);
	ticks = clock_ticks(&clock) - ticks;
	clock_gettime(CLOCK_MONOTONIC_RAW, &after);
	ns = (double)(after.tv_sec - before.tv_sec) * 1e9 +
	     (double)(after.tv_nsec - before.tv_nsec);
	measured = (double)ticks * clock_ns_per_tick(&clock);
	return fabs(measured - ns) <= 0.01 * ns;
}

/* One of several, should another program come between two readings. */
static void check_ratio(bool counter)
{
	bool right = false;

	for (int i = 0; i < 5 && !right; i++)
		right = ratio_is_right(counter);
	assert_true(right);
}

TEST(test_tick_of_the_counter)
{
	struct clock clock;

	clock_start(&clock, CLOCK_AUTO);
	if (!clock.counter)
		skip();
	assert_string_not_equal(clock.source, "monotonic_raw");
	assert_true(clock.resolution > 0);
	assert_true(clock.read_cost > 0);
	check_ratio(true);
}

TEST(test_tick_of_the_fallback)
{
	struct clock clock;

	clock_start(&clock, CLOCK_RAW);
	assert_false(clock.counter);
	assert_string_equal(clock.source, "monotonic_raw");
	assert_true(clock.resolution >= 1);
	assert_true(clock.read_cost > 0);
	assert_true(clock_ns_per_tick(&clock) == 1);
	check_ratio(false);
}

/* The ratio is never taken over less than 10 ms. */
TEST(test_shortest_span)
{
	struct clock clock;
	uint64_t start = clock_raw_ns();

	clock_start(&clock, CLOCK_AUTO);
	if (!clock.counter)
		skip();
	assert_true(clock_ns_per_tick(&clock) > 0);
	assert_true(clock_raw_ns() - start >= 10000000);
}

TEST(test_time_goes_on)
{
	struct clock clock;
	uint64_t last;

	clock_start(&clock, CLOCK_AUTO);
	last = clock_ticks(&clock);
	for (int i = 0; i < 100000; i++) {
		uint64_t now = clock_ticks(&clock);

		assert_true(now >= last);
		last = now;
	}
}

/* Spans of 0.1 s at 2 ticks a ns, one of which is not. */
static double deviation_of(double odd, uint64_t gap)
{
	struct clock_pair now = { .gap = gap };
	struct clock_watch watch = { .last = now };

	for (int i = 0; i < 10; i++) {
		double rate = i == 5 ? 2 * odd : 2;

		now.ns += 100000000;
		now.ticks += (uint64_t)(1e8 * rate);
		clock_watch_compare(&watch, &now);
	}
	return watch.deviation;
}

TEST(test_a_rate_that_changes_is_seen)
{
	assert_true(deviation_of(1, 0) < 1e-9);
	assert_close(deviation_of(1.01, 0), 0.01, 0.02);
	assert_close(deviation_of(0.98, 0), 0.02, 0.03);
	/* readings that took 1 ms together prove no change of 1% */
	assert_true(deviation_of(1.01, 1000000) < 0.001);
}

TEST(test_this_counter_is_steady)
{
	struct clock_watch watch;
	struct clock clock;

	clock_start(&clock, CLOCK_AUTO);
	clock_watch_begin(&watch, &clock);
	for (int i = 0; i < 3; i++) {
		const struct timespec nap = { .tv_nsec = 110000000 };

		nanosleep(&nap, NULL);
		clock_watch_update(&watch, &clock);
	}
	assert_true(clock.counter ? watch.rate > 0 : watch.rate == 0);
	assert_true(watch.deviation < 0.01);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_steadiness_is_promised),
	cmocka_unit_test(test_tick_of_the_counter),
	cmocka_unit_test(test_tick_of_the_fallback),
	cmocka_unit_test(test_shortest_span),
	cmocka_unit_test(test_time_goes_on),
	cmocka_unit_test(test_a_rate_that_changes_is_seen),
	cmocka_unit_test(test_this_counter_is_steady),
};

TEST_MAIN(tests, 10)
