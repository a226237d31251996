/* The bandwidth loop, on a NIC that is not there. */
#include "config.h"
#include "test.h"

#include "base/time.h"
#include "fake_provider.h"
#include "model/plan.h"
#include "traffic/loops.h"

#define SIZE 64
#define WALK 4096
/* Completions of a poll that may have been all: a loop that gets as many as it
 * asked for opens no window there. */
#define BATCH 15

/* A run with -n: what both ends would agree on, and a NIC with that depth. */
struct counted_run {
	uint64_t n;
	uint32_t tx_depth;
	uint32_t cq_mod;
	uint32_t qps;
	uint32_t delay;
	uint32_t batch;
	uint64_t warmup_ticks;	/* 0: none */
	uint32_t list;		/* sends at once; 0: one */
	enum post_method method;	/* POST_AUTO: as it comes */
};

static struct plan plan_of(const struct counted_run *r)
{
	return (struct plan){
		.op = OP_WRITE,
		.metric = METRIC_BANDWIDTH,
		.iterations = r->n,
		.tx_depth = r->tx_depth,
		.cq_mod = r->cq_mod,
		.qps = r->qps,
		.post_list = r->list ? r->list : 1,
		.threads = 1,
	};
}

static void check_counted(const struct counted_run *r, const struct fake *fake,
			  const struct flow *f, const struct plan *plan)
{
	uint32_t depth = plan_depth(plan, SIZE);
	uint32_t every = plan_cq_mod(plan, SIZE);

	assert_int_equal(f->window.counted, r->n * r->qps);
	assert_int_equal(f->posted, fake->posts);
	assert_int_equal(f->completed, f->posted);
	assert_int_equal(f->posted, f->window.warmup + f->window.counted);
	assert_int_equal(fake->retired, f->posted);
	assert_int_equal(fake->overflows, 0);
	assert_true(fake->unfair <= plan_post_list(plan, SIZE));
	assert_true(f->window.opened && f->window.closed >= f->window.opened);
	assert_int_equal(f->progress->messages, f->completed);
	assert_null(f->failure.verb);
	for (uint32_t i = 0; i < r->qps; i++) {
		const struct fake_qp *q = &fake->qps[i];
		uint64_t before = r->warmup_ticks ?
					  q->retired_at[PHASE_MEASURE] : 0;

		assert_int_equal(q->posted - before, r->n);
		assert_true(q->most <= depth);
		assert_int_equal(q->last_signaled, q->posted);
		assert_true(q->widest_gap <= every);
	}
}

static void run_counted(const struct counted_run *r)
{
	struct plan plan = plan_of(r);
	struct flow f;
	struct fake *fake = fake_new(&f, r->qps);

	fake->depth = plan_depth(&plan, SIZE);
	fake->delay = r->delay;
	fake->batch = r->batch ? r->batch : BATCH;
	fake->control.command = r->warmup_ticks ? PHASE_WARMUP : PHASE_MEASURE;
	fake->moves[0].at = r->warmup_ticks;
	fake->moves[0].phase = PHASE_MEASURE;
	if (r->method)
		f.method = r->method;
	flow_prepare(&f, OP_WRITE, &(struct flow_shape){
		.size = SIZE,
		.walk = WALK,
		.depth = plan_depth(&plan, SIZE),
		.cq_mod = plan_cq_mod(&plan, SIZE),
		.list_length = plan_post_list(&plan, SIZE),
		.iterations = r->n,
	});
	assert_int_equal(bandwidth_run(&f, OP_WRITE), 0);
	check_counted(r, fake, &f, &plan);
	fake_free(fake, &f);
}

