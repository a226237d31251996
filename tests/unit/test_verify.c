/* Verified messages that are what they should be, or were lost. */
#include "config.h"
#include "test.h"

#include <errno.h>

#include "traffic/credit.h"
#include "verify_pair.h"

static const uint64_t sizes[] = { 1, 7, 8, 9, 63, 64, 65, 256, PAIR_LARGEST };

static uint64_t size_of(enum op op, uint64_t size)
{
	return op_is_atomic(op) ? ATOMIC_SIZE : size;
}

/* Some rounds of full queues: all come, in order, and none is wrong. */
static void check_rounds(struct pair *pair, int rounds, uint32_t list)
{
	for (int i = 0; i < rounds; i++) {
		uint64_t before = pair->a.q.posted;

		pair_post(pair, PAIR_DEPTH / list * list);
		assert_int_equal(pair_settle(pair), 0);
		assert_int_equal(pair->a.q.completed, pair->a.q.posted);
		assert_true(pair->a.q.posted > before);
	}
	assert_null(pair->a.verifier.mismatch.what);
	assert_null(pair->b.verifier.mismatch.what);
}

/* The counters are as many as there were operations, of all sizes. */
static void check_counters(struct pair *pair)
{
	if (!op_is_atomic(pair->op))
		return;
	pair->b.flow.expected = pair->a.flow.posted;
	assert_int_equal(verify_counters(&pair->b.flow), 0);
}

static void check_clean(enum op op, enum transport transport, uint32_t list)
{
	for (size_t i = 0; i < COUNT(sizes); i++) {
		uint64_t size = size_of(op, sizes[i]);
		struct pair *pair = pair_new(op, transport, size, list);

		assert_int_equal(pair->a.verifier.step, (size + 63) / 64 * 64);
		check_rounds(pair, 40, list);
		check_counters(pair);
		if (op_table[op].receives || op == OP_WRITE)
			assert_int_equal(pair->b.flow.received,
					 pair->a.flow.posted);
		/* the count goes on with the next size */
		pair_prepare(pair, size_of(op, 33), list);
		check_rounds(pair, 3, list);
		check_counters(pair);
	}
}

TEST(test_clean_runs_pass)
{
	for (int op = 0; op < OP_COUNT; op++)
		for (int t = 0; t < TRANSPORTS; t++)
			if (op_table[op].transports & 1U << t)
				check_clean((enum op)op, (enum transport)t, 1);
}

TEST(test_clean_lists_pass)
{
	for (int op = 0; op < OP_COUNT; op++) {
		check_clean((enum op)op, TRANSPORT_RC, 3);
		check_clean((enum op)op, TRANSPORT_RC, PAIR_DEPTH);
	}
}

TEST(test_messages_of_nothing_pass)
{
	static const enum op ops[] = { OP_SEND, OP_SEND_IMM, OP_WRITE,
				       OP_WRITE_IMM, OP_READ };

	for (size_t i = 0; i < COUNT(ops); i++)
		check_rounds(pair_new(ops[i], TRANSPORT_RC, 0, 1), 3, 1);
}

/* One in LOSE of the messages that were sent does not come. */
static void check_lost_sends(enum op op, enum transport transport,
			     uint64_t size, uint32_t lose)
{
	struct pair *pair = pair_new(op, transport, size, 1);
	uint64_t lost = 0;

	for (uint64_t n = 0; n < 1000; n++) {
		pair_post(pair, 1);
		if (n % lose == lose - 1) {
			pair_drop(&pair->b, 0);
			lost++;
		}
		assert_int_equal(pair_settle(pair), 0);
	}
	assert_int_equal(pair->b.flow.received, 1000 - lost);
	assert_null(pair->b.verifier.mismatch.what);
}

TEST(test_lost_sends_are_not_wrong)
{
	for (int t = TRANSPORT_UC; t <= TRANSPORT_UD; t++)
		for (uint32_t lose = 2; lose < 12; lose++)
			for (size_t i = 0; i < COUNT(sizes); i++) {
				check_lost_sends(OP_SEND, (enum transport)t,
						 sizes[i], lose);
				check_lost_sends(OP_SEND_IMM,
						 (enum transport)t, sizes[i],
						 lose);
			}
}

