/* The bandwidth loop when something fails, on a NIC that is not there. */
#include "config.h"
#include "test.h"

#include <errno.h>

#include "fake_provider.h"
#include "traffic/loops.h"

#define SIZE 64
#define WALK 4096

static void check_post_error(uint32_t list, uint64_t nth)
{
	struct flow f;
	struct fake *fake = fake_new(&f, 2);

	fake->control.command = PHASE_MEASURE;
	fake->fail_post = nth;
	fake->errnum = EINVAL;
	flow_prepare(&f, OP_WRITE, &(struct flow_shape){
		.size = SIZE, .walk = WALK, .depth = 16, .cq_mod = 4,
		.list_length = list, .iterations = 1000,
	});
	assert_int_equal(bandwidth_run(&f, OP_WRITE), -EINVAL);
	assert_string_equal(f.failure.verb, "ibv_post_send");
	assert_int_equal(f.failure.errnum, EINVAL);
	assert_int_equal(f.failure.status, IBV_WC_SUCCESS);
	assert_int_equal(f.posted, (nth - 1) / list * list);
	assert_int_equal(f.completed, fake->retired);
	assert_int_equal(f.window.counted, f.completed);
	assert_true(f.window.cut);
	assert_true(f.window.opened);
	assert_true(f.window.closed >= f.window.opened);
	fake_free(fake, &f);
}

TEST(test_post_error)
{
	for (uint64_t nth = 1; nth < 200; nth += 13) {
		check_post_error(1, nth);
		check_post_error(4, nth);
	}
}

TEST(test_completion_error)
{
	for (uint64_t nth = 1; nth < 200; nth += 13) {
		struct flow f;
		struct fake *fake = fake_new(&f, 2);

		fake->control.command = PHASE_MEASURE;
		fake->fail_wc = nth;	/* signaled or not */
		fake->status = IBV_WC_RETRY_EXC_ERR;
		prepare(&f, OP_WRITE, SIZE, WALK, 16, 4, 1000);
		assert_int_equal(bandwidth_run(&f, OP_WRITE), -EIO);
		assert_int_equal(f.failure.status, IBV_WC_RETRY_EXC_ERR);
		assert_int_equal(f.failure.vendor_err, 0x5a);
		assert_string_equal(f.failure.verb, "ibv_poll_cq");
		assert_int_equal(f.failure.qp_index, fake->failed_qp);
		assert_int_equal(f.window.counted, f.completed);
		assert_true(f.completed < nth + 2 * 16);
		fake_free(fake, &f);
	}
}

TEST(test_poll_error)
{
	struct flow f;
	struct fake *fake = fake_new(&f, 1);

	fake->fail_poll = 20;
	prepare(&f, OP_WRITE, SIZE, WALK, 4, 1, 0);
	assert_true(bandwidth_run(&f, OP_WRITE) < 0);
	assert_string_equal(f.failure.verb, "ibv_poll_cq");
	assert_int_equal(f.failure.errnum, EIO);
	assert_int_equal(f.window.counted, 0);	/* still in the warm-up */
	fake_free(fake, &f);
}

static void check_nothing_completes(enum phase first, uint64_t posted)
{
	struct flow f;
	struct fake *fake = fake_new(&f, 2);

	fake->never = true;
	fake->control.command = first;
	fake->moves[0].at = 1000;
	fake->moves[0].phase = PHASE_ABORT;
	prepare(&f, OP_WRITE, SIZE, WALK, 16, 4, 0);
	assert_int_equal(bandwidth_run(&f, OP_WRITE), -ECANCELED);
	assert_int_equal(fake->ticks, 1000);
	assert_int_equal(f.posted, posted);
	assert_int_equal(f.window.counted, 0);
	assert_null(f.failure.verb);
	fake_free(fake, &f);
}

/* A warm-up begins with one message at a time. */
TEST(test_abort_when_nothing_completes)
{
	check_nothing_completes(PHASE_WARMUP, 1);
	check_nothing_completes(PHASE_MEASURE, 32);
}

/* An abort keeps what was counted until then. */
TEST(test_abort_in_the_window)
{
	struct flow f;
	struct fake *fake = fake_new(&f, 1);

	fake->control.command = PHASE_MEASURE;
	fake->moves[0].at = 1000;
	fake->moves[0].phase = PHASE_ABORT;
	prepare(&f, OP_WRITE, SIZE, WALK, 8, 2, 0);
	assert_int_equal(bandwidth_run(&f, OP_WRITE), -ECANCELED);
	assert_true(f.window.counted > 0);
	assert_int_equal(f.window.counted, f.completed);
	assert_true(f.window.cut);
	assert_true(f.window.closed > f.window.opened);
	fake_free(fake, &f);
}

/* A loop that was kept from its CPU until it was to leave takes what has
 * completed, and so measures something. */
TEST(test_leave_after_what_completed)
{
	for (int first = PHASE_WARMUP; first <= PHASE_MEASURE; first++) {
		struct flow f;
		struct fake *fake = fake_new(&f, 1);
		int ret;

		fake->control.command = (uint32_t)first;
		fake->moves[0].at = 1;
		fake->moves[0].phase = PHASE_LEAVE;
		prepare(&f, OP_WRITE, SIZE, WALK, 8, 2, 0);
		ret = bandwidth_run(&f, OP_WRITE);
		assert_true(!ret || ret == -ECANCELED);
		assert_true(f.window.counted > 0);
		fake_free(fake, &f);
	}
}

/* There is nothing to leave with before anything was measured. */
TEST(test_leave_with_nothing)
{
	struct flow f;
	struct fake *fake = fake_new(&f, 1);

	fake->never = true;
	fake->control.command = PHASE_MEASURE;
	fake->moves[0].at = 1000;
	fake->moves[0].phase = PHASE_LEAVE;
	fake->moves[1].at = 2000;
	fake->moves[1].phase = PHASE_ABORT;
	prepare(&f, OP_WRITE, SIZE, WALK, 8, 2, 0);
	assert_int_equal(bandwidth_run(&f, OP_WRITE), -ECANCELED);
	assert_int_equal(fake->ticks, 2000);
	fake_free(fake, &f);
}

/* Aborted: the completion that says why is behind the flushed ones. */
TEST(test_find_the_cause)
{
	struct flow f;
	struct fake *fake = fake_new(&f, 2);
	struct fake_ring *ring = &fake->cqs[0].receives;

	ring->entries[0].wc.status = IBV_WC_SUCCESS;
	ring->entries[1].wc.status = IBV_WC_WR_FLUSH_ERR;
	ring->entries[2].wc.status = IBV_WC_LOC_PROT_ERR;
	ring->entries[2].wc.wr_id = 1ULL << FLOW_COUNT_BITS;
	ring->tail = 3;
	flow_find_failure(&f);
	assert_int_equal(f.failure.status, IBV_WC_LOC_PROT_ERR);
	assert_int_equal(f.failure.qp_index, 1);
	ring->head = 0;
	ring->entries[0].wc.status = IBV_WC_REM_OP_ERR;
	flow_find_failure(&f);	/* known already */
	assert_int_equal(f.failure.status, IBV_WC_LOC_PROT_ERR);
	fake_free(fake, &f);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_post_error),
	cmocka_unit_test(test_completion_error),
	cmocka_unit_test(test_poll_error),
	cmocka_unit_test(test_abort_when_nothing_completes),
	cmocka_unit_test(test_abort_in_the_window),
	cmocka_unit_test(test_leave_after_what_completed),
	cmocka_unit_test(test_leave_with_nothing),
	cmocka_unit_test(test_find_the_cause),
};

TEST_MAIN(tests, 30)
