/* Whole sessions whose ends join a multicast group by the connection manager:
 * what succeeds, as which members, and each thing that may go wrong. */
#include "config.h"
#include "test.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>

#include "fake_verbs.h"
#include "pair.h"

#if HAVE_RDMACM
#include <rdma/rdma_cma.h>

#include "fake_rdmacm.h"
#include "verbs/cm_id.h"

/* More calls of librdmacm than a run has, and its events. */
#define CALLS_MOST 60
#define EVENTS 2

static void open_on(struct pair *p, bool infiniband, const char *group)
{
	struct plan *plan;

	fake_verbs_reset();
	fake_rdmacm_reset();
	if (infiniband) {
		fake_verbs.port.link_layer = IBV_LINK_LAYER_INFINIBAND;
		fake_verbs.port.lid = 17;
	}
	pair_open(p, OP_SEND, METRIC_BANDWIDTH);
	plan = pair_plan(p);
	plan->rdma_cm = true;
	plan->transport = TRANSPORT_UD;
	plan->iterations = 70;
	plan->verify = true;
	plan->mcast.wanted = true;
	plan->mcast.given = group != NULL;
	if (group)
		assert_int_equal(inet_pton(AF_INET6, group,
					   plan->mcast.gid.raw), 1);
}

static void open_pair(struct pair *p)
{
	open_on(p, false, NULL);
}

static void run(struct pair *p, const char *what)
{
	pair_run_well(p, what);
	assert_int_equal(p->client.result->rows[0].total.sent, 70);
	assert_int_equal(p->client.result->rows[0].total.received, 70);
	pair_close_clean(p);
}

/* The group's Q_Key is used, and not the one of the server's ENDPOINT. */
TEST(test_sessions)
{
	static const char *const groups[] = { NULL, "::ffff:239.1.2.3" };

	for (int i = 0; i < 4; i++) {
		struct pair p;

		open_on(&p, i & 2, groups[i & 1]);
		fake_rdmacm.qkey = i & 2 ? 0x0b1b0001 : 0;
		run(&p, i & 2 ? "InfiniBand" : "RoCE");
		assert_int_equal(fake_rdmacm.joined, 1);
		assert_int_equal(fake_rdmacm.joined_to_send, 1);
		assert_int_equal(fake_rdmacm.accepted, 0);
	}
}

TEST(test_type_of_service)
{
	struct pair p;

	open_pair(&p);
	pair_plan(&p)->tclass = 96;
	run(&p, "--tclass 96");
	assert_int_equal(fake_rdmacm.tos, 96);
}

/* The sender becomes a full member where it cannot only send. */
TEST(test_nobody_can_only_send)
{
	struct pair p;

	open_pair(&p);
	fake_rdmacm.no_send_only = true;
	run(&p, "the kernel has no such members");
	assert_int_equal(fake_rdmacm.joined, 2);
	open_on(&p, true, NULL);
	fake_rdmacm.refuse_send_only = true;
	run(&p, "the subnet manager has no such members");
	assert_int_equal(fake_rdmacm.joined, 2);
	assert_int_equal(fake_rdmacm.joined_to_send, 1);
}

/* The client does not wait for it. */
TEST(test_server_joins_late)
{
	struct pair p;

	open_pair(&p);
	fake_rdmacm.slow_ms = 200;
	run(&p, "late");
}

TEST(test_wrong_answers)
{
	static const struct {
		struct fake_rdmacm wrong;
		const char *message;
	} rows[] = {
		{ { .sgid_index = 5 },
		  "rdma_cm uses the GID at index 5, and the path that at 1" },
		{ { .device = "mlx5_7" },
		  "rdma_cm reaches the multicast group ::ffff:239.255." },
		{ { .pkey_index = 4 }, "with the P_Key at index 4, not at 0" },
	};

	/* both ends find out, at the same time */
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct pair p;

		open_pair(&p);
		fake_rdmacm = rows[i].wrong;
		pair_run(&p);
		pair_check_failed(&p.client, rows[i].message);
		pair_check_failed(&p.server, rows[i].message);
		assert_contains(p.client.result->error.message,
				rows[i].message);
		pair_close_clean(&p);
	}
}

