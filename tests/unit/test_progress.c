/* When the monitor looks for what the loops answer to a mark. */
#include "config.h"
#include "test.h"

#include "base/time.h"
#include "run/progress.h"

#define BEGAN (100 * SECOND)

static struct flow_progress told;
static struct flow_control control;
static struct progress progress;
static struct flow flow;

static void begin(uint64_t interval, bool awaited)
{
	told = (struct flow_progress){ 0 };
	control = (struct flow_control){ 0 };
	flow = (struct flow){ .progress = &told };
	progress = (struct progress){
		.control = &control, .flows = &flow, .n_flows = 1,
		.interval = interval, .awaited = awaited,
	};
	progress_init(&progress);
	flow_set_phase(&control, PHASE_MEASURE);
	progress_measure(&progress, BEGAN, UINT64_MAX);
	assert_int_equal(progress.wake_at, BEGAN + interval);
}

/* Who prints a row a second wants it then, and not a quarter of a second
 * later. */
TEST(test_soon_where_rows_are_seen)
{
	uint64_t now = BEGAN + SECOND;

	begin(SECOND, true);
	for (uint64_t wait = SECOND / 1000; wait < SECOND / 8; wait *= 2) {
		progress_update(&progress, now);
		assert_int_equal(progress.wake_at, now + wait);
		now = progress.wake_at;
	}
	/* a slow loop is not asked more and more seldom */
	progress_update(&progress, now);
	assert_int_equal(progress.wake_at, now + SECOND / 8);
	progress_free(&progress);
}

TEST(test_of_short_intervals)
{
	begin(SECOND / 1000, true);
	progress_update(&progress, BEGAN + SECOND / 1000);
	assert_int_equal(progress.wake_at,
			 BEGAN + SECOND / 1000 + SECOND / 8000);
	progress_free(&progress);
}

/* Otherwise the next mark is early enough: the monitor may be on the CPU of a
 * loop. */
TEST(test_late_where_nobody_sees_them)
{
	begin(SECOND, false);
	progress_update(&progress, BEGAN + SECOND);
	assert_int_equal(progress.wake_at, BEGAN + 2 * SECOND);
	progress_free(&progress);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_soon_where_rows_are_seen),
	cmocka_unit_test(test_of_short_intervals),
	cmocka_unit_test(test_late_where_nobody_sees_them),
};

TEST_MAIN(tests, 10)
