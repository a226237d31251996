/* Messages at a rate: the schedule, and the loop that keeps to it. */
#include "config.h"
#include "test.h"

#include <errno.h>

#include "fake_clock.h"
#include "traffic/flow.h"
#include "traffic/loops.h"

#define SIZE 64
#define TICK_NS 100
#define POSTS_MAX 100000
#define HOUR 3600000000000ULL

TEST(test_the_schedule_is_exact_for_hours)
{
	struct pacer p;

	/* 1.23 Mpps, a tick of 0.4 ns */
	pace_init(&p, 1.23e6, 1, UINT64_MAX / 4, 0.4);
	pace_begin(&p, 12345);
	assert_int_equal(pace_due(&p, 12345, 0), 0);
	for (uint64_t hours = 1; hours <= 24; hours++) {
		uint64_t now = 12345 + hours * (HOUR / 4 * 10);
		uint64_t due = hours * 3600 * 1230000;

		assert_true(pace_due(&p, now + 2033, 0) == due + 1);
		assert_in_range(pace_due(&p, now + 1, 0), due - 1, due);
	}
}

TEST(test_whole_bursts_are_due)
{
	struct pacer p;

	pace_init(&p, 1e9, 7, 1000, 1);		/* one a tick */
	pace_begin(&p, 0);
	for (uint64_t now = 0; now < 1000; now++)
		assert_int_equal(pace_due(&p, now, now), now / 7 * 7);
}

/* Behind by 10 ms' worth is made up for; by more, no more than that. */
TEST(test_an_interruption_is_caught_up_with)
{
	struct pacer p;

	pace_init(&p, 1e6, 1, 100, 1);
	assert_int_equal(p.slack, 10000);
	pace_begin(&p, 0);
	assert_int_equal(pace_due(&p, 5000000, 0), 5000);
	assert_int_equal(pace_due(&p, 10000000, 0), 10000);
	assert_int_equal(pace_due(&p, 50000000, 0), 10000);
	assert_int_equal(p.lost, 40000);
	/* from then on as before */
	assert_int_equal(pace_due(&p, 51000000, 10000), 11000);
	pace_init(&p, 1e6, 1, 50000, 1);
	assert_int_equal(p.slack, 50000);
}

/* A run of the loop, and when it posted. */
struct paced_run {
	double rate;		/* messages a second */
	uint64_t burst;
	uint32_t qps;
	uint32_t depth;
	uint32_t every;
	uint32_t list;
	uint64_t iterations;	/* 0: as long as the phases say */
	uint32_t delay;		/* ticks */
	/* what came out */
	uint64_t times[POSTS_MAX];
	uint32_t on[POSTS_MAX];	/* this QP */
	uint64_t n;
	struct flow f;
};

static struct paced_run r;

static void note(struct fake *fake, struct fake_qp *q,
		 const struct ibv_send_wr *wr)
{
	(void)fake;
	(void)wr;
	assert_true(r.n < POSTS_MAX);
	r.times[r.n] = fake_clock_now();
	r.on[r.n++] = q->index;
}

static struct fake *begin(struct paced_run run)
{
	struct fake *fake;

	r = run;
	fake = fake_new(&r.f, r.qps);
	fake_clock = (struct fake_clock){ fake, TICK_NS, 10, 0, 0, NULL };
	fake->peer = note;
	fake->delay = r.delay;
	fake->depth = r.depth;
	fake->control.command = PHASE_MEASURE;
	flow_prepare(&r.f, OP_WRITE, &(struct flow_shape){
		.size = SIZE,
		.depth = r.depth,
		.cq_mod = r.every,
		.list_length = r.list,
		.iterations = r.iterations,
	});
	pace_init(&r.f.pace, r.rate, r.burst, (uint64_t)r.qps * r.depth, 1);
	return fake;
}

static double achieved(const struct flow *f)
{
	return (double)f->window.counted * 1e9 /
	       (double)(f->window.closed - f->window.opened);
}

/* No N messages come sooner than the rate, and one burst, allow. */
static void check_never_faster(double slower)
{
	for (uint64_t i = 0; i < r.n; i += 7)
		for (uint64_t j = i + r.burst; j < r.n && j < i + 500; j++)
			assert_true((double)(r.times[j] - r.times[i]) >=
				    (double)(j - i + 1 - r.burst) * 1e9 /
					    r.rate - slower);
}

static void check_exact_count(const struct fake *fake)
{
	assert_int_equal(r.f.window.counted, r.iterations * r.qps);
	assert_int_equal(r.f.completed, r.f.posted);
	assert_int_equal(fake->overflows, 0);
	for (uint32_t i = 0; i < r.qps; i++) {
		assert_int_equal(fake->qps[i].posted, r.iterations);
		assert_int_equal(fake->qps[i].last_signaled, r.iterations);
	}
}

