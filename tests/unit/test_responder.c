/* The end that only receives, on a NIC that is not there. */
#include "config.h"
#include "test.h"

#include <errno.h>

#include "fake_provider.h"
#include "traffic/loops.h"

/* Messages for the responder, while there is a receive for them. */
struct source {
	uint64_t left;
	uint64_t seed;
	uint64_t said_after;	/* polls after the last one that SENT comes */
};

static void send_some(struct fake *fake)
{
	struct source *s = fake->argument;

	for (int i = 0; i < 5 && s->left; i++) {
		struct fake_qp *q =
			&fake->qps[next_random(&s->seed) % fake->n_qps];

		if (!fake_outstanding(fake, q))
			continue;
		fake_deliver(fake, q);
		s->left--;
	}
	if (!s->left && s->said_after-- == 0)
		atomic_store(&fake->control.peer_sent, true);
}

/* All receives are where they belong: posted, or waiting to be. */
static void check_receives(struct fake *fake, const struct flow *f,
			   uint32_t depth, uint32_t list)
{
	assert_int_equal(fake->rnr, 0);
	for (uint32_t i = 0; i < f->n_receives; i++) {
		const struct flow_receives *r = &f->receives[i];
		const struct fake_rq *rq = fake_rq_of(fake, &fake->qps[i]);

		assert_int_equal(rq->most, depth);
		assert_int_equal(rq->longest, list);
		assert_int_equal(rq->posted - rq->taken,
				 r->outstanding);
		assert_int_equal(r->outstanding + r->waiting, depth);
		assert_true(r->waiting < list);
	}
}

static void check_takes_all(uint32_t depth, uint32_t list, bool shared,
			    uint64_t said_after)
{
	struct source s = { 5000, depth, said_after };
	struct flow f;
	struct fake *fake = fake_new(&f, 4);

	fake->on_poll = send_some;
	fake->argument = &s;
	fake->delay = 3;
	fake_take_receives(fake, &f, depth, list, shared);
	prepare(&f, OP_SEND, 64, 0, 1, 1, 0);
	f.expected = 5000;
	assert_int_equal(flow_fill_receives(&f), 0);
	assert_int_equal(responder_run(&f, OP_SEND), 0);
	assert_int_equal(f.received, 5000);
	assert_int_equal(f.progress->messages, 5000);
	assert_int_equal(f.posted, 0);
	check_receives(fake, &f, depth, list);
	fake_free(fake, &f);
}

TEST(test_responder_takes_all)
{
	for (uint32_t depth = 1; depth <= 64; depth *= 4)
		for (uint32_t list = 1; list <= depth; list *= 4)
			for (int shared = 0; shared < 2; shared++) {
				check_takes_all(depth, list, shared, 0);
				check_takes_all(depth, list, shared, 500);
			}
}

/* Of several queues each is polled in its turn. */
TEST(test_responder_takes_of_every_queue)
{
	struct source s = { .left = 5000, .seed = 7 };
	struct flow f;
	struct fake *fake = fake_new(&f, 5);

	fake->on_poll = send_some;
	fake->argument = &s;
	fake_split_cqs(fake, &f, 3);
	fake_take_receives(fake, &f, 8, 1, false);
	prepare(&f, OP_SEND, 64, 0, 1, 1, 0);
	f.expected = 5000;
	assert_int_equal(flow_fill_receives(&f), 0);
	assert_int_equal(responder_run(&f, OP_SEND), 0);
	assert_int_equal(f.received, 5000);
	check_receives(fake, &f, 8, 1);
	fake_free(fake, &f);
}

/* Five of 105 never come: what is reliable is waited for, until somebody says
 * that it is enough; over the others they are lost. */
static void check_missing(bool unreliable, int ret)
{
	struct source s = { .left = 100, .seed = 7 };
	struct flow f;
	struct fake *fake = fake_new(&f, 2);

	fake->on_poll = send_some;
	fake->argument = &s;
	fake_take_receives(fake, &f, 16, 1, false);
	prepare(&f, OP_SEND, 64, 0, 1, 1, 0);
	f.expected = 105;
	f.unreliable = unreliable;
	f.loss_timeout = 1000000;	/* a tick is 1 ns here */
	if (!unreliable) {
		fake->moves[0].at = 200000;
		fake->moves[0].phase = PHASE_ABORT;
	}
	assert_int_equal(flow_fill_receives(&f), 0);
	assert_int_equal(responder_run(&f, OP_SEND), ret);
	assert_int_equal(f.received, 100);
	fake_free(fake, &f);
}

TEST(test_messages_that_never_come)
{
	check_missing(true, 0);
	check_missing(false, -ECANCELED);
}

#define SENDER 0x1234

/* Of a multicast group: every third message is another sender's, who goes on
 * for ever. */
