/* Ping, pong and read, on a NIC that is not there. */
#include "config.h"
#include "test.h"

#include <endian.h>
#include <errno.h>

#include "fake_provider.h"
#include "model/plan.h"
#include "traffic/loops.h"

#define RX_DEPTH 2

static uint8_t flags[2];	/* in, out */

/* Every operation that is answered by the same. */
#define FOR_EACH_PINGPONG(op) \
	for (enum op op = 0; op < OP_COUNT; op++) \
		if (op_table[op].pingpong)

/* A message comes in that says COUNT, as OPCODE has it. */
static void bring(struct fake *fake, struct fake_qp *q,
		  enum ibv_wr_opcode opcode, uint8_t count)
{
	struct ibv_wc wc = { .opcode = IBV_WC_RECV };

	if (opcode == IBV_WR_SEND || opcode == IBV_WR_RDMA_WRITE)
		flags[0] = count;
	else
		wc.imm_data = htobe32(count);
	if (opcode == IBV_WR_RDMA_WRITE_WITH_IMM)
		wc.opcode = IBV_WC_RECV_RDMA_WITH_IMM;
	if (opcode != IBV_WR_RDMA_WRITE)
		fake_deliver_message(fake, q, &wc, NULL);
}

/* What a ping or pong says. */
static uint8_t count_of(const struct ibv_send_wr *wr)
{
	return wr->opcode == IBV_WR_SEND || wr->opcode == IBV_WR_RDMA_WRITE ?
		       flags[1] : (uint8_t)be32toh(wr->imm_data);
}

static bool is_answered(enum ibv_wr_opcode opcode)
{
	FOR_EACH_PINGPONG(op)
		if (op_table[op].opcode == opcode)
			return true;
	return false;
}

/* Answers each message at once, as pong would; a read and an atomic need no
 * answer. */
static void answer(struct fake *fake, struct fake_qp *q,
		   const struct ibv_send_wr *wr)
{
	if (is_answered(wr->opcode))
		bring(fake, q, wr->opcode, count_of(wr));
}

static struct fake *new_fake(struct flow *f, enum op op, uint32_t depth,
			     uint64_t iterations)
{
	const struct plan plan = {
		.op = op,
		.metric = METRIC_LATENCY,
		.iterations = iterations,
		.tx_depth = depth,
		.cq_mod = PLAN_AUTO,
		.qps = 1,
		.post_list = 1,
		.threads = 1,
	};
	const uint64_t size = op_is_atomic(op) ? ATOMIC_SIZE : 2;
	struct fake *fake = fake_new(f, 1);

	memset(flags, 0, sizeof(flags));
	fake->depth = depth;
	fake->peer = answer;
	f->pingpong.flag_in = &flags[0];
	f->pingpong.flag_out = &flags[1];
	if (op_table[op].receives)
		fake_take_receives(fake, f, RX_DEPTH, 1, false);
	prepare(f, op, size, 0, plan_depth(&plan, size),
		plan_cq_mod(&plan, size), iterations);
	assert_int_equal(flow_fill_receives(f), 0);
	return fake;
}

static int run(struct flow *f, enum op op)
{
	return op_table[op].pingpong ? latency_ping(f, op) :
				       latency_round_trip(f, op);
}

static void check_receives(struct fake *fake, const struct flow *f)
{
	assert_int_equal(fake->rnr, 0);
	if (!f->n_receives)
		return;
	assert_int_equal(fake->qps[0].rq.most, RX_DEPTH);
	assert_int_equal(fake_outstanding(fake, &fake->qps[0]),
			 f->receives[0].outstanding);
}

