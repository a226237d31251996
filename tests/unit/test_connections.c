/* The test connect: both ends in one process, over the fake verbs. */
#include "config.h"
#include "test.h"

#include <errno.h>
#include <signal.h>
#include <unistd.h>

#include "base/time.h"
#include "fake_verbs.h"
#include "net/frames.h"
#include "net/wait.h"
#include "pair_connect.h"

/* The parts make up the whole. */
TEST(test_churn)
{
	static const char *const names[] = {
		"create", "exchange", "server", "modify", "first message",
		"destroy", "disconnect",
	};
	struct pair p;

	connect_open(&p, CONTROL_CHURN, 100);
	connect_check_churn(&p, names, COUNT(names));
	pair_close_clean(&p);
}

TEST(test_hold)
{
	struct pair p;

	connect_open(&p, CONTROL_HOLD, 150);
	connect_check_hold(&p);
	pair_close_clean(&p);
}

TEST(test_limit_of_the_server)
{
	struct pair p;

	connect_open(&p, CONTROL_HOLD, 100);
	connect_check_limit(&p);
	pair_close_clean(&p);
}

TEST(test_message_that_fails)
{
	struct pair p;

	connect_open(&p, CONTROL_CHURN, 10);
	fake_verbs.fail_message = 3;
	fake_verbs.status = IBV_WC_RETRY_EXC_ERR;
	pair_run(&p);
	assert_true(p.client.ret < 0);
	assert_string_equal(p.client.result->error.code,
			    "IBV_WC_RETRY_EXC_ERR");
	assert_contains(error_text(&p.client.result->error),
			"the first message");
	assert_true(p.server.ret < 0);
	pair_close_clean(&p);
}

TEST(test_message_that_is_not_acknowledged)
{
	struct pair p;

	connect_open(&p, CONTROL_CHURN, 10);
	pair_hurry(&p);
	fake_verbs.black_hole = true;
	pair_run(&p);
	assert_int_equal(p.client.ret, -ETIMEDOUT);
	assert_message(&p.client.result->error, "the first message was not "
		       "acknowledged within 1 s");
	pair_close_clean(&p);
}

/* The calls of both ends until the client awaits the first answer, the last two
 * of which belong to the first connection: after them only one end works at a
 * time, so that the order is always the same. */
#define CALLS_AT_ONCE 7
/* Of one connection: the client makes a queue pair and moves it to INIT, the
 * server makes one and moves it three times, and the client moves its own twice
 * more. */
#define CALLS_EACH 8

/* Whatever call fails, of those at once and of N connections that come first,
 * both ends come to an end and leave nothing.  Returns of how many that were
 * not at once the client says that a queue pair did not move to INIT. */
static uint32_t fail_each_call(enum control_pattern pattern, uint32_t n)
{
	const uint32_t all = CALLS_AT_ONCE - 2 + n * CALLS_EACH;
	uint32_t in_init = 0;

	for (uint32_t i = 1; i <= all; i++) {
		struct pair p;

		connect_open(&p, pattern, n);
		fake_verbs.fail_call = fake_verbs.calls + i;
		fake_verbs.errnum = ENOMEM;
		pair_run(&p);
		assert_true(fake_verbs.calls >= fake_verbs.fail_call);
		if (strstr(p.client.result->error.message, "INIT")) {
			/* and nothing else was tried */
			assert_int_equal(fake_verbs.calls_after, 0);
			in_init += i > CALLS_AT_ONCE;
		}
		pair_close_clean(&p);
	}
	return in_init;
}

TEST(test_every_call_may_fail)
{
	/* of the first connection that of the client is one at once, and that
	 * there are no more of the others is a result */
	assert_int_equal(fail_each_call(CONTROL_HOLD, 3), 1);
	assert_int_equal(fail_each_call(CONTROL_CHURN, 6), 1 + 2 * 5);
}

/* What is advised is nothing that the test would refuse. */
static void check_no_queue_pair(int errnum, const char *advice)
{
	bool seen = false;

	for (uint32_t i = 1; i <= 60 && !seen; i++) {
		const struct error *err;
		struct pair p;

		connect_open(&p, CONTROL_CHURN, 3);
		fake_verbs.fail_call = fake_verbs.calls + i;
		fake_verbs.errnum = errnum;
		pair_run(&p);
		err = &p.client.result->error;
		if (!err->from_peer &&
		    strstr(err->message, "cannot create a queue pair")) {
			assert_contains(err->advice, advice);
			assert_null(strstr(err->advice, "-t"));
			seen = true;
		}
		pair_close_clean(&p);
	}
	assert_true(seen);
}