static void send_of_many(struct fake *fake)
{
	struct source *s = fake->argument;
	const struct ibv_wc wc[] = {
		{ .opcode = IBV_WC_RECV, .src_qp = SENDER },
		{ .opcode = IBV_WC_RECV, .src_qp = SENDER + 1 },
	};

	for (int i = 0; i < 5; i++) {
		const bool other = !s->left || i % 3 == 2;

		if (!fake_outstanding(fake, &fake->qps[0]))
			return;
		fake_deliver_message(fake, &fake->qps[0], &wc[other], NULL);
		s->left -= !other;
		s->seed += other;
	}
	if (!s->left)
		atomic_store(&fake->control.peer_sent, true);
}

/* What others send does not count, also in the count of a receive queue, and
 * does not keep the end from giving up what is lost. */
TEST(test_other_senders_of_a_group)
{
	for (uint64_t missing = 0; missing < 10; missing += 5) {
		struct source s = { .left = 1000 };
		struct flow f;
		struct fake *fake = fake_new(&f, 1);

		fake->on_poll = send_of_many;
		fake->argument = &s;
		fake_take_receives(fake, &f, 16, 4, false);
		prepare(&f, OP_SEND, 64, 0, 1, 1, 0);
		f.expected = 1000 + missing;
		f.sender_qpn = SENDER;
		f.receivers = 1;
		f.unreliable = true;
		f.loss_timeout = 1000000;	/* a tick is 1 ns here */
		assert_int_equal(flow_fill_receives(&f), 0);
		assert_int_equal(responder_run(&f, OP_SEND), 0);
		assert_int_equal(f.received, 1000);
		assert_int_equal(flow_taken(f.receives) - f.receives->before,
				 1000);
		assert_in_range(f.others, 200, s.seed);
		fake_free(fake, &f);
	}
}

/* A time that is over does not end it: the peer may still be sending. */
TEST(test_only_the_peer_ends_it)
{
	struct source s = { .left = 5000, .seed = 7, .said_after = 1000 };
	struct flow f;
	struct fake *fake = fake_new(&f, 1);

	fake->on_poll = send_some;
	fake->argument = &s;
	fake->moves[0].at = 10;
	fake->moves[0].phase = PHASE_DRAIN;
	fake_take_receives(fake, &f, 4, 1, false);
	prepare(&f, OP_SEND, 64, 0, 1, 1, 0);
	f.expected = 5000;
	assert_int_equal(flow_fill_receives(&f), 0);
	assert_int_equal(responder_run(&f, OP_SEND), 0);
	assert_int_equal(f.received, 5000);
	fake_free(fake, &f);
}

TEST(test_responder_fails)
{
	struct flow f;
	struct fake *fake = fake_new(&f, 1);

	fake_take_receives(fake, &f, 4, 1, false);
	fake->fail_recv = 3;
	fake->errnum = EINVAL;
	assert_int_equal(flow_fill_receives(&f), -EINVAL);
	assert_string_equal(f.failure.verb, "ibv_post_recv");
	assert_int_equal(f.receives[0].outstanding, 2);
	memset(&f.failure, 0, sizeof(f.failure));
	fake_deliver(fake, &fake->qps[0]);
	fake->cqs[0].receives.entries[0].wc.status = IBV_WC_LOC_PROT_ERR;
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

/* The verb that failed is the shared queue's. */
TEST(test_shared_receives_fail)
{
	struct flow f;
	struct fake *fake = fake_new(&f, 2);

	fake_take_receives(fake, &f, 4, 1, true);
	fake->fail_recv = 3;
	fake->errnum = ENOMEM;
	assert_int_equal(flow_fill_receives(&f), -ENOMEM);
	assert_string_equal(f.failure.verb, "ibv_post_srq_recv");
	assert_int_equal(f.receives[0].outstanding, 2);
	fake_free(fake, &f);
}

/* A loop that sent before answered the last mark, which may be being read. */
TEST(test_no_mark_is_answered_twice)
{
	struct source s = { .left = 50, .seed = 7, .said_after = 10 };
	struct flow f;
	struct fake *fake = fake_new(&f, 1);

	fake->on_poll = send_some;
	fake->argument = &s;
	fake_take_receives(fake, &f, 16, 1, false);
	prepare(&f, OP_SEND, 64, 10, 1, 1, 10);
	f.counts_arrivals = true;
	f.window.opened = 1;
	f.expected = 50;
	atomic_store(&f.control->command, PHASE_MEASURE | 3 * FLOW_MARK);
	atomic_store(&f.progress->marked, 3);
	f.progress->mark_counted = 77;
	assert_int_equal(flow_fill_receives(&f), 0);
	assert_int_equal(responder_run(&f, OP_SEND), 0);
	assert_int_equal(f.received, 50);
	assert_int_equal(f.progress->marked, 3);
	assert_int_equal(f.progress->mark_counted, 77);
	fake_free(fake, &f);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_responder_takes_all),
	cmocka_unit_test(test_responder_takes_of_every_queue),
	cmocka_unit_test(test_messages_that_never_come),
	cmocka_unit_test(test_other_senders_of_a_group),
	cmocka_unit_test(test_only_the_peer_ends_it),
	cmocka_unit_test(test_no_mark_is_answered_twice),
	cmocka_unit_test(test_responder_fails),
	cmocka_unit_test(test_shared_receives_fail),
};

TEST_MAIN(tests, 30)
