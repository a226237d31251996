/* Times that are near the beginning, or the end, of what there is. */
#include "config.h"
#include "test.h"

#include "base/time.h"

#define HOUR (3600 * SECOND)

TEST(test_no_time_before_the_first)
{
	uint64_t now = time_now();

	assert_int_equal(time_since(now + HOUR), 0);
	assert_true(time_since(now) < HOUR);
	assert_true(time_since(0) >= now);
	assert_int_equal(time_until(now), 0);
	assert_int_equal(time_until(0), 0);
}

TEST(test_no_time_after_the_last)
{
	uint64_t later = time_after(HOUR);

	assert_int_equal(time_after(UINT64_MAX), UINT64_MAX);
	assert_int_equal(time_after(UINT64_MAX - 1), UINT64_MAX);
	assert_true(time_until(later) > HOUR - 10 * SECOND);
	assert_true(time_until(later) <= HOUR);
	assert_true(time_after(0) >= later - HOUR);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_no_time_before_the_first),
	cmocka_unit_test(test_no_time_after_the_last),
};

TEST_MAIN(tests, 10)