/* Exactly N samples; the warm-up is not among them. */
static void check_samples(enum op op, uint32_t depth, uint64_t n,
			  uint64_t warmup_ticks, uint32_t delay)
{
	struct flow f;
	struct fake *fake = new_fake(&f, op, depth, n);

	fake->delay = delay;
	fake->control.command = warmup_ticks ? PHASE_WARMUP : PHASE_MEASURE;
	fake->moves[0].at = warmup_ticks;
	fake->moves[0].phase = PHASE_MEASURE;
	assert_int_equal(run(&f, op), 0);
	assert_int_equal(f.latency->count, n);
	assert_int_equal(f.window.counted, n);
	assert_int_equal(f.posted, fake->posts);
	if (!warmup_ticks)
		assert_int_equal(f.posted, n);
	else
		assert_true(f.posted > n);
	assert_int_equal(fake->overflows, 0);
	assert_true(fake->qps[0].most <= depth);
	assert_true(f.window.opened && f.window.closed > f.window.opened);
	/* samples are back to back in a ping-pong: they make up the window */
	if (op_table[op].pingpong)
		assert_int_equal(f.latency->sum,
				 f.window.closed - f.window.opened);
	else
		assert_true(f.latency->sum <=
			    f.window.closed - f.window.opened);
	assert_null(f.failure.verb);
	assert_int_equal(f.received, op_table[op].pingpong ? f.posted : 0);
	assert_int_equal(f.lost, 0);
	check_receives(fake, &f);
	fake_free(fake, &f);
}

TEST(test_sample_counts_are_exact)
{
	static const uint32_t depths[] = { 1, 2, 3, 4, 128 };
	static const uint64_t counts[] = { 1, 2, 3, 255, 256, 257, 1000 };
	unsigned int turn = 0;

	for (enum op op = 0; op < OP_COUNT; op++)
		for (size_t d = 0; d < COUNT(depths); d++)
			for (size_t n = 0; n < COUNT(counts); n++) {
				check_samples(op, depths[d], counts[n], 0,
					      turn % 4);
				check_samples(op, depths[d], counts[n], 777,
					      turn % 4);
				turn++;
			}
}

/* Pauses are inside the window but outside every sample. */
TEST(test_gap_is_no_part_of_a_sample)
{
	const uint64_t gap = 300000, n = 5;

	for (enum op op = 0; op < OP_COUNT; op++) {
		struct flow f;
		struct fake *fake = new_fake(&f, op, 8, n);

		f.gap = gap;
		fake->control.command = PHASE_MEASURE;
		assert_int_equal(run(&f, op), 0);
		assert_int_equal(f.latency->count, n);
		assert_int_equal(f.posted, n);
		assert_true(f.window.closed - f.window.opened >=
			    f.latency->sum + (n - 1) * gap);
		fake_free(fake, &f);
	}
}

TEST(test_abort_ends_a_gap)
{
	for (enum op op = 0; op < OP_COUNT; op++) {
		struct flow f;
		struct fake *fake = new_fake(&f, op, 8, 100);

		f.gap = UINT64_MAX;
		fake->control.command = PHASE_ABORT;
		assert_int_equal(run(&f, op), -ECANCELED);
		assert_true(f.posted <= 1);
		fake_free(fake, &f);
	}
}

static void check_timed(enum op op, enum phase first)
{
	struct flow f;
	struct fake *fake = new_fake(&f, op, 16, 0);

	fake->control.command = first;
	fake->moves[0].at = first == PHASE_WARMUP ? 1000 : 0;
	fake->moves[0].phase = PHASE_MEASURE;
	fake->moves[1].at = 3000;
	fake->moves[1].phase = PHASE_DRAIN;
	assert_int_equal(run(&f, op), 0);
	assert_int_equal(f.latency->count, f.window.counted);
	assert_true(f.window.counted > 100);
	assert_int_equal(first == PHASE_WARMUP, f.posted > f.window.counted);
	assert_true(f.window.closed > f.window.opened);
	fake_free(fake, &f);
}

TEST(test_by_duration)
{
	for (enum op op = 0; op < OP_COUNT; op++) {
		check_timed(op, PHASE_WARMUP);
		check_timed(op, PHASE_MEASURE);
	}
}