TEST(test_burst_of_lost_sends_is_not_wrong)
{
	struct pair *pair = pair_new(OP_SEND, TRANSPORT_UD, 1, 1);

	/* all that one byte can tell */
	for (int i = 0; i < 255; i++) {
		pair_post(pair, 1);
		pair_drop(&pair->b, 0);
		assert_int_equal(pair_retire(&pair->a), 0);
	}
	pair_post(pair, 1);
	assert_int_equal(pair_settle(pair), 0);
	assert_int_equal(pair->b.verify_qp.next, 256);
}

/* The write of SEQUENCE did not come, but for its first KEPT bytes: behind
 * them is what WAS there. */
static void lose_write(struct pair *pair, uint64_t sequence, uint64_t kept,
		       const uint8_t *was)
{
	uint64_t size = pair->a.flow.shape.size;
	uint8_t *message = pair_message(pair, sequence);

	memcpy(message + kept, was + (message - pair->b.in) + kept,
	       size - kept);
	for (uint32_t i = 0; i < pair->b.came.n; i++)
		if (pair->b.came.wc[i].opcode == IBV_WC_RECV_RDMA_WITH_IMM &&
		    be32toh(pair->b.came.wc[i].imm_data) == sequence)
			pair_drop(&pair->b, i--);
}

static void check_lost_writes(enum op op, uint64_t kept)
{
	struct pair *pair = pair_new(op, TRANSPORT_UC, 200, PAIR_DEPTH);
	uint8_t was[PAIR_MEMORY];

	for (uint64_t n = 0; n < 10 * PAIR_DEPTH; n += PAIR_DEPTH) {
		memcpy(was, pair->b.in, sizeof(was));
		pair_post(pair, PAIR_DEPTH);
		/* in every place, now and then */
		lose_write(pair, n + n / PAIR_DEPTH % PAIR_DEPTH, kept, was);
		lose_write(pair, n + (n / PAIR_DEPTH + 3) % PAIR_DEPTH, kept,
			   was);
		assert_int_equal(pair_settle(pair), 0);
		/* they are over, but did not come */
		assert_int_equal(pair->a.q.completed, n + PAIR_DEPTH);
	}
	assert_int_equal(pair->b.flow.received, 10 * (PAIR_DEPTH - 2));
	assert_null(pair->b.verifier.mismatch.what);
}

TEST(test_lost_writes_are_not_wrong)
{
	for (uint64_t kept = 0; kept < 200; kept += 64) {
		check_lost_writes(OP_WRITE, kept);
		check_lost_writes(OP_WRITE_IMM, kept);
	}
}

/* A write whose bytes came, but not the packet that says so. */
TEST(test_write_without_its_immediate_data_is_lost)
{
	struct pair *pair = pair_new(OP_WRITE_IMM, TRANSPORT_UC, 200, 1);

	pair_post(pair, 2);
	lose_write(pair, 1, 200, pair->b.in);
	assert_int_equal(pair_settle(pair), 0);
	assert_int_equal(pair->b.flow.received, 1);
}

static void forget_all(struct pair_end *end)
{
	while (end->came.n)
		pair_drop(end, 0);
}

TEST(test_lost_notice_is_sent_again)
{
	struct pair *pair = pair_new(OP_WRITE, TRANSPORT_UC, 64, 1);

	pair_post(pair, 4);
	forget_all(&pair->b);
	assert_int_equal(pair_settle(pair), 0);
	assert_int_equal(pair->a.q.completed, 0);
	assert_int_equal(credit_idle(&pair->a.flow), 0);
	assert_int_equal(pair_settle(pair), 0);
	assert_int_equal(pair->a.q.completed, 4);
	assert_int_equal(pair->b.flow.received, 4);
}

