/* The open loop: what counts, and what a device that stands still looks like.
 * Time is fake: see fake_clock.h. */
#include "config.h"
#include "test.h"

#include <errno.h>

#include "fake_clock.h"
#include "traffic/flow.h"
#include "traffic/loops.h"
#include "traffic/open_loop.h"

#define TICK_NS 100
#define STEP 64
#define SLOTS 64
#define MS 1000000ULL

static uint8_t memory[2][SLOTS * STEP];	/* in, out */
static struct open_loop schedule;
static uint64_t written;

/* Those that have an open loop. */
static const enum op ops[] = { OP_SEND, OP_SEND_IMM, OP_WRITE, OP_WRITE_IMM,
			       OP_READ };

/* Answers each message at once, as pong would, from slot to slot. */
static void answer(struct fake *fake, struct fake_qp *q,
		   const struct ibv_send_wr *wr)
{
	uint64_t slot = written % schedule.depth;
	uint64_t at = slot * STEP;

	if (wr->opcode != IBV_WR_RDMA_WRITE && wr->opcode != IBV_WR_RDMA_READ)
		fake_deliver(fake, q);
	if (wr->opcode != IBV_WR_RDMA_WRITE)
		return;
	assert_int_equal(wr->sg_list->addr, fake->flow_qps[0].local + at);
	assert_int_equal(wr->wr.rdma.remote_addr,
			 fake->flow_qps[0].remote + at);
	assert_int_equal(memory[1][at],
			 (uint8_t)(1 + written / schedule.depth));
	memory[0][at] = memory[1][at];
	written++;
}

/* A run of OP at RATE, at most DEPTH outstanding, on a NIC that takes DELAY. */
static struct fake *begin(struct flow *f, enum op op, double rate,
			  uint32_t depth, uint64_t n, uint32_t delay)
{
	struct fake *fake = fake_new(f, 1);

	fake_clock = (struct fake_clock){ fake, TICK_NS, 10, 0, 0, NULL };
	memset(memory, 0, sizeof(memory));
	written = 0;
	fake->peer = answer;
	fake->delay = delay;
	fake->control.command = PHASE_MEASURE;
	if (op_table[op].receives)
		fake_take_receives(fake, f, depth + 1, 1, false);
	prepare(f, op, 2, 0, op == OP_READ ? depth : 2 * depth,
		op == OP_READ ? 1 : (depth + 3) / 4, n);
	f->pingpong.flag_in = memory[0];
	f->pingpong.flag_out = memory[1];
	f->pingpong.slots = op == OP_WRITE ? depth : 1;
	f->pingpong.slot_step = STEP;
	f->open = &schedule;
	open_loop_init(&schedule, rate, false, depth, 1);
	assert_int_equal(flow_fill_receives(f), 0);
	return fake;
}

static double achieved(const struct flow *f)
{
	return (double)f->window.counted * 1e9 /
	       (double)(f->window.closed - f->window.opened);
}

static void check_counts(enum op op, uint32_t depth, uint64_t n,
			 uint64_t warmup, uint32_t delay)
{
	struct flow f;
	struct fake *fake = begin(&f, op, 2e5, depth, n, delay);

	if (warmup)
		fake->control.command = PHASE_WARMUP;
	fake->moves[0].at = warmup;
	fake->moves[0].phase = PHASE_MEASURE;
	assert_int_equal(open_loop_run(&f, op), 0);
	assert_int_equal(f.window.counted, n);
	assert_int_equal(f.latency->count, n);
	assert_int_equal(f.posted, fake->posts);
	assert_int_equal(f.posted > n, warmup > 0);
	assert_int_equal(fake->overflows, 0);
	assert_int_equal(fake->rnr, 0);
	assert_true(fake->qps[0].most <= f.shape.depth);
	assert_close(achieved(&f), 2e5, 0.05);
	assert_int_equal(schedule.late, 0);
	if (op != OP_READ)
		assert_int_equal(f.received, f.posted);
	assert_null(f.failure.verb);
	fake_clock_free(fake, &f);
}

TEST(test_counts_are_exact)
{
	static const uint32_t depths[] = { 2, 3, 64 };
	static const uint64_t counts[] = { 10, 255, 256, 257, 2000 };

	for (size_t o = 0; o < COUNT(ops); o++)
		for (size_t d = 0; d < COUNT(depths); d++)
			for (size_t n = 0; n < COUNT(counts); n++) {
				check_counts(ops[o], depths[d],
					     counts[n], 0, 10);
				check_counts(ops[o], depths[d],
					     counts[n], 777, 3);
			}
}

/* Time of every sample: the delay, and at most two turns of the loop. */
TEST(test_latency_without_queueing)
{
	for (size_t o = 0; o < COUNT(ops); o++) {
		struct flow f;
		struct fake *fake = begin(&f, ops[o], 1e5, 8, 1000, 20);
		uint64_t delay = ops[o] == OP_WRITE ? 0 : 20 * TICK_NS;

		assert_int_equal(open_loop_run(&f, ops[o]), 0);
		assert_true(f.latency->min >= delay);
		assert_true(f.latency->max <= delay + 1000);
		assert_int_equal(schedule.late, 0);
		fake_clock_free(fake, &f);
	}
}