/* Over before it began: at most the sample begun at that moment. */
TEST(test_straight_to_drain)
{
	for (enum op op = 0; op < OP_COUNT; op++) {
		struct flow f;
		struct fake *fake = new_fake(&f, op, 16, 0);

		fake->moves[0].at = 100;
		fake->moves[0].phase = PHASE_DRAIN;
		assert_int_equal(run(&f, op), 0);
		assert_true(f.window.counted <= 1);
		assert_int_equal(f.latency->count, f.window.counted);
		fake_free(fake, &f);
	}
}

/* A message carries a count in its last byte, or as immediate data: 1, 2, ...
 * 255, 0, 1. */
static uint8_t expected;

static void check_count(struct fake *fake, struct fake_qp *q,
			const struct ibv_send_wr *wr)
{
	assert_int_equal(count_of(wr), ++expected);
	answer(fake, q, wr);
}

TEST(test_messages_carry_a_count)
{
	FOR_EACH_PINGPONG(op) {
		struct flow f;
		struct fake *fake = new_fake(&f, op, 8, 1000);

		expected = 0;
		fake->peer = check_count;
		fake->control.command = PHASE_MEASURE;
		assert_int_equal(run(&f, op), 0);
		assert_int_equal(expected, 1000 % 256);
		fake_free(fake, &f);
	}
}

TEST(test_silent_peer_and_abort)
{
	for (enum op op = 0; op < OP_COUNT; op++) {
		struct flow f;
		struct fake *fake = new_fake(&f, op, 4, 0);

		fake->peer = NULL;
		fake->never = true;
		fake->moves[0].at = 2000;
		fake->moves[0].phase = PHASE_ABORT;
		assert_int_equal(run(&f, op), -ECANCELED);
		assert_int_equal(f.posted, 1);
		assert_int_equal(f.window.counted, 0);
		assert_true(fake->ticks < 40000);
		assert_null(f.failure.verb);
		fake_free(fake, &f);
	}
}

static void check_failure(enum op op, uint64_t fail_post, uint64_t fail_wc,
			  uint64_t fail_recv, int ret)
{
	struct flow f;
	struct fake *fake = new_fake(&f, op, 4, 100);

	fake->control.command = PHASE_MEASURE;
	fake->errnum = ENOMEM;
	fake->fail_post = fail_post;
	fake->fail_wc = fail_wc;
	fake->fail_recv = fail_recv;
	fake->status = IBV_WC_REM_ACCESS_ERR;
	assert_int_equal(run(&f, op), ret);
	assert_non_null(f.failure.verb);
	if (fail_post)
		assert_string_equal(f.failure.verb, "ibv_post_send");
	if (fail_recv)
		assert_string_equal(f.failure.verb, "ibv_post_recv");
	if (fail_wc)
		assert_int_equal(f.failure.status, IBV_WC_REM_ACCESS_ERR);
	else
		assert_int_equal(f.failure.errnum, ENOMEM);
	assert_true(f.window.counted < 100);
	assert_int_equal(f.latency->count, f.window.counted);
	fake_free(fake, &f);
}

TEST(test_failures)
{
	for (enum op op = 0; op < OP_COUNT; op++)
		for (uint64_t nth = 1; nth < 20; nth++) {
			check_failure(op, nth, 0, 0, -ENOMEM);
			check_failure(op, 0, nth, 0, -EIO);
		}
	FOR_EACH_PINGPONG(op)
		for (uint64_t nth = 1; op_table[op].receives && nth < 8; nth++)
			check_failure(op, 0, 0, RX_DEPTH + nth, -ENOMEM);
}

/* A failed send shows although the answer never comes. */
TEST(test_failed_send_while_waiting)
{
	FOR_EACH_PINGPONG(op) {
		struct flow f;
		struct fake *fake = new_fake(&f, op, 128, 100);

		fake->peer = NULL;
		fake->fail_wc = 1;	/* not a signaled one */
		fake->status = IBV_WC_RETRY_EXC_ERR;
		assert_int_equal(run(&f, op), -EIO);
		assert_int_equal(f.failure.status, IBV_WC_RETRY_EXC_ERR);
		fake_free(fake, &f);
	}
}

