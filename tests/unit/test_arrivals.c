/* When the operations of an open loop are to start. */
#include "config.h"
#include "test.h"

#include "traffic/open_loop.h"

static struct open_loop arrivals;

TEST(test_fixed_schedule_is_exact)
{
	struct open_loop *o = &arrivals;

	open_loop_init(o, 1.23e6, false, 1, 0.4);
	open_loop_begin(o, 777);
	assert_int_equal(o->due, 777);
	open_loop_advance(o);
	assert_int_equal(o->due, 777 + 2032);	/* 813.008 ns */
	o->number = 1230000 * 3600ULL * 24 - 1;	/* a day later */
	open_loop_advance(o);
	assert_in_range(o->due, 777 + 216000000000000ULL - 1,
			777 + 216000000000000ULL);
}

/* Mean and spread of an exponential distribution, the same each time. */
TEST(test_poisson_schedule)
{
	struct open_loop *o = &arrivals;
	double sum = 0, squares = 0;
	uint64_t last = 0, ends[2], beyond = 0;
	const int n = 1000000;

	open_loop_init(o, 1e6, true, 1, 1);
	for (int run = 0; run < 2; run++) {
		open_loop_begin(o, 0);
		for (int i = 0; i < n; i++) {
			double gap;

			last = o->due;
			open_loop_advance(o);
			gap = (double)(o->due - last) / 1000;
			sum += gap / 2;
			squares += gap * gap / 2;
			beyond += gap > 3;
		}
		ends[run] = o->due;
	}
	assert_int_equal(ends[0], ends[1]);
	assert_close(sum / n, 1, 0.005);
	assert_close(squares / n - 1, 1, 0.01);
	assert_close((double)beyond / 2 / n, exp(-3), 0.02);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_fixed_schedule_is_exact),
	cmocka_unit_test(test_poisson_schedule),
};

TEST_MAIN(tests, 30)