/* A device that completes nothing from FROM to UNTIL, in ns. */
static struct {
	uint64_t from, until;
} stall;

static void stand_still(struct fake *fake)
{
	uint64_t now = fake_clock_now();

	fake->never = now >= stall.from && now < stall.until;
}

/* Values of H above LIMIT. */
static uint64_t above(const struct histogram *h, uint64_t limit)
{
	uint64_t n = 0;

	for (uint32_t i = histogram_bin(limit) + 1; i < HISTOGRAM_BINS; i++)
		n += h->bins[i];
	return n;
}

/*
 * It stands still for a millisecond once; 100 operations were to start then.
 * They wait for what is left of it: half of it in the mean.  A closed loop
 * waits, too, and sees one of them.
 */
TEST(test_a_stall_is_seen_by_all_that_waited)
{
	struct flow f;
	struct fake *fake = begin(&f, OP_READ, 1e5, 64, 5000, 20);
	uint64_t excess;

	stall.from = fake_clock_now() + 10 * MS;
	stall.until = stall.from + MS;
	fake->on_poll = stand_still;
	assert_int_equal(open_loop_run(&f, OP_READ), 0);
	assert_in_range(above(f.latency, 5000), 95, 103);
	assert_in_range(f.latency->max, MS, MS + 5000);
	excess = f.latency->sum - f.latency->count * f.latency->min;
	assert_close((double)excess, 100 * (double)MS / 2, 0.06);
	/* beyond 64 outstanding they began late; all caught up at the end */
	assert_in_range(schedule.late, 30, 42);
	assert_close(achieved(&f), 1e5, 0.001);
	fake_clock_free(fake, &f);

	fake = begin(&f, OP_READ, 1e5, 64, 5000, 20);
	stall.from = fake_clock_now() + MS;
	stall.until = stall.from + MS;
	fake->on_poll = stand_still;
	assert_int_equal(latency_round_trip(&f, OP_READ), 0);
	assert_int_equal(above(f.latency, 5000), 1);
	fake_clock_free(fake, &f);
}

/* One at a time: those that were due meanwhile begin late. */
TEST(test_late_operations)
{
	struct flow f;
	struct fake *fake = begin(&f, OP_READ, 1e5, 1, 5000, 10);

	stall.from = fake_clock_now() + 10 * MS;
	stall.until = stall.from + MS;
	fake->on_poll = stand_still;
	assert_int_equal(open_loop_run(&f, OP_READ), 0);
	assert_in_range(schedule.late, 100, 125);
	assert_int_equal(f.window.counted, 5000);
	assert_int_equal(fake->qps[0].most, 1);
	fake_clock_free(fake, &f);
}

/* 4 in 20 us are a fifth of what is asked for: it does not catch up. */
TEST(test_saturation)
{
	for (size_t o = 0; o < COUNT(ops); o += 4) {
		struct flow f;
		struct fake *fake = begin(&f, ops[o], 1e6, 4, 0, 200);

		fake->moves[0].at = 400000;
		fake->moves[0].phase = PHASE_DRAIN;
		assert_int_equal(open_loop_run(&f, ops[o]), 0);
		assert_close(achieved(&f), 4e9 / (200 * TICK_NS), 0.15);
		assert_true(schedule.late > f.window.counted * 99 / 100);
		/* the last waited for most of the run */
		assert_true(f.latency->max >
			    (f.window.closed - f.window.opened) * 7 / 10);
		assert_int_equal(f.latency->count, f.window.counted);
		fake_clock_free(fake, &f);
	}
}

/* What was to start during the warm-up and could not is given up. */
TEST(test_a_backlog_of_the_warmup_is_given_up)
{
	struct flow f;
	struct fake *fake = begin(&f, OP_READ, 1e5, 1, 100, 10);

	fake->control.command = PHASE_WARMUP;
	stall.from = 0;
	stall.until = fake_clock_now() + MS;
	fake->on_poll = stand_still;
	fake->moves[0].at = 9000;	/* in the stall */
	fake->moves[0].phase = PHASE_MEASURE;
	assert_int_equal(open_loop_run(&f, OP_READ), 0);
	assert_int_equal(f.window.counted, 100);
	assert_int_equal(f.posted - f.window.counted, 1);
	assert_true(f.latency->max < MS / 5);
	fake_clock_free(fake, &f);
}

TEST(test_by_duration)
{
	for (size_t o = 0; o < COUNT(ops); o++) {
		struct flow f;
		struct fake *fake = begin(&f, ops[o], 1e6, 8, 0, 5);

		fake->control.command = PHASE_WARMUP;
		fake->moves[0].at = 500;
		fake->moves[0].phase = PHASE_MEASURE;
		fake->moves[1].at = 5000;
		fake->moves[1].phase = PHASE_DRAIN;
		assert_int_equal(open_loop_run(&f, ops[o]), 0);
		assert_true(f.window.counted > 100);
		assert_true(f.posted > f.window.counted);
		assert_int_equal(f.latency->count, f.window.counted);
		assert_close(achieved(&f), 1e6, 0.03);
		fake_clock_free(fake, &f);
	}
}

