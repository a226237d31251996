/* The edges of a window, on a NIC of a known rate and a loop that stands still
 * at the worst time. */
#include "config.h"
#include "test.h"

#include "fake_clock.h"
#include "traffic/loops.h"

#define TICK_NS 10
#define WIRE 8			/* ticks of a message */
#define DELAY 100
#define STALL 160
#define EXACT 0.005

/* When a phase begins or a mark is asked for, the loop stands still before it
 * reads the clock: its code is not in memory yet, or another thread has the
 * CPU.  The NIC goes on. */
static struct {
	struct fake *fake;
	uint32_t command;
	uint32_t stalls;
} loop;

static void stall(void)
{
	uint32_t command = loop.fake->control.command;

	if (command == loop.command)
		return;
	loop.command = command;
	loop.stalls++;
	loop.fake->ticks += STALL;
}

static struct fake *begin(struct flow *f, uint32_t qps, uint32_t depth,
			  uint32_t every, uint64_t iterations)
{
	struct fake *fake = fake_new(f, qps);

	fake_clock = (struct fake_clock){ fake, TICK_NS, 0, 0, 0, stall };
	loop.fake = fake;
	loop.command = PHASE_WARMUP;
	loop.stalls = 0;
	fake->depth = depth;
	fake->delay = DELAY;
	fake->wire = WIRE;
	fake->moves[0].at = 20000;
	fake->moves[0].phase = PHASE_MEASURE;
	f->edge_error = 50;
	f->edge_timeout = 1000000;
	prepare(f, OP_WRITE, 64, 4096, depth, every, iterations);
	return fake;
}

/* Messages over what the wire carries between two edges. */
static double speed(uint64_t messages, uint64_t from, uint64_t to)
{
	return (double)messages * WIRE * TICK_NS / (double)(to - from);
}

static double error_of(const struct flow *f)
{
	const struct flow_window *w = &f->window;
	double ns = (double)(w->closed - w->opened);

	return ((double)(w->opening.ticks + w->closing.ticks) +
		(double)(w->opening.messages + w->closing.messages) * WIRE *
			TICK_NS) / ns;
}

/* What was complete by the time the loop went on is no part of the window. */
static void check_count(uint32_t depth, uint32_t every, uint64_t n)
{
	struct flow f;
	const struct flow_window *w = &f.window;
	struct fake *fake = begin(&f, 1, depth, every, n);

	assert_int_equal(bandwidth_run(&f, OP_WRITE), 0);
	assert_int_equal(loop.stalls, 1);
	assert_int_equal(f.window.counted, n);
	assert_in_range((uint64_t)(1e4 * speed(n, w->opened, w->closed)),
			(uint64_t)(1e4 * (1 - EXACT)),
			(uint64_t)(1e4 * (1 + EXACT)));
	assert_true(error_of(&f) < EXACT);
	fake_clock_free(fake, &f);
}

TEST(test_a_late_opening)
{
	check_count(128, 100, 1000);
	check_count(128, 32, 1000);
	check_count(64, 16, 1000);
	check_count(64, 16, 5000);
	check_count(128, 1, 1000);
}

/* The same, were any completion an edge: above what the wire carries. */
TEST(test_the_test_itself)
{
	struct flow f;
	struct fake *fake = begin(&f, 1, 64, 16, 1000);

	f.edge_error = UINT64_MAX;
	assert_int_equal(bandwidth_run(&f, OP_WRITE), 0);
	assert_true(speed(1000, f.window.opened, f.window.closed) >
		    1 + 2 * EXACT);
	fake_clock_free(fake, &f);
}

/* No interval, and no window by time, is faster than the wire, wherever it is
 * cut. */
