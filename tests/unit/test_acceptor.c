/* The test connect with --rdma-cm: both ends in one process, over the fake
 * verbs and the fake connection manager. */
#include "config.h"
#include "test.h"

#include <errno.h>
#include <signal.h>

#include "base/time.h"
#include "fake_verbs.h"
#include "net/frames.h"
#include "net/wait.h"
#include "pair_connect.h"

#if HAVE_RDMACM
#include <rdma/rdma_cma.h>

#include "fake_rdmacm.h"

#define EVENTS 7	/* of a connection */
#define ESTABLISHED 5	/* which of them tells a server nothing */

static struct plan *open_pair(struct pair *p, enum control_pattern pattern,
			      uint64_t n)
{
	struct plan *plan = connect_open(p, pattern, n);

	plan->rdma_cm = true;
	plan->warmup = 0;
	return plan;
}

/* The client gives up after a second, and the server, which was told another
 * timeout, does not give up before it. */
static void hurry_client(struct pair *p)
{
	pair_plan(p)->timeout = 60 * SECOND;
	p->server.result->params.idle_timeout = 60 * SECOND;
	fake_rdmacm.hurry = &pair_plan(p)->timeout;
}

/* The parts make up the whole. */
TEST(test_churn)
{
	static const char *const names[] = {
		"address", "route", "create", "connect", "server", "modify",
		"first message", "disconnect", "destroy",
	};
	const struct control_row *c;
	struct pair p;

	open_pair(&p, CONTROL_CHURN, 100);
	connect_check_churn(&p, names, COUNT(names));
	c = p.client.result->rows[0].control;
	for (uint32_t i = 0; i < c->n_parts; i++)
		assert_int_equal(c->parts[i].aside, i > 6);
	assert_true(c->parts[4].latency.mean > 0);
	assert_true(fake_rdmacm.established >= 100);
	assert_int_equal(fake_rdmacm.accepted, fake_rdmacm.established);
	pair_close_clean(&p);
}

TEST(test_hold)
{
	struct pair p;

	open_pair(&p, CONTROL_HOLD, 150)->tclass = 96;
	connect_check_hold(&p);
	assert_int_equal(fake_rdmacm.tos, 96);
	pair_close_clean(&p);
}

TEST(test_limit_of_the_server)
{
	struct pair p;

	open_pair(&p, CONTROL_HOLD, 100);
	connect_check_limit(&p);
	assert_int_equal(fake_rdmacm.rejected, 1);
	pair_close_clean(&p);
}

/* Who does not know the session gets no connection, and does not disturb. */
TEST(test_strangers)
{
	static const uint32_t bytes[] = { 0, 10, 27, 28, 56 };

	for (size_t i = 0; i < COUNT(bytes); i++) {
		struct pair p;

		open_pair(&p, CONTROL_CHURN, 3);
		fake_rdmacm.strangers = 5;
		fake_rdmacm.stranger_bytes = bytes[i];
		connect_run_well(&p);
		assert_int_equal(fake_rdmacm.rejected, 5);
		pair_close_clean(&p);
	}
}

TEST(test_wrong_answers)
{
	struct pair p;

	open_pair(&p, CONTROL_CHURN, 3);
	fake_rdmacm.wrong_answer = true;
	connect_run_fails(&p, "the answer to rdma_cm from");
	open_pair(&p, CONTROL_CHURN, 3);
	fake_rdmacm.wrong_index = true;
	connect_run_fails(&p, "is not of this session");
	open_pair(&p, CONTROL_CHURN, 3);
	fake_rdmacm.took_byte = 8;
	connect_run_fails(&p, "is not of this session");
}

/* Its clock goes faster than this end's. */
TEST(test_answers_that_took_longer_than_was_waited)
{
	const struct control_row *c;
	struct pair p;

	open_pair(&p, CONTROL_CHURN, 3);
	fake_rdmacm.took_byte = 6;
	c = connect_run_well(&p);
	assert_contains(error_text(&p.client.result->implausible),
			"the server worked for ");
	assert_contains(error_text(&p.client.result->implausible),
			" ns on a connection, and this end waited for ");
	/* the parts are within the whole */
	assert_int_equal(c->parts[4].latency.samples, 3);
	assert_true(c->parts[4].latency.max < SECOND);
	pair_close_clean(&p);
}

TEST(test_other_device)
{
	struct pair p;

	open_pair(&p, CONTROL_CHURN, 3);
	fake_rdmacm.device = "fake7";
	connect_run_fails(&p, "by fake7 port 1, not by fake0 port 1");
	/* both devices are one here */
	open_pair(&p, CONTROL_CHURN, 3);
	fake_rdmacm.sgid_index = 7;
	connect_run_fails(&p, "rdma_cm uses the GID at index 7");
}