TEST(test_straight_to_drain)
{
	for (size_t o = 0; o < COUNT(ops); o++) {
		struct flow f;
		struct fake *fake = begin(&f, ops[o], 1e6, 8, 0, 5);

		fake->control.command = PHASE_WARMUP;
		fake->moves[0].at = 100;
		fake->moves[0].phase = PHASE_DRAIN;
		assert_int_equal(open_loop_run(&f, ops[o]), 0);
		assert_int_equal(f.window.counted, 1);
		fake_clock_free(fake, &f);
	}
}

TEST(test_silent_peer_and_abort)
{
	for (size_t o = 0; o < COUNT(ops); o++) {
		struct flow f;
		struct fake *fake = begin(&f, ops[o], 1e6, 4, 0, 5);

		fake->peer = NULL;
		fake->never = true;
		fake->moves[0].at = 2000;
		fake->moves[0].phase = PHASE_ABORT;
		assert_int_equal(open_loop_run(&f, ops[o]), -ECANCELED);
		assert_int_equal(f.posted, 4);
		assert_int_equal(f.window.counted, 0);
		assert_true(f.window.cut && f.window.closed > f.window.opened);
		fake_clock_free(fake, &f);
	}
}

static void check_failure(enum op op, uint64_t post, uint64_t wc,
			  uint64_t recv, int ret)
{
	struct flow f;
	struct fake *fake = begin(&f, op, 1e6, 4, 100, 5);

	fake->errnum = ENOMEM;
	fake->fail_post = post;
	fake->fail_wc = wc;
	fake->fail_recv = recv;
	fake->status = IBV_WC_REM_ACCESS_ERR;
	assert_int_equal(open_loop_run(&f, op), ret);
	assert_non_null(f.failure.verb);
	assert_true(f.window.counted < 100);
	assert_int_equal(f.latency->count, f.window.counted);
	fake_clock_free(fake, &f);
}

TEST(test_failures)
{
	for (size_t o = 0; o < COUNT(ops); o++)
		for (uint64_t nth = 1; nth < 20; nth++) {
			check_failure(ops[o], nth, 0, 0, -ENOMEM);
			check_failure(ops[o], 0, nth, 0, -EIO);
		}
	check_failure(OP_SEND, 0, 0, 7, -ENOMEM);
}

/* The peer of a pong with slots: DEPTH pings, and one more for each answer. */
static struct {
	uint64_t sent, answered, left;
} pinger;

static void send_ping(void)
{
	memory[0][pinger.sent % schedule.depth * STEP] =
		(uint8_t)(1 + pinger.sent / schedule.depth);
	pinger.sent++;
}

static void ping(struct fake *fake, struct fake_qp *q,
		 const struct ibv_send_wr *wr)
{
	uint64_t at = pinger.answered % schedule.depth * STEP;

	(void)q;
	assert_int_equal(wr->wr.rdma.remote_addr,
			 fake->flow_qps[0].remote + at);
	assert_int_equal(wr->sg_list->addr, fake->flow_qps[0].local + at);
	assert_int_equal(memory[1][at],
			 (uint8_t)(1 + pinger.answered / schedule.depth));
	if (++pinger.answered == pinger.left)
		atomic_store(&fake->control.command, (uint32_t)PHASE_DRAIN);
	else if (pinger.sent < pinger.left)
		send_ping();
}

TEST(test_pong_answers_slot_by_slot)
{
	static const uint32_t depths[] = { 1, 2, 5, 64 };

	for (size_t d = 0; d < COUNT(depths); d++) {
		struct flow f;
		struct fake *fake = begin(&f, OP_WRITE, 1, depths[d], 0, 5);

		fake->peer = ping;
		pinger.sent = pinger.answered = 0;
		pinger.left = 20000;
		for (uint32_t i = 0; i < depths[d]; i++)
			send_ping();
		assert_int_equal(latency_pong(&f, OP_WRITE), 0);
		assert_int_equal(pinger.answered, 20000);
		assert_int_equal(f.posted, 20000);
		fake_clock_free(fake, &f);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_counts_are_exact),
	cmocka_unit_test(test_latency_without_queueing),
	cmocka_unit_test(test_a_stall_is_seen_by_all_that_waited),
	cmocka_unit_test(test_late_operations),
	cmocka_unit_test(test_saturation),
	cmocka_unit_test(test_a_backlog_of_the_warmup_is_given_up),
	cmocka_unit_test(test_by_duration),
	cmocka_unit_test(test_straight_to_drain),
	cmocka_unit_test(test_silent_peer_and_abort),
	cmocka_unit_test(test_failures),
	cmocka_unit_test(test_pong_answers_slot_by_slot),
};

TEST_MAIN(tests, 60)
