/* How much memory a test needs, of which a server allows so much. */
#include "config.h"
#include "test.h"

#include "good_plan.h"
#include "model/need.h"
#include "traffic/flow.h"

#define MIB (1024.0 * 1024)

/* As Soft-RoCE has them. */
static const struct port device = {
	.limits = {
		.max_qp = 1 << 20,
		.max_qp_wr = 1 << 20,
		.max_cqe = 32767,
		.max_srq_wr = 1 << 20,
	},
};

/* Of a server. */
static struct need need_for(const struct plan *plan)
{
	struct need need;

	need_of(plan, false, &device, &need);
	return need;
}

static struct plan plan_of(enum op op, uint32_t qps)
{
	struct plan plan = good_plan();

	set_op(&plan, op);
	plan.qps = qps;
	plan.sizes.bytes[0] = op_is_atomic(op) ? ATOMIC_SIZE : 64;
	plan.walk = 0;
	plan.rx_depth = 512;
	return plan;
}

/* PLAN took so many MiB at a server on Soft-RoCE, of its processes. */
static void check_measured(const struct plan *plan, double mib)
{
	struct need need = need_for(plan);
	double counted = (double)(need.messages + need.objects) / MIB;

	if (counted < mib * 0.95 || counted > mib * 1.5)
		fail_msg("%.0f MiB were measured, %.0f are counted", mib,
			 counted);
}

TEST(test_what_was_measured)
{
	struct plan plan = plan_of(OP_WRITE, 16);

	plan.reversed = true;
	plan.tx_depth = 65536;
	check_measured(&plan, 524);
	plan.qps = 32;
	check_measured(&plan, 1014);
	plan.qps = 1000;
	plan.tx_depth = 512;
	check_measured(&plan, 274);
	plan = plan_of(OP_SEND, 64);
	plan.rx_depth = 16384;
	check_measured(&plan, 388);
}

/* The limits of the unit for systemd, and of doc/server.md. */
TEST(test_ordinary_tests_are_within_a_gigabyte)
{
	for (int op = 0; op < OP_COUNT; op++)
		for (int directions = 0; directions < 3; directions++) {
			struct plan plan = plan_of((enum op)op, 1024);
			struct port port = device;
			struct need need;

			plan.sizes.bytes[0] =
				op_is_atomic((enum op)op) ? ATOMIC_SIZE :
							    65536;
			plan.walk = 4096;
			plan.tx_depth = plan.rx_depth = PLAN_AUTO;
			plan.bidirectional = directions == 1;
			plan.reversed = directions == 2;
			plan_choose(&plan, &port, &port);
			need = need_for(&plan);
			assert_in_range(need.messages + need.objects, 1, 1 << 30);
		}
}

TEST(test_an_end_that_only_answers_needs_little)
{
	struct plan plan = plan_of(OP_READ, 1);
	struct need need;

	plan.tx_depth = 65536;
	need = need_for(&plan);
	assert_int_equal(need.messages, 64);
	assert_int_equal(need.objects,
			 NEED_QUEUE_PAIR + 4 * NEED_OBJECT +
				 sizeof(struct flow_qp) + NEED_SEND +
				 2 * NEED_COMPLETION);
	need_of(&plan, true, &device, &need);
	assert_true(need.objects > 65536 * NEED_SEND);
}

/* How much more PLAN needs for queues than LESS. */
static uint64_t added(const struct plan *plan, const struct plan *less)
{
	return need_for(plan).objects - need_for(less).objects;
}

TEST(test_two_queue_pairs_of_xrc)
{
	struct plan less = plan_of(OP_READ, 10), plan = less;

	plan.transport = TRANSPORT_XRC;
	/* a domain, and a shared receive queue even for reads */
	assert_int_equal(added(&plan, &less),
			 10 * NEED_QUEUE_PAIR + 2 * NEED_OBJECT);
	less = plan_of(OP_SEND, 10);
	less.srq = true;
	plan.op = OP_SEND;
	assert_int_equal(added(&plan, &less),
			 10 * NEED_QUEUE_PAIR + NEED_OBJECT);
}

TEST(test_shared_receives_are_counted_once)
{
	struct plan less = plan_of(OP_SEND, 10), plan = less;

	less.srq = plan.srq = true;
	plan.rx_depth += 100;
	assert_int_equal(added(&plan, &less),
			 100 * (NEED_RECEIVE + NEED_COMPLETION));
	less.threads = plan.threads = 5;
	assert_int_equal(added(&plan, &less),
			 5 * 100 * (NEED_RECEIVE + NEED_COMPLETION));
	less.srq = plan.srq = false;
	assert_int_equal(added(&plan, &less),
			 10 * 100 * (NEED_RECEIVE + NEED_COMPLETION));
}

TEST(test_inline_messages_are_in_the_queue)
{
	struct plan less = plan_of(OP_WRITE, 3), plan = less;

	less.reversed = plan.reversed = true;
	less.inline_size = 0;
	plan.inline_size = 100;
	assert_int_equal(added(&plan, &less), 3 * 128 * NEED_INLINE * 100);
}

/* Notices need as much room again, and what immediate data announce has to be
 * kept. */
TEST(test_verified_writes)
{
	struct plan less = plan_of(OP_WRITE, 2), plan = less;
	uint64_t notices;

	plan.verify = true;
	notices = 2 * (2 * 128 - 1) * (NEED_SEND + NEED_COMPLETION);
	assert_true(added(&plan, &less) > notices);
	less = plan;
	set_op(&plan, OP_WRITE_IMM);
	assert_true(added(&plan, &less) >= 2 * 128 * sizeof(uint64_t));
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_what_was_measured),
	cmocka_unit_test(test_ordinary_tests_are_within_a_gigabyte),
	cmocka_unit_test(test_an_end_that_only_answers_needs_little),
	cmocka_unit_test(test_two_queue_pairs_of_xrc),
	cmocka_unit_test(test_shared_receives_are_counted_once),
	cmocka_unit_test(test_inline_messages_are_in_the_queue),
	cmocka_unit_test(test_verified_writes),
};

TEST_MAIN(tests, 10)