/* Each call of librdmacm fails once; a sender has a second one to join. */
TEST(test_every_call_fails)
{
	uint32_t call = 1;

	for (; call < CALLS_MOST; call++) {
		struct pair p;

		open_pair(&p);
		pair_plan(&p)->tclass = 96;
		fake_rdmacm.fail_call = call;
		pair_run(&p);
		if (fake_rdmacm.calls < call) {
			pair_close_clean(&p);
			break;
		}
		if (p.client.ret)
			pair_check_both_failed(&p, "a call fails");
		else
			assert_int_equal(fake_rdmacm.joined, 2);
		pair_close_clean(&p);
	}
	/* those of both ends were among them */
	assert_in_range(call, 14, CALLS_MOST - 1);
}

/* The first call shows whether the module is there. */
TEST(test_advice)
{
	static const struct {
		const char *call;
		int errnum;
		const char *advice;	/* has it */
	} rows[] = {
		{ "rdma_create_event_channel", ENODEV, "rdma_ucm" },
		{ "rdma_create_event_channel", ENOENT, "rdma_ucm" },
		{ "rdma_create_event_channel", EACCES, "rdma_ucm" },
		{ "rdma_resolve_route", ENODEV, "another GID" },
		{ "rdma_bind_addr", EADDRNOTAVAIL, "ip address" },
		{ "rdma_bind_addr", EIO, "" },
	};
	const struct device device = { .port = { .device = "rxe0" } };
	const struct cm_end end = { .device = &device };

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct error err = { 0 };

		errno = rows[i].errnum;
		assert_int_equal(cm_check(&end, rows[i].call, -1, &err),
				 -rows[i].errnum);
		assert_contains(err.message, rows[i].call);
		assert_contains(err.advice, rows[i].advice);
		if (!rows[i].advice[0])
			assert_string_equal(err.advice, "");
	}
}

TEST(test_client_is_never_ready)
{
	struct pair p;

	open_pair(&p);
	pair_hurry(&p);
	p.relayed = true;
	p.relay.spoil = SPOIL_SILENCE;
	/* HELLO, PLAN, ENDPOINT */
	p.relay.nth = 3;
	pair_run(&p);
	pair_check_failed(&p.server, "silence");
	assert_contains(p.server.result->error.message,
			"the client did not send READY in time");
	pair_close_clean(&p);
}

TEST(test_every_event_is_another)
{
	static const struct {
		enum rdma_cm_event_type type;
		int status;
	} types[] = {
		{ RDMA_CM_EVENT_ADDR_ERROR, -ETIMEDOUT },
		{ RDMA_CM_EVENT_DEVICE_REMOVAL, 0 },
		{ RDMA_CM_EVENT_ADDR_CHANGE, 0 },
		{ RDMA_CM_EVENT_MULTICAST_JOIN, -EINVAL },
	};

	for (uint32_t n = 1; n <= EVENTS; n++)
		for (size_t i = 0; i < COUNT(types); i++) {
			struct pair p;

			open_pair(&p);
			fake_rdmacm.spoil_event = n;
			fake_rdmacm.type = types[i].type;
			fake_rdmacm.status = types[i].status;
			pair_run_fails(&p, "another event",
				       cm_event_name(types[i].type));
		}
}

/* An event that does not come is waited for no longer than --timeout. */
TEST(test_every_event_is_lost)
{
	for (uint32_t n = 1; n <= EVENTS; n++) {
		struct pair p;

		open_pair(&p);
		pair_hurry(&p);
		fake_rdmacm.lose_event = n;
		pair_run_fails(&p, "an event is lost",
			       "took too long (--timeout)");
	}
}