TEST(test_no_queue_pair)
{
	check_no_queue_pair(ENOMEM, "max_qp");
	check_no_queue_pair(EINVAL, "max_qp");
	check_no_queue_pair(EAGAIN, "rdma.max");
}

/* One that does not answer is not waited for as often as there are
 * connections. */
TEST(test_silent_server)
{
	const struct control_row *c;
	const uint64_t began = time_now();
	struct pair p;

	connect_open(&p, CONTROL_HOLD, 30);
	pair_plan(&p)->warmup = 0;
	pair_hurry(&p);
	/* HELLO, ACCEPT and 30 ENDPOINTs are before its first START */
	p.relay = (struct relay){ SPOIL_SILENCE, true, 32, .type = 0 };
	p.relayed = true;
	pair_run(&p);
	assert_int_equal(p.client.ret, -ETIMEDOUT);
	assert_message(&p.client.result->error, "the server said nothing in "
		       "time: waited for START");
	assert_true(time_since(began) < patient(10) * SECOND);
	c = p.client.result->rows[0].control;
	assert_int_equal(c->parts[4].latency.samples, 30);
	assert_int_equal(c->parts[5].latency.samples, 0);
	pair_close_clean(&p);
}

/* It is given up soon after the user has interrupted, and not when --timeout is
 * over. */
TEST(test_interrupted_while_the_server_is_silent)
{
	static const enum control_pattern patterns[] = { CONTROL_CHURN,
							 CONTROL_HOLD };

	for (size_t i = 0; i < COUNT(patterns); i++) {
		int fd = signals_open();
		uint64_t began;
		struct pair p;

		connect_open(&p, patterns[i], 30)->warmup = 0;
		pair_plan(&p)->timeout = 60 * SECOND;
		p.client.cancel_fd = fd;
		/* after ten connections at most */
		p.relay = (struct relay){ SPOIL_SILENCE, true, 12, .type = 0 };
		p.relayed = true;
		pair_start(&p);
		usleep(300000);
		began = time_now();
		kill(getpid(), SIGINT);
		pair_wait(&p);
		assert_true(time_since(began) < patient(10) * SECOND);
		assert_true(p.client.ret < 0);
		assert_message(&p.client.result->error,
			       "interrupted by SIGINT");
		assert_int_equal(p.client.result->n_rows, 1);
		assert_true(p.client.result->rows[0].total.iterations <= 10);
		pair_close_clean(&p);
		close(fd);
	}
}

/* What a server says that is not right. */
TEST(test_bad_answers)
{
	static const struct {
		struct relay relay;
		const char *message;
	} cases[] = {
		/* HELLO and ACCEPT are before the first answer; of that, n is
		 * behind 57 bytes */
		{ { SPOIL_BYTES, true, 2, .offset = 57, .size = 4,
		    .value = 2 }, "" },
		{ { SPOIL_TYPE, true, 2, .type = FRAME_READY },
		  "the server sent READY where ENDPOINT was expected" },
		{ { SPOIL_ENDPOINTS, true, 2, .type = 0 },
		  "the server sent an ENDPOINT of 2 QPs where 1 was agreed" },
		{ { SPOIL_CLOSE, true, 2, .type = 0 }, "" },
		{ { SPOIL_SILENCE, true, 2, .type = 0 }, "" },
		{ { SPOIL_TYPE, false, 2, .type = FRAME_READY }, "" },
		{ { SPOIL_SILENCE, false, 2, .type = 0 }, "" },
		{ { SPOIL_SILENCE, false, 3, .type = 0 }, "" },
		{ { SPOIL_BYTES, true, 3, .offset = 0, .size = 8,
		    .value = 77 }, "connections 77" },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct pair p;

		connect_open(&p, CONTROL_CHURN, 5);
		pair_hurry(&p);
		p.relay = cases[i].relay;
		p.relayed = true;
		connect_run_fails(&p, cases[i].message);
	}
}

/* While connections are held, too: none of these is a limit. */
TEST(test_bad_answer_while_held)
{
	static const struct {
		struct relay relay;
		const char *message;
	} cases[] = {
		{ { SPOIL_ENDPOINTS, true, 6, .type = 0 }, "ENDPOINT of 2" },
		{ { SPOIL_TYPE, true, 6, .type = FRAME_READY }, "sent READY" },
		{ { SPOIL_TYPE, true, 6, .type = FRAME_ABORT }, "because" },
		{ { SPOIL_SILENCE, true, 6, .type = 0 }, "in time" },
		{ { SPOIL_CLOSE, true, 6, .type = 0 }, "connection" },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		const struct control_row *c;
		struct pair p;

		connect_open(&p, CONTROL_HOLD, 20);
		pair_plan(&p)->warmup = 0;
		pair_hurry(&p);
		p.relay = cases[i].relay;
		p.relayed = true;
		pair_run(&p);
		assert_true(p.client.ret < 0);
		assert_contains(error_text(&p.client.result->error),
				cases[i].message);
		c = p.client.result->rows[0].control;
		assert_int_equal(c->most, 4);
		assert_string_equal(c->limit.message, "");
		pair_close_clean(&p);
	}
}