static void check_mark(uint32_t qps, uint64_t at)
{
	struct flow f;
	const struct flow_window *w = &f.window;
	struct fake *fake = begin(&f, qps, 128, 100, 0);
	const struct flow_progress *p = &fake->progress;
	double most;

	fake->mark_at = 60000 + at;
	fake->moves[1].at = 120000 + at;
	fake->moves[1].phase = PHASE_DRAIN;
	assert_int_equal(bandwidth_run(&f, OP_WRITE), 0);
	assert_int_equal(loop.stalls, 3);
	assert_int_equal(p->marked, 1);
	most = 1 + EXACT + (qps > 1 ? 2 * error_of(&f) : 0);
	assert_true(speed(p->mark_counted, w->opened, p->mark_ticks) < most);
	assert_true(speed(w->counted - p->mark_counted, p->mark_ticks,
			  w->closed) < most);
	assert_true(speed(w->counted, w->opened, w->closed) > 0.85);
	assert_int_equal(f.window.mark.messages, (qps - 1) * 99);
	assert_true(f.window.mark.ticks <= 50);
	fake_clock_free(fake, &f);
}

TEST(test_late_marks)
{
	for (uint64_t at = 0; at < 1000; at += 97)
		for (uint32_t qps = 1; qps <= 3; qps++)
			check_mark(qps, at);
}

/* On a loop that is never in time the edge comes all the same, and it is known
 * how late. */
TEST(test_an_edge_does_not_wait_for_ever)
{
	struct flow f;
	struct fake *fake = begin(&f, 1, 16, 4, 1000);

	f.edge_error = 0;
	f.edge_timeout = 5000;
	assert_int_equal(bandwidth_run(&f, OP_WRITE), 0);
	assert_int_equal(f.window.counted, 1000);
	assert_true(f.window.opening.ticks > 0);
	assert_true(f.window.opening.ticks < STALL * TICK_NS);
	fake_clock_free(fake, &f);
}

/* Without a warm-up it is the first post, and what is not known is the time
 * until the first completion. */
TEST(test_no_warmup)
{
	struct flow f;
	struct fake *fake = begin(&f, 1, 128, 32, 5000);

	fake->control.command = loop.command = PHASE_MEASURE;
	assert_int_equal(bandwidth_run(&f, OP_WRITE), 0);
	assert_int_equal(f.window.counted, 5000);
	assert_in_range(f.window.opening.ticks, (32 * WIRE + DELAY) * TICK_NS,
			(34 * WIRE + DELAY) * TICK_NS);
	assert_true(f.window.closing.ticks <= 50);
	fake_clock_free(fake, &f);
}

/* The time of a message that is alone, and the queue that is held against it.
 * 28 messages are 224 ticks. */
static void check_dry(uint32_t delay, uint32_t depth, uint32_t every,
		      double least, double most)
{
	struct flow f;
	struct fake *fake = begin(&f, 1, depth, every, 0);

	fake_clock.on_read = NULL;
	fake->delay = delay;
	fake->moves[1].at = 400000;
	fake->moves[1].phase = PHASE_DRAIN;
	assert_int_equal(bandwidth_run(&f, OP_WRITE), 0);
	assert_in_range(f.dryness.ack, (delay + WIRE) * TICK_NS,
			(delay + WIRE + 4) * TICK_NS);
	assert_true(f.dryness.checks > 5);
	assert_true((double)f.dryness.dry >= least * (double)f.dryness.checks);
	assert_true((double)f.dryness.dry <= most * (double)f.dryness.checks);
	fake_clock_free(fake, &f);
}

TEST(test_dry_queues)
{
	check_dry(100, 128, 100, 0, 0);
	check_dry(300, 128, 100, 0.9, 1);
	check_dry(300, 128, 32, 0, 0);
	check_dry(300, 16, 4, 0.9, 1);
	check_dry(300, 16, 1, 0.9, 1);
	check_dry(300, 16, 16, 0.9, 1);
	check_dry(300, 64, 1, 0, 0);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_a_late_opening),
	cmocka_unit_test(test_the_test_itself),
	cmocka_unit_test(test_late_marks),
	cmocka_unit_test(test_an_edge_does_not_wait_for_ever),
	cmocka_unit_test(test_no_warmup),
	cmocka_unit_test(test_dry_queues),
};

TEST_MAIN(tests, 60)