TEST(test_message_that_fails)
{
	struct pair p;

	open_pair(&p, CONTROL_CHURN, 10);
	fake_verbs.fail_message = 3;
	fake_verbs.status = IBV_WC_RETRY_EXC_ERR;
	connect_run_fails(&p, "the first message");
	open_pair(&p, CONTROL_CHURN, 10);
	pair_hurry(&p);
	fake_verbs.black_hole = true;
	connect_run_fails(&p,
			  "the first message was not acknowledged within 1 s");
}

/* Whatever call fails, both ends come to an end and leave nothing. */
TEST(test_every_call_may_fail)
{
	bool failed = true;

	for (uint32_t i = 1; failed; i++) {
		struct pair p;

		open_pair(&p, CONTROL_HOLD, 2);
		pair_hurry(&p);
		fake_verbs.fail_call = fake_verbs.calls + i;
		fake_verbs.errnum = ENOMEM;
		pair_run(&p);
		failed = fake_verbs.calls >= fake_verbs.fail_call;
		pair_close_clean(&p);
	}
}

TEST(test_every_call_of_the_manager_may_fail)
{
	uint32_t calls = 1, failed = 0;

	for (uint32_t i = 1; i <= calls; i++) {
		struct pair p;

		open_pair(&p, CONTROL_CHURN, 2);
		pair_hurry(&p);
		fake_rdmacm.fail_call = i;
		pair_run(&p);
		failed += p.client.ret < 0;
		calls = fake_rdmacm.calls;
		assert_true(error_is_set(&p.client.result->error) ==
			    (p.client.ret < 0));
		pair_close_clean(&p);
	}
	assert_true(failed > calls / 2);
}

TEST(test_every_event_is_another)
{
	static const enum rdma_cm_event_type types[] = {
		RDMA_CM_EVENT_UNREACHABLE, RDMA_CM_EVENT_REJECTED,
		RDMA_CM_EVENT_DEVICE_REMOVAL,
	};

	for (size_t t = 0; t < COUNT(types); t++)
		for (uint32_t i = 1; i <= 2 * EVENTS; i++) {
			struct pair p;

			open_pair(&p, CONTROL_HOLD, 2);
			pair_hurry(&p);
			fake_rdmacm.spoil_event = i;
			fake_rdmacm.type = (int)types[t];
			fake_rdmacm.status = -ETIMEDOUT;
			pair_run(&p);
			assert_true(error_is_set(&p.client.result->error) ==
				    (p.client.ret < 0));
			pair_close_clean(&p);
		}
}

TEST(test_every_event_is_lost)
{
	for (uint32_t i = 1; i <= EVENTS; i++) {
		struct pair p;

		open_pair(&p, CONTROL_CHURN, 3);
		hurry_client(&p);
		fake_rdmacm.lose_event = i;
		pair_run(&p);
		if (i != ESTABLISHED)
			assert_int_equal(p.client.ret, -ETIMEDOUT);
		if (p.client.ret < 0)
			assert_contains(error_text(&p.client.result->error),
					"rdma_cm");
		pair_close_clean(&p);
	}
}

/* Without a route nobody is asked for a connection. */
TEST(test_no_route)
{
	struct pair p;

	open_pair(&p, CONTROL_CHURN, 3);
	fake_rdmacm.spoil_event = 2;
	fake_rdmacm.type = RDMA_CM_EVENT_ROUTE_ERROR;
	fake_rdmacm.status = -ETIMEDOUT;
	connect_run_fails(&p, "rdma_cm, looking for the route");
	assert_int_equal(fake_rdmacm.accepted, 0);
}

/* The server's reason is heard while the manager is silent. */
TEST(test_server_interrupted_while_asked)
{
	int fd = signals_open();
	struct pair p;

	open_pair(&p, CONTROL_CHURN, 3);
	p.server.cancel_fd = fd;
	fake_rdmacm.lose_event = 3;
	pair_start(&p);
	usleep(100000);
	kill(getpid(), SIGINT);
	pair_wait(&p);
	assert_message(&p.client.result->error,
		       "the server: interrupted by SIGINT");
	pair_close_clean(&p);
	close(fd);
}

/* One that does not answer is not waited for as often as there are
 * connections. */
TEST(test_silent_manager)
{
	const struct control_row *c;
	const uint64_t began = time_now();
	struct pair p;

	open_pair(&p, CONTROL_HOLD, 30);
	hurry_client(&p);
	/* 5 of each connection, and then the end of the latest one */
	fake_rdmacm.lose_event = 30 * 5 + 1;
	pair_run(&p);
	assert_true(p.client.ret < 0);
	assert_contains(error_text(&p.client.result->error),
			"rdma_cm, connected with");
	assert_contains(error_text(&p.client.result->error), "took too long");
	assert_true(time_since(began) < patient(10) * SECOND);
	c = p.client.result->rows[0].control;
	assert_int_equal(c->most, 30);
	assert_int_equal(c->parts[6].latency.samples, 30);
	assert_int_equal(c->parts[7].latency.samples, 0);
	assert_int_equal(c->parts[8].latency.samples, 0);
	pair_close_clean(&p);
}

/* The same when it stops answering while connections are made, which is no
 * limit. */