/* A refusal of the end of connections ends the dialogue. */
TEST(test_refused_to_undo)
{
	struct pair p;

	connect_open(&p, CONTROL_HOLD, 30);
	pair_plan(&p)->warmup = 0;
	pair_hurry(&p);
	p.relay = (struct relay){ SPOIL_TYPE, true, 32,
				  .type = FRAME_REFUSE };
	p.relayed = true;
	pair_run(&p);
	assert_true(p.client.ret < 0);
	assert_message(&p.client.result->error, "the server: because");
	pair_close_clean(&p);
}

/* What a client says that is not right. */
TEST(test_bad_requests)
{
	static const struct {
		struct relay relay;
		const char *message;
	} cases[] = {
		/* HELLO and PLAN are before its ENDPOINT: n, and then the MTU
		 */
		{ { SPOIL_BYTES, false, 2, .offset = 57, .size = 4,
		    .value = 99999 }, "QPs 99999" },
		{ { SPOIL_BYTES, false, 2, .offset = 28, .size = 1,
		    .value = 9 }, "MTU 9" },
		/* more connections than there are */
		{ { SPOIL_BYTES, false, 3, .offset = 0, .size = 8,
		    .value = 77 }, "connections 77" },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct pair p;

		connect_open(&p, CONTROL_CHURN, 5);
		pair_hurry(&p);
		p.relay = cases[i].relay;
		p.relayed = true;
		pair_run(&p);
		assert_true(p.client.ret < 0);
		assert_int_equal(p.server.ret, -EPROTO);
		assert_contains(error_text(&p.server.result->error),
				cases[i].message);
		pair_close_clean(&p);
	}
}

/* More ns than any run lasts, which are more ticks than a number holds. */
TEST(test_took_too_long)
{
	struct endpoint_qp qp = { .qpn = 1 };
	struct endpoint e = { .mtu = IBV_MTU_1024, .length = 1, .stride = 1,
			      .n = 1, .qps = &qp, .took = UINT64_MAX }, got;
	struct error err = { 0 };
	struct frame frame;

	frame = encode_endpoint(&e);
	assert_int_equal(decode_endpoint(&frame, &got, &err), -EPROTO);
	assert_contains(error_text(&err), "took 18446744073709551615");
	frame_free(&frame);
}

TEST(test_frames)
{
	struct endpoint_qp qp = { .qpn = 1 };
	struct endpoint e = { .mtu = IBV_MTU_1024, .length = 1, .stride = 1,
			      .n = 1, .qps = &qp, .took = 123456789 }, got;
	struct port port = { .active_mtu = IBV_MTU_1024 };
	struct parameters params;
	struct error err = { 0 };
	struct frame frame;
	struct plan plan;

	frame = encode_endpoint(&e);
	assert_int_equal(decode_endpoint(&frame, &got, &err), 0);
	assert_int_equal(got.took, 123456789);
	free(got.qps);
	frame_free(&frame);
	param_defaults(&params);
	params.plan.sizes.n = 1;
	params.plan.control = CONTROL_CONNECT;
	frame = encode_plan(&params.plan, &port);
	assert_int_equal(decode_plan(&frame, &plan, &port, &err), 0);
	assert_int_equal(plan.control, CONTROL_CONNECT);
	assert_int_equal(plan.metric, METRIC_LATENCY);
	frame_free(&frame);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_churn),
	cmocka_unit_test(test_hold),
	cmocka_unit_test(test_limit_of_the_server),
	cmocka_unit_test(test_message_that_fails),
	cmocka_unit_test(test_message_that_is_not_acknowledged),
	cmocka_unit_test(test_every_call_may_fail),
	cmocka_unit_test(test_no_queue_pair),
	cmocka_unit_test(test_silent_server),
	cmocka_unit_test(test_interrupted_while_the_server_is_silent),
	cmocka_unit_test(test_bad_answers),
	cmocka_unit_test(test_bad_answer_while_held),
	cmocka_unit_test(test_refused_to_undo),
	cmocka_unit_test(test_bad_requests),
	cmocka_unit_test(test_took_too_long),
	cmocka_unit_test(test_frames),
};

TEST_MAIN(tests, 90)