TEST(test_lost_credit_is_asked_for_again)
{
	struct pair *pair = pair_new(OP_WRITE, TRANSPORT_UC, 64, 1);

	pair_post(pair, 4);
	assert_true(pair_take(&pair->b) > 0);
	forget_all(&pair->a);
	assert_int_equal(credit_idle(&pair->a.flow), 0);
	assert_int_equal(pair_settle(pair), 0);
	assert_int_equal(pair->a.q.completed, 4);
	assert_int_equal(pair->b.flow.received, 4);
}

TEST(test_notice_is_not_sent_again_before_its_time)
{
	struct pair *pair = pair_new(OP_WRITE, TRANSPORT_UC, 64, 1);

	pair->a.verifier.resend_after = UINT64_MAX;
	pair_post(pair, 1);
	forget_all(&pair->b);
	assert_int_equal(credit_idle(&pair->a.flow), 0);
	assert_int_equal(pair->b.came.n, 0);
}

/* Notices and credits that come late, or twice, change nothing. */
TEST(test_repeated_notices_and_credits_change_nothing)
{
	struct pair *pair = pair_new(OP_WRITE, TRANSPORT_UC, 64, 1);

	pair_post(pair, 3);
	for (int i = 0; i < 5; i++)
		assert_int_equal(credit_idle(&pair->a.flow), 0);
	assert_int_equal(pair_settle(pair), 0);
	assert_int_equal(pair->a.q.completed, 3);
	assert_int_equal(pair->a.flow.completed, 3);
	assert_int_equal(pair->b.flow.received, 3);
}

TEST(test_credits_in_disorder_do_not_go_back)
{
	struct pair *pair = pair_new(OP_WRITE, TRANSPORT_UC, 64, 1);
	struct ibv_wc first;

	for (int i = 0; i < 3; i++)
		pair_post(pair, 1);
	assert_true(pair_take(&pair->b) > 0);
	first = pair->a.came.wc[0];
	pair->a.came.wc[0] = pair->a.came.wc[2];
	pair->a.came.wc[2] = first;
	assert_int_equal(pair_take(&pair->a), 0);
	assert_int_equal(pair->a.q.completed, 3);
	assert_int_equal(pair->a.flow.completed, 3);
}

TEST(test_credit_for_what_was_not_sent_is_none)
{
	struct pair *pair = pair_new(OP_WRITE, TRANSPORT_RC, 64, 1);

	pair_post(pair, 1);
	assert_true(pair_take(&pair->b) > 0);
	pair->a.came.wc[0].imm_data = htobe32(1U << 31 | 2);
	assert_int_equal(pair_take(&pair->a), 0);
	assert_int_equal(pair->a.q.completed, 0);
}

TEST(test_nothing_under_way_needs_no_notice)
{
	struct pair *pair = pair_new(OP_WRITE, TRANSPORT_UC, 64, 1);

	check_rounds(pair, 1, 1);
	assert_int_equal(credit_idle(&pair->a.flow), 0);
	assert_int_equal(pair->b.came.n, 0);
}

TEST_FILE()
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_clean_runs_pass),
		cmocka_unit_test(test_clean_lists_pass),
		cmocka_unit_test(test_messages_of_nothing_pass),
		cmocka_unit_test(test_lost_sends_are_not_wrong),
		cmocka_unit_test(test_burst_of_lost_sends_is_not_wrong),
		cmocka_unit_test(test_lost_writes_are_not_wrong),
		cmocka_unit_test(
			test_write_without_its_immediate_data_is_lost),
		cmocka_unit_test(test_lost_notice_is_sent_again),
		cmocka_unit_test(test_lost_credit_is_asked_for_again),
		cmocka_unit_test(
			test_notice_is_not_sent_again_before_its_time),
		cmocka_unit_test(
			test_repeated_notices_and_credits_change_nothing),
		cmocka_unit_test(test_credits_in_disorder_do_not_go_back),
		cmocka_unit_test(test_credit_for_what_was_not_sent_is_none),
		cmocka_unit_test(test_nothing_under_way_needs_no_notice),
	};

	alarm(patient(60));
	return cmocka_run_group_tests(tests, NULL, NULL);
}