/* Every combination, with and without a warm-up of any length. */
TEST(test_counts_are_exact)
{
	static const uint64_t counts[] = { 1, 2, 3, 7, 99, 100, 101, 1000 };
	static const uint32_t depths[] = { 1, 2, 5, 100, 128 };
	static const uint32_t mods[] = { 1, 2, 3, 64, PLAN_AUTO };
	static const uint32_t qps[] = { 1, 2, 7 };
	static const uint64_t warmups[] = { 0, 1, 50, 777 };
	struct counted_run r = { 0 };
	unsigned int turn = 0;

	for (size_t n = 0; n < COUNT(counts); n++)
		for (size_t d = 0; d < COUNT(depths); d++)
			for (size_t m = 0; m < COUNT(mods); m++)
				for (size_t q = 0; q < COUNT(qps); q++) {
					r.n = counts[n];
					r.tx_depth = depths[d];
					r.cq_mod = mods[m];
					r.qps = qps[q];
					r.delay = turn % 3 * 5;
					r.batch = turn % 2;
					r.method = turn % 5 ? POST_LEGACY :
							      POST_WR;
					r.warmup_ticks = warmups[turn++ % 4];
					run_counted(&r);
				}
}

/* The same with lists, by either method. */
TEST(test_counts_of_lists_are_exact)
{
	static const uint64_t counts[] = { 1, 2, 15, 16, 17, 96, 100, 1000 };
	static const uint32_t depths[] = { 16, 20, 100, 128 };
	static const uint32_t mods[] = { 1, 2, 3, 16, PLAN_AUTO };
	static const uint32_t lists[] = { 2, 3, 16 };
	struct counted_run r = { .qps = 2 };
	unsigned int turn = 0;

	for (size_t n = 0; n < COUNT(counts); n++)
		for (size_t d = 0; d < COUNT(depths); d++)
			for (size_t m = 0; m < COUNT(mods); m++)
				for (size_t l = 0; l < COUNT(lists); l++) {
					r.n = counts[n];
					r.tx_depth = depths[d];
					r.cq_mod = mods[m];
					r.list = lists[l];
					r.delay = turn % 3 * 5;
					r.batch = turn % 2;
					r.warmup_ticks = turn++ % 4 * 50;
					r.method = POST_LEGACY;
					run_counted(&r);
					r.method = POST_WR;
					run_counted(&r);
				}
}

/* 16 at once are one call; of 40 the last 8 are a call of their own. */
static void check_calls(enum post_method method)
{
	struct flow f;
	struct fake *fake = fake_new(&f, 1);
	struct fake_qp *q = &fake->qps[0];

	fake->control.command = PHASE_MEASURE;
	f.method = method;
	flow_prepare(&f, OP_SEND, &(struct flow_shape){
		.size = SIZE,
		.walk = WALK,
		.depth = 64,
		.cq_mod = 32,
		.list_length = 16,
		.iterations = 40,
	});
	assert_int_equal(bandwidth_run(&f, OP_SEND), 0);
	assert_int_equal(q->posted, 40);
	assert_int_equal(fake->calls, 3);
	assert_int_equal(q->b.completes, method == POST_WR ? 3 : 0);
	assert_int_equal(q->signaled, 2);	/* 32, 40 */
	assert_int_equal(q->last_signaled, 40);
	fake_free(fake, &f);
}

TEST(test_a_list_is_one_call)
{
	check_calls(POST_LEGACY);
	check_calls(POST_WR);
}

/* One that comes before the window is open is answered once it is. */
static void check_early_mark(enum phase first, uint64_t at)
{
	struct flow f;
	struct fake *fake = fake_new(&f, 2);

	fake->control.command = first;
	fake->moves[0].at = 100;
	fake->moves[0].phase = PHASE_MEASURE;
	fake->moves[1].at = 900;
	fake->moves[1].phase = PHASE_DRAIN;
	fake->mark_at = at;
	fake->delay = 40;
	prepare(&f, OP_WRITE, SIZE, WALK, 16, 4, 0);
	assert_int_equal(bandwidth_run(&f, OP_WRITE), 0);
	assert_int_equal(f.progress->marked, 1);
	assert_true(f.progress->mark_ticks > f.window.opened);
	assert_true(f.progress->mark_ticks < f.window.closed);
	fake_free(fake, &f);
}