TEST(test_peer_says_something_else)
{
	for (int to_client = 0; to_client < 2; to_client++) {
		struct pair p;

		open_pair(&p);
		pair_hurry(&p);
		fake_rdmacm.slow_ms = 100;
		p.relayed = true;
		p.relay.spoil = SPOIL_TYPE;
		p.relay.type = FRAME_START;
		p.relay.to_client = to_client;
		/* READY is next after HELLO, PLAN or ACCEPT, ENDPOINT */
		p.relay.nth = 3;
		pair_run(&p);
		pair_check_failed(&p.client, "START");
		pair_check_failed(&p.server, "START");
		pair_close_clean(&p);
	}
}

/* As of the kernel, over RoCE v2. */
TEST(test_no_ipv6)
{
	struct pair p;

	open_pair(&p);
	pair_close(&p);
	memset(fake_verbs.gids[0].gid.raw, 0x20, 16);
	pair_open(&p, OP_SEND, METRIC_BANDWIDTH);
	pair_plan(&p)->rdma_cm = true;
	pair_plan(&p)->transport = TRANSPORT_UD;
	pair_plan(&p)->mcast.wanted = true;
	fake_rdmacm.no_ipv6 = true;
	pair_run(&p);
	pair_check_failed(&p.client, "IPv6");
	assert_contains(p.client.result->error.message,
			"rdma_join_multicast: Operation not supported");
	assert_contains(p.client.result->error.advice, "IPv4");
	pair_close_clean(&p);
}

TEST(test_what_is_said)
{
	const char *const group = "the multicast group ff12::1";
	struct error err = { 0 };

	assert_int_equal(cm_explain(RDMA_CM_EVENT_MULTICAST_ERROR, -EINVAL,
				    CM_GROUP, group, false, &err),
			 -ECONNREFUSED);
	assert_message(&err, "rdma_cm, joining the multicast group ff12::1, "
		       "was refused: RDMA_CM_EVENT_MULTICAST_ERROR (status "
		       "-22: Invalid argument)");
	assert_contains(err.advice, "saquery -g");
	for (int ethernet = 0; ethernet < 2; ethernet++) {
		err = (struct error){ 0 };
		assert_int_equal(cm_explain_silence(CM_GROUP, group, ethernet,
						    &err), -ETIMEDOUT);
		assert_message(&err, "rdma_cm, joining the multicast group "
			       "ff12::1, took too long (--timeout)");
		assert_contains(err.advice, ethernet ? "dmesg" : "sminfo");
	}
}
#endif

TEST(test_infiniband_needs_the_manager)
{
	struct pair p;

	fake_verbs_reset();
	fake_verbs.port.link_layer = IBV_LINK_LAYER_INFINIBAND;
	fake_verbs.port.lid = 17;
	pair_open(&p, OP_SEND, METRIC_BANDWIDTH);
	pair_plan(&p)->transport = TRANSPORT_UD;
	pair_plan(&p)->mcast.wanted = true;
	pair_run(&p);
	assert_contains(p.client.result->error.message,
			"--mcast: on InfiniBand the subnet manager makes a "
			"multicast group for those who join it by rdma_cm");
	assert_string_equal(p.client.result->error.advice, "add --rdma-cm");
	pair_close(&p);
}

static const struct CMUnitTest tests[] = {
#if HAVE_RDMACM
	cmocka_unit_test(test_sessions),
	cmocka_unit_test(test_type_of_service),
	cmocka_unit_test(test_nobody_can_only_send),
	cmocka_unit_test(test_server_joins_late),
	cmocka_unit_test(test_wrong_answers),
	cmocka_unit_test(test_every_call_fails),
	cmocka_unit_test(test_advice),
	cmocka_unit_test(test_client_is_never_ready),
	cmocka_unit_test(test_every_event_is_another),
	cmocka_unit_test(test_every_event_is_lost),
	cmocka_unit_test(test_peer_says_something_else),
	cmocka_unit_test(test_no_ipv6),
	cmocka_unit_test(test_what_is_said),
#endif
	cmocka_unit_test(test_infiniband_needs_the_manager),
};

TEST_MAIN(tests, 60)