/* The peer of pong: sends the next ping for each answer. */
struct pinger {
	uint64_t left;
	uint8_t count;
};

static void ping(struct fake *fake, struct fake_qp *q,
		 const struct ibv_send_wr *wr)
{
	struct pinger *p = fake->argument;

	if (wr)
		assert_int_equal(count_of(wr), p->count);
	if (p->left-- == 0) {
		atomic_store(&fake->control.command, (uint32_t)PHASE_DRAIN);
		return;
	}
	bring(fake, q, fake->requests[0][0].wr.opcode, ++p->count);
}

static void check_pong(enum op op, uint32_t depth, uint64_t n)
{
	struct pinger p = { .left = n };
	struct flow f;
	struct fake *fake = new_fake(&f, op, depth, 0);

	fake->peer = ping;
	fake->argument = &p;
	fake->control.command = PHASE_MEASURE;
	ping(fake, &fake->qps[0], NULL);
	assert_int_equal(latency_pong(&f, op), 0);
	assert_int_equal(f.posted, n);
	assert_int_equal(f.received, n);
	assert_int_equal(fake->overflows, 0);
	check_receives(fake, &f);
	fake_free(fake, &f);
}

TEST(test_pong_answers_every_ping)
{
	static const uint32_t depths[] = { 1, 2, 4, 128 };

	for (size_t d = 0; d < COUNT(depths); d++)
		FOR_EACH_PINGPONG(op) {
			check_pong(op, depths[d], 1);
			check_pong(op, depths[d], 1000);
		}
}

TEST(test_pong_aborted)
{
	FOR_EACH_PINGPONG(op) {
		struct flow f;
		struct fake *fake = new_fake(&f, op, 4, 0);

		fake->moves[0].at = 1000;
		fake->moves[0].phase = PHASE_ABORT;
		assert_int_equal(latency_pong(&f, op), -ECANCELED);
		assert_int_equal(f.posted, 0);
		fake_free(fake, &f);
	}
}

TEST(test_abort_while_answers_come)
{
	for (enum op op = 0; op < OP_COUNT; op++) {
		struct flow f;
		struct fake *fake = new_fake(&f, op, 4, 100000);

		fake->control.command = PHASE_MEASURE;
		fake->moves[0].at = 1000;
		fake->moves[0].phase = PHASE_ABORT;
		assert_int_equal(run(&f, op), -ECANCELED);
		assert_true(f.posted < 2000);
		fake_free(fake, &f);
	}
	FOR_EACH_PINGPONG(op) {
		struct pinger p = { .left = 100000 };
		struct flow f;
		struct fake *fake = new_fake(&f, op, 4, 0);

		fake->peer = ping;
		fake->argument = &p;
		fake->moves[0].at = 1000;
		fake->moves[0].phase = PHASE_ABORT;
		ping(fake, &fake->qps[0], NULL);
		assert_int_equal(latency_pong(&f, op), -ECANCELED);
		assert_true(f.posted < 2000);
		fake_free(fake, &f);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_sample_counts_are_exact),
	cmocka_unit_test(test_gap_is_no_part_of_a_sample),
	cmocka_unit_test(test_abort_ends_a_gap),
	cmocka_unit_test(test_by_duration),
	cmocka_unit_test(test_straight_to_drain),
	cmocka_unit_test(test_messages_carry_a_count),
	cmocka_unit_test(test_silent_peer_and_abort),
	cmocka_unit_test(test_failures),
	cmocka_unit_test(test_failed_send_while_waiting),
	cmocka_unit_test(test_pong_answers_every_ping),
	cmocka_unit_test(test_pong_aborted),
	cmocka_unit_test(test_abort_while_answers_come),
};

TEST_MAIN(tests, 60)