TEST(test_an_early_mark_is_not_lost)
{
	for (uint64_t at = 100; at < 140; at++)
		check_early_mark(PHASE_WARMUP, at);
	for (uint64_t at = 1; at < 40; at++)
		check_early_mark(PHASE_MEASURE, at);
}

/* An answer to each mark: a time, and what was counted until then. */
TEST(test_marks_are_answered_at_completions)
{
	struct flow f;
	struct fake *fake = fake_new(&f, 2);

	fake->moves[0].at = 100;
	fake->moves[0].phase = PHASE_MEASURE;
	fake->moves[1].at = 900;
	fake->moves[1].phase = PHASE_DRAIN;
	fake->mark_at = 500;
	fake->delay = 10;
	prepare(&f, OP_WRITE, SIZE, WALK, 16, 4, 0);
	assert_int_equal(bandwidth_run(&f, OP_WRITE), 0);
	assert_int_equal(f.progress->marked, 1);
	assert_true(f.progress->mark_ticks > f.window.opened);
	assert_true(f.progress->mark_ticks < f.window.closed);
	assert_int_equal(f.window.warmup + f.progress->mark_counted,
			 fake->retired_at_mark);
	assert_true(f.progress->mark_counted > 0);
	assert_true(f.progress->mark_counted < f.window.counted);
	fake_free(fake, &f);
}

TEST(test_signals_every_kth_and_the_last)
{
	struct flow f;
	struct fake *fake = fake_new(&f, 1);
	struct fake_qp *q = &fake->qps[0];

	fake->control.command = PHASE_MEASURE;
	prepare(&f, OP_SEND, SIZE, WALK, 10, 4, 30);
	assert_int_equal(bandwidth_run(&f, OP_SEND), 0);
	assert_int_equal(q->posted, 30);
	assert_int_equal(q->signaled, 8);	/* 4, 8, ... 28, 30 */
	assert_int_equal(q->widest_gap, 4);
	assert_int_equal(q->last_signaled, 30);
	fake_free(fake, &f);
}

/* A moderation wider than the queue would never be signaled. */
TEST(test_signal_never_beyond_the_queue)
{
	struct flow f;
	struct fake *fake = fake_new(&f, 2);

	fake->control.command = PHASE_MEASURE;
	fake->depth = 8;
	prepare(&f, OP_SEND, SIZE, WALK, 8, 100, 80);
	assert_int_equal(f.shape.cq_mod, 8);
	assert_int_equal(bandwidth_run(&f, OP_SEND), 0);
	assert_int_equal(f.window.counted, 160);
	fake_free(fake, &f);
}

/* By duration; SECOND phase at tick A, DRAIN at tick B. */
static void run_timed(uint64_t a, uint64_t b, enum phase first,
		      uint32_t depth, uint32_t every, uint32_t delay)
{
	struct flow f;
	struct fake *fake = fake_new(&f, 3);
	enum phase opens = first == PHASE_MEASURE ? PHASE_WARMUP :
						    PHASE_MEASURE;

	fake->control.command = first;
	fake->depth = depth;
	fake->delay = delay;
	fake->batch = BATCH;
	fake->moves[0].at = a;
	fake->moves[0].phase = PHASE_MEASURE;
	fake->moves[1].at = b;
	fake->moves[1].phase = PHASE_DRAIN;
	prepare(&f, OP_READ, SIZE, WALK, depth, every, 0);
	assert_int_equal(bandwidth_run(&f, OP_READ), 0);
	assert_int_equal(f.window.warmup, fake->reached[opens]);
	assert_int_equal(f.window.warmup + f.window.counted,
			 fake->reached[PHASE_DRAIN]);
	assert_true(f.window.counted > 0);
	assert_true(f.window.opened && f.window.closed >= f.window.opened);
	/* all that was outstanding has completed */
	assert_int_equal(f.completed, f.posted);
	assert_int_equal(fake->retired, f.posted);
	assert_true(f.completed >= f.window.warmup + f.window.counted);
	assert_int_equal(fake->overflows, 0);
	for (int i = 0; i < 3; i++)
		assert_int_equal(fake->qps[i].last_signaled,
				 fake->qps[i].posted);
	fake_free(fake, &f);
}