TEST(test_silent_while_asked)
{
	const struct control_row *c;
	struct pair p;

	open_pair(&p, CONTROL_HOLD, 30);
	hurry_client(&p);
	/* the eleventh request */
	fake_rdmacm.lose_event = 10 * 5 + 3;
	pair_run(&p);
	assert_true(p.client.ret < 0);
	assert_contains(error_text(&p.client.result->error),
			"rdma_cm, asking for a connection");
	assert_contains(error_text(&p.client.result->error), "took too long");
	c = p.client.result->rows[0].control;
	assert_int_equal(c->most, 10);
	assert_string_equal(c->limit.message, "");
	assert_int_equal(c->parts[7].latency.samples, 0);
	pair_close_clean(&p);
}

/* What either end says over TCP that is not right. */
TEST(test_bad_frames)
{
	static const struct {
		struct relay relay;
		const char *message;
	} cases[] = {
		/* HELLO and ACCEPT are before the server's ENDPOINT, of which n
		 * is behind 57 bytes */
		{ { SPOIL_BYTES, true, 2, .offset = 57, .size = 4,
		    .value = 2 }, "" },
		{ { SPOIL_TYPE, true, 2, .type = FRAME_READY },
		  "the server sent READY where ENDPOINT was expected" },
		{ { SPOIL_CLOSE, true, 2, .type = 0 }, "" },
		{ { SPOIL_SILENCE, true, 2, .type = 0 }, "" },
		/* HELLO and PLAN are before the client's */
		{ { SPOIL_BYTES, false, 2, .offset = 57, .size = 4,
		    .value = 2 }, "" },
		{ { SPOIL_TYPE, false, 2, .type = FRAME_READY },
		  "the client sent READY where ENDPOINT was expected" },
		{ { SPOIL_SILENCE, false, 2, .type = 0 }, "" },
		/* and then its BYE */
		{ { SPOIL_TYPE, false, 3, .type = FRAME_READY },
		  "the client sent READY where BYE was expected" },
		{ { SPOIL_CLOSE, false, 3, .type = 0 }, "" },
		{ { SPOIL_SILENCE, false, 3, .type = 0 }, "" },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct pair p;

		open_pair(&p, CONTROL_CHURN, 5);
		pair_hurry(&p);
		p.relay = cases[i].relay;
		p.relayed = true;
		connect_run_fails(&p, cases[i].message);
	}
}

/* An ENDPOINT of a server that does not listen. */
TEST(test_no_port_of_the_manager)
{
	struct pair p;

	open_pair(&p, CONTROL_CHURN, 5);
	/* the id of its first field, which may then be ignored */
	p.relay = (struct relay){ SPOIL_BYTES, true, 2, .offset = 73 + 2,
				  .size = 2, .value = 999 };
	p.relayed = true;
	connect_run_fails(&p, "");
}

/* Nobody is left who could say BYE. */
TEST(test_silent_client)
{
	struct pair p;

	open_pair(&p, CONTROL_CHURN, 5);
	pair_hurry(&p);
	p.relay = (struct relay){ SPOIL_SILENCE, false, 3, .type = 0 };
	p.relayed = true;
	pair_run(&p);
	assert_int_equal(p.server.ret, -ETIMEDOUT);
	assert_message(&p.server.result->error, "the client said nothing in "
		       "time: waited for the next connection");
	pair_close_clean(&p);
}
#else
TEST(test_built_without)
{
	struct plan *plan;
	struct pair p;

	fake_verbs_reset();
	pair_open(&p, OP_SEND, METRIC_LATENCY);
	plan = pair_plan(&p);
	plan->rdma_cm = true;
	plan->control = CONTROL_CONNECT;
	pair_run(&p);
	assert_contains(error_text(&p.client.result->error),
			"this verbsperf was built without librdmacm");
	pair_close(&p);
}
#endif

static const struct CMUnitTest tests[] = {
#if HAVE_RDMACM
	cmocka_unit_test(test_churn),
	cmocka_unit_test(test_hold),
	cmocka_unit_test(test_limit_of_the_server),
	cmocka_unit_test(test_strangers),
	cmocka_unit_test(test_wrong_answers),
	cmocka_unit_test(test_answers_that_took_longer_than_was_waited),
	cmocka_unit_test(test_other_device),
	cmocka_unit_test(test_message_that_fails),
	cmocka_unit_test(test_every_call_may_fail),
	cmocka_unit_test(test_every_call_of_the_manager_may_fail),
	cmocka_unit_test(test_every_event_is_another),
	cmocka_unit_test(test_every_event_is_lost),
	cmocka_unit_test(test_no_route),
	cmocka_unit_test(test_server_interrupted_while_asked),
	cmocka_unit_test(test_silent_manager),
	cmocka_unit_test(test_silent_while_asked),
	cmocka_unit_test(test_bad_frames),
	cmocka_unit_test(test_no_port_of_the_manager),
	cmocka_unit_test(test_silent_client),
#else
	cmocka_unit_test(test_built_without),
#endif
};

TEST_MAIN(tests, 120)