TEST(test_rates_are_kept)
{
	static const struct paced_run runs[] = {
		{ 1e5, 1, 1, 16, 4, 1, 5000, 10, { 0 }, { 0 }, 0, { 0 } },
		{ 123456.7, 1, 3, 16, 1, 1, 3001, 0, { 0 }, { 0 }, 0, { 0 } },
		{ 5e5, 4, 1, 64, 16, 4, 5000, 30, { 0 }, { 0 }, 0, { 0 } },
		{ 2e5, 50, 2, 64, 16, 1, 5000, 30, { 0 }, { 0 }, 0, { 0 } },
		{ 1e6, 16, 4, 64, 32, 8, 5003, 5, { 0 }, { 0 }, 0, { 0 } },
	};

	for (size_t i = 0; i < COUNT(runs); i++) {
		struct fake *fake = begin(runs[i]);

		assert_int_equal(bandwidth_run(&r.f, OP_WRITE), 0);
		assert_close(achieved(&r.f), r.rate, 0.01);
		/* a burst is not posted all at one time here */
		check_never_faster((double)(r.burst + 4) * TICK_NS);
		check_exact_count(fake);
		fake_clock_free(fake, &r.f);
	}
}

TEST(test_bursts_go_round_the_queue_pairs)
{
	struct fake *fake = begin((struct paced_run){
		.rate = 1e5, .burst = 4, .qps = 3, .depth = 64, .every = 2,
		.list = 2, .iterations = 100,
	});

	assert_int_equal(bandwidth_run(&r.f, OP_WRITE), 0);
	for (uint64_t i = 0; i < r.n; i++)
		assert_int_equal(r.on[i], i / 4 % 3);
	fake_clock_free(fake, &r.f);
}

/* By duration, the warm-up as well; what is left drains. */
TEST(test_by_duration_with_warmup)
{
	struct fake *fake = begin((struct paced_run){
		.rate = 2e5, .burst = 1, .qps = 2, .depth = 32, .every = 4,
		.list = 2, .delay = 20,
	});

	fake->control.command = PHASE_WARMUP;
	fake->moves[0].at = 50000;
	fake->moves[0].phase = PHASE_MEASURE;
	fake->moves[1].at = 200000;
	fake->moves[1].phase = PHASE_DRAIN;
	r.f.pace.burst = 2;
	r.f.pace.bursts /= 2;
	assert_int_equal(bandwidth_run(&r.f, OP_WRITE), 0);
	assert_close(achieved(&r.f), r.rate, 0.01);
	assert_close((double)r.f.window.warmup, 1000, 0.15);
	assert_int_equal(r.f.completed, r.f.posted);
	assert_int_equal(fake->retired, r.f.posted);
	fake_clock_free(fake, &r.f);
}

/* A machine that stands still for 5 ms once. */
static void pause_once(struct fake *fake)
{
	if (fake->posts == 1000)
		fake_clock.pause_ns = 5000000;
}

TEST(test_the_loop_catches_up)
{
	struct fake *fake = begin((struct paced_run){
		.rate = 1e5, .burst = 1, .qps = 1, .depth = 64, .every = 4,
		.list = 1, .iterations = 4000, .delay = 10,
	});

	fake->on_poll = pause_once;
	assert_int_equal(bandwidth_run(&r.f, OP_WRITE), 0);
	assert_close(achieved(&r.f), r.rate, 0.01);
	fake_clock_free(fake, &r.f);
}

/* The device does a tenth of it: that is what comes out, and nothing hangs. */
TEST(test_a_slow_device_sets_the_rate)
{
	struct fake *fake = begin((struct paced_run){
		.rate = 1e6, .burst = 1, .qps = 2, .depth = 4, .every = 2,
		.list = 1, .iterations = 2000, .delay = 800,
	});

	assert_int_equal(bandwidth_run(&r.f, OP_WRITE), 0);
	assert_close(achieved(&r.f), 8e9 / (800 * TICK_NS), 0.15);
	assert_int_equal(fake->overflows, 0);
	check_exact_count(fake);
	fake_clock_free(fake, &r.f);
}

TEST(test_abort_while_nothing_is_due)
{
	struct fake *fake = begin((struct paced_run){
		.rate = 1, .burst = 1, .qps = 1, .depth = 4, .every = 1,
		.list = 1,
	});

	fake->moves[0].at = 1000;
	fake->moves[0].phase = PHASE_ABORT;
	assert_int_equal(bandwidth_run(&r.f, OP_WRITE), -ECANCELED);
	assert_int_equal(r.f.posted, 0);
	fake_clock_free(fake, &r.f);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_the_schedule_is_exact_for_hours),
	cmocka_unit_test(test_whole_bursts_are_due),
	cmocka_unit_test(test_an_interruption_is_caught_up_with),
	cmocka_unit_test(test_rates_are_kept),
	cmocka_unit_test(test_bursts_go_round_the_queue_pairs),
	cmocka_unit_test(test_by_duration_with_warmup),
	cmocka_unit_test(test_the_loop_catches_up),
	cmocka_unit_test(test_a_slow_device_sets_the_rate),
	cmocka_unit_test(test_abort_while_nothing_is_due),
};

TEST_MAIN(tests, 60)