TEST(test_window_of_completions)
{
	for (uint32_t depth = 1; depth <= 16; depth++)
		for (uint32_t every = 1; every <= depth; every++)
			for (uint32_t delay = 0; delay < 60; delay += 20)
				run_timed(200, 999, PHASE_WARMUP, depth,
					  every, delay);
}

TEST(test_no_warmup_opens_at_the_first_post)
{
	run_timed(0, 500, PHASE_MEASURE, 16, 4, 10);
	run_timed(0, 700, PHASE_MEASURE, 1, 1, 0);
}

/* From warm-up straight to the end: a window has two edges all the same. */
TEST(test_straight_to_drain)
{
	struct flow f;
	struct fake *fake = fake_new(&f, 2);

	fake->moves[0].at = 100;
	fake->moves[0].phase = PHASE_DRAIN;
	fake->depth = 8;
	fake->delay = 10;
	fake->batch = 1;
	prepare(&f, OP_WRITE, SIZE, WALK, 8, 2, 0);
	assert_int_equal(bandwidth_run(&f, OP_WRITE), 0);
	assert_true(f.window.opened && f.window.closed && f.window.counted > 0);
	assert_int_equal(f.window.warmup, fake->reached[PHASE_DRAIN]);
	assert_int_equal(f.completed, f.posted);
	fake_free(fake, &f);
}

/* A thread may begin when the time is over: it ends all the same. */
TEST(test_begins_too_late)
{
	struct flow f;
	struct fake *fake = fake_new(&f, 2);

	fake->control.command = PHASE_DRAIN;
	fake->depth = 8;
	prepare(&f, OP_WRITE, SIZE, WALK, 8, 2, 0);
	assert_int_equal(bandwidth_run(&f, OP_WRITE), 0);
	assert_true(f.window.opened && f.window.closed && f.window.counted > 0);
	assert_int_equal(f.completed, f.posted);
	fake_free(fake, &f);
}

/* A run over several sizes on the same queue pairs. */
TEST(test_the_next_size_begins_anew)
{
	struct flow f;
	struct fake *fake = fake_new(&f, 2);
	uint64_t before = 0;

	fake->depth = 16;
	for (uint64_t n = 1; n < 60; n += 7) {
		struct counted_run r = {
			.n = n, .tx_depth = 16, .cq_mod = 3, .qps = 2,
		};
		struct plan plan = plan_of(&r);

		fake->control.command = PHASE_MEASURE;
		prepare(&f, OP_WRITE, SIZE, WALK, plan_depth(&plan, SIZE),
			     plan_cq_mod(&plan, SIZE), n);
		assert_int_equal(bandwidth_run(&f, OP_WRITE), 0);
		assert_int_equal(f.window.counted, 2 * n);
		assert_int_equal(f.posted, 2 * n);
		assert_int_equal(fake->retired - before, 2 * n);
		before = fake->retired;
	}
	assert_int_equal(fake->overflows, 0);
	fake_free(fake, &f);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_counts_are_exact),
	cmocka_unit_test(test_counts_of_lists_are_exact),
	cmocka_unit_test(test_a_list_is_one_call),
	cmocka_unit_test(test_an_early_mark_is_not_lost),
	cmocka_unit_test(test_marks_are_answered_at_completions),
	cmocka_unit_test(test_signals_every_kth_and_the_last),
	cmocka_unit_test(test_signal_never_beyond_the_queue),
	cmocka_unit_test(test_window_of_completions),
	cmocka_unit_test(test_no_warmup_opens_at_the_first_post),
	cmocka_unit_test(test_straight_to_drain),
	cmocka_unit_test(test_begins_too_late),
	cmocka_unit_test(test_the_next_size_begins_anew),
};

TEST_MAIN(tests, 60)
