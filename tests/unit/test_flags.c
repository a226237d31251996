/* Flags of sends that wait for earlier ones, or that wake their receiver. */
#include "config.h"
#include "test.h"

#include "fake_provider.h"
#include "traffic/loops.h"

struct seen {
	uint64_t n, fenced, solicited, signaled, alike;
};

static void look(struct fake *fake, struct fake_qp *q,
		 const struct ibv_send_wr *wr)
{
	struct seen *seen = fake->argument;
	bool signaled = wr->send_flags & IBV_SEND_SIGNALED;
	bool solicited = wr->send_flags & IBV_SEND_SOLICITED;

	(void)q;
	seen->n++;
	seen->fenced += (wr->send_flags & IBV_SEND_FENCE) != 0;
	seen->signaled += signaled;
	seen->solicited += solicited;
	seen->alike += signaled == solicited;
}

static struct seen run(enum op op, unsigned int flags, unsigned int signaled,
		       enum post_method method)
{
	struct seen seen = { 0 };
	struct flow f;
	struct fake *fake = fake_new(&f, 1);

	f.flags = flags;
	f.signaled_flags = signaled;
	f.method = method;
	fake->peer = look;
	fake->argument = &seen;
	fake->control.command = PHASE_MEASURE;
	flow_prepare(&f, op, &(struct flow_shape){
		.size = 64, .depth = 16, .cq_mod = 4, .list_length = 2,
		.iterations = 101,
	});
	assert_int_equal(bandwidth_run(&f, op), 0);
	assert_int_equal(seen.n, 101);
	fake_free(fake, &f);
	return seen;
}

TEST(test_all_sends)
{
	for (int m = POST_WR; m <= POST_LEGACY; m++) {
		struct seen seen = run(OP_READ, IBV_SEND_FENCE, 0,
				       (enum post_method)m);

		assert_int_equal(seen.fenced, seen.n);
		assert_int_equal(seen.solicited, 0);
		seen = run(OP_READ, 0, 0, (enum post_method)m);
		assert_int_equal(seen.fenced, 0);
	}
}

/* Every fourth and the last. */
TEST(test_signaled_sends)
{
	for (int m = POST_WR; m <= POST_LEGACY; m++) {
		struct seen seen = run(OP_SEND, 0, IBV_SEND_SOLICITED,
				       (enum post_method)m);

		assert_int_equal(seen.signaled, 26);
		assert_int_equal(seen.alike, seen.n);
		assert_int_equal(seen.fenced, 0);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_all_sends),
	cmocka_unit_test(test_signaled_sends),
};

TEST_MAIN(tests, 10)
