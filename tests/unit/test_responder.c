/* The end that only receives, on a NIC that is not there. */
#include "config.h"
#include "test.h"

#include <errno.h>

#include "fake_provider.h"
#include "traffic/responder.h"

/* Messages for the responder, while there is a receive for them. */
struct source {
	uint64_t left;
	uint64_t seed;
};

static void send_some(struct fake *fake)
{
	struct source *s = fake->argument;

	for (int i = 0; i < 5 && s->left; i++) {
		struct fake_qp *q =
			&fake->qps[next_random(&s->seed) % fake->n_qps];

		if (!q->receives)
			continue;
		fake_deliver(fake, q);
		s->left--;
	}
	if (!s->left)
		atomic_store(&fake->control.command, (uint32_t)PHASE_DRAIN);
}

TEST(test_responder_takes_all)
{
	for (uint32_t depth = 1; depth <= 64; depth *= 4) {
		struct source s = { .left = 5000, .seed = depth };
		struct flow f;
		struct fake *fake = fake_new(&f, 4);

		fake->on_poll = send_some;
		fake->argument = &s;
		fake->delay = 3;
		f.rx_depth = depth;
		prepare(&f, OP_SEND, 64, 0, 1, 1, 0);
		assert_int_equal(flow_fill_receives(&f), 0);
		assert_int_equal(responder_run(&f, OP_SEND), 0);
		assert_int_equal(f.received, 5000);
		assert_int_equal(f.progress->messages, 5000);
		for (int i = 0; i < 4; i++) {
			assert_int_equal(fake->qps[i].most_receives, depth);
			assert_int_equal(fake->qps[i].receives, depth);
			assert_int_equal(f.qps[i].recv_posted, depth);
		}
		fake_free(fake, &f);
	}
}

TEST(test_responder_fails)
{
	struct flow f;
	struct fake *fake = fake_new(&f, 1);

	f.rx_depth = 4;
	fake->fail_recv = 3;
	fake->errnum = EINVAL;
	assert_int_equal(flow_fill_receives(&f), -EINVAL);
	assert_string_equal(f.failure.verb, "ibv_post_recv");
	assert_int_equal(f.qps[0].recv_posted, 2);
	memset(&f.failure, 0, sizeof(f.failure));
	fake_deliver(fake, &fake->qps[0]);
	fake->receives.entries[0].status = IBV_WC_LOC_PROT_ERR;
	assert_int_equal(responder_run(&f, OP_SEND), -EIO);
	assert_int_equal(f.failure.status, IBV_WC_LOC_PROT_ERR);
	assert_int_equal(f.received, 0);
	fake->fail_poll = fake->polls + 1;
	assert_int_equal(responder_run(&f, OP_SEND), -EIO);
	fake->moves[0].at = fake->ticks + 10;
	fake->moves[0].phase = PHASE_ABORT;
	assert_int_equal(responder_run(&f, OP_SEND), -ECANCELED);
	fake_free(fake, &f);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_responder_takes_all),
	cmocka_unit_test(test_responder_fails),
};

TEST_MAIN(tests, 30)
