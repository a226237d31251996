/*
 * Whole sessions whose queue pairs the connection manager connects: what
 * succeeds, each event that is not the one awaited, strangers, silence, and
 * what a build without librdmacm says.
 */
#include "config.h"
#include "test.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "fake_verbs.h"
#include "net/frames.h"
#include "net/wait.h"
#include "pair.h"

#if HAVE_RDMACM
#include <rdma/rdma_cma.h>

#include "fake_rdmacm.h"
#include "verbs/cm_id.h"

/* Which way the messages go. */
enum way { FORTH, BACK, BOTH, WAYS };

/* Most calls of librdmacm, and events, of a run of one queue pair. */
#define CALLS_MOST 100
#define EVENTS_RC 5
#define EVENTS_UD 4

static struct plan *open_pair(struct pair *p, enum op op,
			      enum transport transport)
{
	struct plan *plan;

	fake_verbs_reset();
	fake_rdmacm_reset();
	pair_open(p, op, METRIC_BANDWIDTH);
	plan = pair_plan(p);
	plan->rdma_cm = true;
	plan->transport = transport;
	/* where a receive is missing, a message is lost */
	plan->rx_depth = 1024;
	return plan;
}

static void run(struct pair *p, const char *what)
{
	pair_run_well(p, what);
	pair_close_clean(p);
}

#define FOR_EACH(op, transport) \
	for (enum op op = 0; op < OP_COUNT; op++) \
		for (enum transport transport = 0; transport < TRANSPORTS; \
		     transport++) \
			if (op_table[op].transports & 1U << transport && \
			    (transport == TRANSPORT_RC || \
			     transport == TRANSPORT_UD))

TEST(test_every_operation_either_way)
{
	FOR_EACH(op, transport)
		for (enum way way = 0; way < WAYS; way++) {
			struct pair p;
			struct plan *plan = open_pair(&p, op, transport);

			plan->reversed = way == BACK;
			plan->bidirectional = way == BOTH;
			run(&p, op_table[op].name);
			assert_int_equal(fake_rdmacm.accepted, 1);
			assert_int_equal(fake_rdmacm.established,
					 transport == TRANSPORT_RC);
			assert_int_equal(fake_rdmacm.family, AF_INET);
			assert_int_equal(fake_rdmacm.tos, 0);
		}
}

TEST(test_latency)
{
	FOR_EACH(op, transport) {
		struct pair p;

		open_pair(&p, op, transport)->metric = METRIC_LATENCY;
		run(&p, op_table[op].name);
	}
}

/* More than are asked for at once. */
TEST(test_many_queue_pairs)
{
	static const enum transport transports[] = { TRANSPORT_RC,
						     TRANSPORT_UD };

	for (size_t i = 0; i < COUNT(transports); i++) {
		struct pair p;
		struct plan *plan = open_pair(&p, OP_SEND, transports[i]);

		plan->qps = 40;
		plan->threads = 3;
		plan->rx_depth = 64;
		run(&p, "40 queue pairs");
		assert_int_equal(fake_rdmacm.accepted, 40);
		/* one address handle does for all */
		assert_int_equal(fake_rdmacm.rejected, 0);
	}
}

TEST(test_type_of_service)
{
	struct pair p;

	open_pair(&p, OP_WRITE, TRANSPORT_RC)->tclass = 96;
	run(&p, "--tclass 96");
	assert_int_equal(fake_rdmacm.tos, 96);
	open_pair(&p, OP_SEND, TRANSPORT_UD)->dscp = 46;
	run(&p, "--dscp 46");
	assert_int_equal(fake_rdmacm.tos, 46 << 2);
}

/* What the command line says goes before what the manager found. */
TEST(test_what_the_plan_says_of_the_path)
{
	struct pair p;
	struct plan *plan = open_pair(&p, OP_WRITE, TRANSPORT_RC);
	const struct effective *e;

	plan->sl = 3;
	plan->hop_limit = 7;
	plan->flow_labels = (struct labels){ 1, { 4711 } };
	plan->tclass = 8;
	pair_run_well(&p, "the path");
	e = &p.client.result->client_qp;
	assert_int_equal(e->sl, 3);
	assert_int_equal(e->hop_limit, 7);
	assert_int_equal(e->flow_label, 4711);
	assert_int_equal(e->traffic_class, 8);
	assert_int_equal(e->retry_cnt, plan->retry_count);
	pair_close_clean(&p);
}

TEST(test_manager_chooses_the_rest)
{
	struct pair p;

	open_pair(&p, OP_WRITE, TRANSPORT_RC);
	pair_run_well(&p, "its hop limit");
	assert_int_equal(p.client.result->client_qp.hop_limit, 1);
	assert_int_equal(p.server.result->server_qp.hop_limit, 1);
	pair_close_clean(&p);
}

TEST(test_ipv6)
{
	struct pair p;

	fake_verbs_reset();
	open_pair(&p, OP_WRITE, TRANSPORT_RC);
	pair_close(&p);
	memset(fake_verbs.gids[0].gid.raw, 0x20, 16);
	pair_open(&p, OP_WRITE, METRIC_BANDWIDTH);
	pair_plan(&p)->rdma_cm = true;
	run(&p, "IPv6");
	assert_int_equal(fake_rdmacm.family, AF_INET6);
}

TEST(test_infiniband)
{
	static const enum transport transports[] = { TRANSPORT_RC,
						     TRANSPORT_UD };

	for (size_t i = 0; i < COUNT(transports); i++) {
		struct pair p;

		open_pair(&p, OP_SEND, transports[i]);
		pair_close(&p);
		fake_verbs.port.link_layer = IBV_LINK_LAYER_INFINIBAND;
		fake_verbs.port.lid = 17;
		pair_open(&p, OP_SEND, METRIC_BANDWIDTH);
		pair_plan(&p)->rdma_cm = true;
		pair_plan(&p)->transport = transports[i];
		pair_plan(&p)->rx_depth = 1024;
		run(&p, "InfiniBand");
	}
}

static void make_iwarp(struct port *port)
{
	port->iwarp = true;
	port->gids[0].type = GID_TYPE_IWARP;
}

/* The driver connects, nobody establishes, nothing is immediate data, and no
 * message comes before its receive. */
TEST(test_iwarp)
{
	static const enum op ops[] = { OP_SEND, OP_WRITE, OP_READ };

	for (size_t i = 0; i < 4 * COUNT(ops); i++) {
		const uint32_t qps = i & 2 ? 1 : 3;
		struct pair p;
		struct plan *plan = open_pair(&p, ops[i / 4], TRANSPORT_RC);

		fake_verbs.iwarp = true;
		make_iwarp(&p.client.device.port);
		make_iwarp(&p.server.device.port);
		p.client.result->client = p.client.device.port;
		p.server.result->server = p.server.device.port;
		plan->verify = i & 1;
		plan->qps = qps;
		if (i & 2) {
			plan->metric = METRIC_LATENCY;
		} else {
			plan->bidirectional = true;
			plan->iterations = 200;
			plan->rx_depth = 16;
			/* more than there would be receives for */
			plan->post_list = 20;
		}
		run(&p, op_table[ops[i / 4]].name);
		/* a message that finds no receive would end the connection */
		assert_int_equal(fake_verbs.receives_late, 0);
		assert_int_equal(fake_rdmacm.accepted, qps);
		assert_int_equal(fake_rdmacm.established, 0);
	}
}

/* iWARP goes by TCP, and by no port of RoCE. */
TEST(test_what_is_said_of_iwarp)
{
	struct error err = { 0 };

	cm_explain(RDMA_CM_EVENT_UNREACHABLE, -ETIMEDOUT, CM_ANSWER,
		   "10.0.0.2 port 4711", CM_IWARP, &err);
	assert_contains(err.advice, "TCP");
	assert_null(strstr(err.advice, "4791"));
	err = (struct error){ 0 };
	cm_explain(RDMA_CM_EVENT_REJECTED, -ECONNREFUSED, CM_ANSWER,
		   "10.0.0.2 port 4711", CM_IWARP, &err);
	assert_contains(err.message, "Connection refused");
	err = (struct error){ 0 };
	cm_explain_silence(CM_ANSWER, "10.0.0.2 port 4711", CM_IWARP, &err);
	assert_contains(err.advice, "TCP");
	err = (struct error){ 0 };
	cm_explain(RDMA_CM_EVENT_ADDR_ERROR, -ENODEV, CM_ADDRESS,
		   "10.0.0.2 port 4711", CM_IWARP, &err);
	assert_contains(err.advice, "ping");
}

TEST(test_strangers_are_rejected)
{
	static const uint32_t bytes[] = { 0, 3, 20, 56 };

	for (size_t i = 0; i < COUNT(bytes); i++)
		for (int ud = 0; ud < 2; ud++) {
			struct pair p;

			open_pair(&p, OP_SEND, ud ? TRANSPORT_UD :
						    TRANSPORT_RC);
			fake_rdmacm.strangers = 30;
			fake_rdmacm.stranger_bytes = bytes[i];
			run(&p, "strangers");
			assert_int_equal(fake_rdmacm.rejected, 30);
			assert_int_equal(fake_rdmacm.accepted, 1);
		}
}

/* Whoever knows the token of the session may still name a queue pair that it
 * does not have: the first one behind the last, or any other. */
TEST(test_queue_pairs_that_there_are_not)
{
	static const uint32_t indices[] = { 3, 4, 256, INT32_MAX, UINT32_MAX };

	for (size_t i = 0; i < COUNT(indices); i++)
		for (int ud = 0; ud < 2; ud++) {
			struct pair p;

			open_pair(&p, OP_SEND, ud ? TRANSPORT_UD :
						    TRANSPORT_RC)->qps = 3;
			fake_rdmacm.beyond = indices[i];
			run(&p, "beyond the last queue pair");
			assert_int_equal(fake_rdmacm.rejected, 3);
			assert_int_equal(fake_rdmacm.accepted, 3);
		}
}

/* Over UD the answer may have been lost; over RC the manager of the kernel
 * repeats it.  The last may come when nobody listens any more. */
TEST(test_request_comes_twice)
{
	struct pair p;

	open_pair(&p, OP_SEND, TRANSPORT_RC)->qps = 3;
	fake_rdmacm.twice = true;
	run(&p, "twice over RC");
	assert_in_range(fake_rdmacm.rejected, 2, 3);
	assert_int_equal(fake_rdmacm.accepted, 3);
	open_pair(&p, OP_SEND, TRANSPORT_UD)->qps = 3;
	fake_rdmacm.twice = true;
	run(&p, "twice over UD");
	assert_int_equal(fake_rdmacm.rejected, 0);
	assert_true(fake_rdmacm.accepted >= 3);
}

TEST(test_wrong_answers)
{
	static const struct {
		struct fake_rdmacm wrong;
		const char *message;
	} rows[] = {
		{ { .wrong_answer = true }, "is not of this session" },
		{ { .wrong_qpn = true }, "expected QP" },
		{ { .sgid_index = 5 },
		  "rdma_cm uses the GID at index 5, and the path that at 1" },
		{ { .device = "mlx5_7" }, "by mlx5_7 port 1, not by fake0" },
		{ { .pkey_index = 4 }, "with the P_Key at index 4, not at 0" },
	};

	for (size_t i = 0; i < COUNT(rows); i++)
		for (int ud = 0; ud < 2; ud++) {
			struct pair p;

			open_pair(&p, OP_SEND, ud ? TRANSPORT_UD :
						    TRANSPORT_RC);
			fake_rdmacm = rows[i].wrong;
			pair_run_fails(&p, rows[i].message, rows[i].message);
		}
}

/* Each call of librdmacm fails once. */
TEST(test_every_call_fails)
{
	for (int ud = 0; ud < 2; ud++) {
		uint32_t call = 1;

		for (; call < CALLS_MOST; call++) {
			struct pair p;

			open_pair(&p, OP_SEND, ud ? TRANSPORT_UD :
						    TRANSPORT_RC)->qps = 2;
			fake_rdmacm.fail_call = call;
			pair_run(&p);
			if (fake_rdmacm.calls < call) {
				pair_close_clean(&p);
				break;
			}
			pair_check_both_failed(&p, "a call fails");
			pair_close_clean(&p);
		}
		/* each kind of call was among them */
		assert_in_range(call, 16, CALLS_MOST - 1);
	}
}

/* Each event is another one. */
static void spoil_event(bool ud, uint32_t number, int type, int status)
{
	char what[80];
	struct pair p;

	snprintf(what, sizeof(what), "event %u is %s", number,
		 cm_event_name((enum rdma_cm_event_type)type));
	open_pair(&p, OP_SEND, ud ? TRANSPORT_UD : TRANSPORT_RC);
	fake_rdmacm.spoil_event = number;
	fake_rdmacm.type = type;
	fake_rdmacm.status = status;
	pair_run_fails(&p, what,
		       cm_event_name((enum rdma_cm_event_type)type));
}

TEST(test_every_event_is_another)
{
	static const struct {
		enum rdma_cm_event_type type;
		int status;
	} types[] = {
		{ RDMA_CM_EVENT_ADDR_ERROR, -ETIMEDOUT },
		{ RDMA_CM_EVENT_ROUTE_ERROR, -EHOSTUNREACH },
		{ RDMA_CM_EVENT_UNREACHABLE, -ETIMEDOUT },
		{ RDMA_CM_EVENT_REJECTED, 28 },
		{ RDMA_CM_EVENT_REJECTED, 8 },
		{ RDMA_CM_EVENT_CONNECT_ERROR, -EINVAL },
		{ RDMA_CM_EVENT_DISCONNECTED, 0 },
		{ RDMA_CM_EVENT_DEVICE_REMOVAL, 0 },
		{ RDMA_CM_EVENT_ADDR_CHANGE, 0 },
	};

	/* the last event comes when the client goes on */
	for (int ud = 0; ud < 2; ud++)
		for (uint32_t n = 1; n < (ud ? EVENTS_UD + 1 : EVENTS_RC); n++)
			for (size_t i = 0; i < COUNT(types); i++)
				spoil_event(ud, n, types[i].type,
					    types[i].status);
}

/* An event that does not come is waited for no longer than --timeout. */
TEST(test_every_event_is_lost)
{
	for (int ud = 0; ud < 2; ud++)
		for (uint32_t n = 1; n < (ud ? EVENTS_UD + 1 : EVENTS_RC);
		     n++) {
			struct pair p;

			open_pair(&p, OP_SEND, ud ? TRANSPORT_UD :
						    TRANSPORT_RC);
			pair_hurry(&p);
			fake_rdmacm.lose_event = n;
			pair_run_fails(&p, "an event is lost",
				       "took too long (--timeout)");
		}
}

TEST(test_interrupted)
{
	for (int at = 0; at < 2; at++) {
		int fd = signals_open();
		struct pair p;

		open_pair(&p, OP_SEND, TRANSPORT_RC);
		fake_rdmacm.lose_event = 1;
		*(at ? &p.server.cancel_fd : &p.client.cancel_fd) = fd;
		pair_start(&p);
		usleep(150000);
		kill(getpid(), SIGINT);
		pair_wait(&p);
		pair_check_both_failed(&p, "interrupt");
		assert_contains(error_text(&p.client.result->error),
				"interrupted by SIGINT");
		pair_close_clean(&p);
		close(fd);
	}
}

/* The peer goes away meanwhile. */
TEST(test_peer_is_gone)
{
	for (int to_client = 0; to_client < 2; to_client++) {
		struct pair p;

		open_pair(&p, OP_SEND, TRANSPORT_RC);
		pair_hurry(&p);
		fake_rdmacm.lose_event = 3;
		p.relayed = true;
		p.relay.spoil = SPOIL_TYPE;
		p.relay.type = FRAME_START;
		p.relay.to_client = to_client;
		/* HELLO, PLAN or ACCEPT, ENDPOINT: the next says why */
		p.relay.nth = 3;
		pair_run(&p);
		pair_check_failed(&p.client, "START");
		pair_check_failed(&p.server, "START");
		pair_close_clean(&p);
	}
}

TEST(test_no_uc)
{
	struct plan plan = { .rdma_cm = true, .transport = TRANSPORT_UC };
	struct error err = { 0 };
	struct pair p;

	open_pair(&p, OP_WRITE, TRANSPORT_UC);
	plan = *pair_plan(&p);
	assert_int_equal(plan_check(&plan, &err), -EINVAL);
	assert_message(&err, "--rdma-cm: librdmacm connects RC and UD, not UC");
	pair_close(&p);
}

TEST(test_every_event_has_a_name)
{
	for (int type = RDMA_CM_EVENT_ADDR_RESOLVED;
	     type <= RDMA_CM_EVENT_DEVICE_REMOVAL; type++)
		for (int ethernet = 0; ethernet < 2; ethernet++) {
			struct error err = { 0 };

			assert_true(cm_explain(
				(enum rdma_cm_event_type)type, -EINVAL,
				CM_ANSWER, "10.0.0.2 port 4711", ethernet,
				&err) < 0);
			assert_contains(error_text(&err), err.code);
			assert_contains(error_text(&err),
					"with 10.0.0.2 port 4711");
			assert_contains(error_text(&err),
					"(status -22: Invalid argument)");
		}
}

TEST(test_event_of_no_name)
{
	struct error err = { 0 };

	assert_int_equal(cm_explain((enum rdma_cm_event_type)99, 7, CM_ROUTE,
				    "10.0.0.2 port 4711", true, &err), -EPROTO);
	assert_message(&err, "rdma_cm, looking for the route to 10.0.0.2 port "
		       "4711, reported event 99 (status 7)");
	assert_string_equal(err.code, "RDMA_CM_EVENT_?");
	error_clear(&err);
	assert_int_equal(cm_explain((enum rdma_cm_event_type)99, 0, CM_ROUTE,
				    "10.0.0.2 port 4711", true, &err), -EPROTO);
	assert_null(strstr(error_text(&err), "Success"));
}

/* The kernel resolved the address; librdmacm made a failure of that. */
TEST(test_a_device_that_librdmacm_cannot_use)
{
	struct error err = { 0 };

	assert_int_equal(cm_explain(RDMA_CM_EVENT_ADDR_ERROR, -1, CM_ADDRESS,
				    "10.0.0.2 port 4711", true, &err), -EIO);
	assert_message(&err, "rdma_cm, looking for the device that leads to "
		       "10.0.0.2 port 4711, found the device, but librdmacm "
		       "cannot use it");
	assert_string_equal(err.code, "RDMA_CM_EVENT_ADDR_ERROR");
	assert_contains(err.advice, "rdma.max");
}

TEST(test_reasons_of_a_rejection)
{
	struct error err = { 0 };

	assert_int_equal(cm_explain(RDMA_CM_EVENT_REJECTED, 8, CM_ANSWER,
				    "10.0.0.2 port 4711", true, &err),
			 -ECONNREFUSED);
	assert_message(&err, "rdma_cm, asking for a connection with 10.0.0.2 "
		       "port 4711, was refused the connection: "
		       "RDMA_CM_EVENT_REJECTED (status 8: nobody listens "
		       "there)");
	assert_string_equal(err.code, "RDMA_CM_EVENT_REJECTED");
}
#else
TEST(test_built_without)
{
	struct error err = { 0 };
	struct pair p;

	fake_verbs_reset();
	pair_open(&p, OP_WRITE, METRIC_BANDWIDTH);
	pair_plan(&p)->rdma_cm = true;
	assert_int_equal(plan_check(pair_plan(&p), &err), -EOPNOTSUPP);
	assert_message(&err, "--rdma-cm: this verbsperf was built without "
		       "librdmacm");
	pair_close(&p);
}
#endif

static void make_endpoint(struct frame *frame, uint16_t port)
{
	struct endpoint_qp qp = { .qpn = 1, .psn = 2, .rkey = 3 };
	struct endpoint e = { .mtu = IBV_MTU_1024, .length = 64, .stride = 64,
			      .n = 1, .qps = &qp, .cm_port = port };

	memset(e.cm_token, 0xa5, sizeof(e.cm_token));
	*frame = encode_endpoint(&e);
}

TEST(test_port_in_the_endpoint)
{
	struct error err = { 0 };
	struct endpoint e;
	struct frame frame;

	for (int port = 0; port < 2; port++) {
		make_endpoint(&frame, port ? 4711 : 0);
		assert_int_equal(decode_endpoint(&frame, &e, &err), 0);
		assert_int_equal(e.cm_port, port ? 4711 : 0);
		assert_int_equal(e.cm_token[15], port ? 0xa5 : 0);
		free(e.qps);
		frame_free(&frame);
	}
}

TEST(test_no_port_0_in_the_endpoint)
{
	struct error err = { 0 };
	struct endpoint e;
	struct frame frame;

	make_endpoint(&frame, 4711);
	/* before the token, which is last */
	memset(frame.bytes + WIRE_HEADER_SIZE + frame.length -
		       ENDPOINT_TOKEN_SIZE - 2, 0, 2);
	assert_int_equal(decode_endpoint(&frame, &e, &err), -EPROTO);
	assert_contains(error_text(&err), "rdma_cm port");
	frame_free(&frame);
}

static const struct CMUnitTest tests[] = {
#if HAVE_RDMACM
	cmocka_unit_test(test_every_operation_either_way),
	cmocka_unit_test(test_latency),
	cmocka_unit_test(test_many_queue_pairs),
	cmocka_unit_test(test_type_of_service),
	cmocka_unit_test(test_what_the_plan_says_of_the_path),
	cmocka_unit_test(test_manager_chooses_the_rest),
	cmocka_unit_test(test_ipv6),
	cmocka_unit_test(test_infiniband),
	cmocka_unit_test(test_iwarp),
	cmocka_unit_test(test_what_is_said_of_iwarp),
	cmocka_unit_test(test_strangers_are_rejected),
	cmocka_unit_test(test_queue_pairs_that_there_are_not),
	cmocka_unit_test(test_request_comes_twice),
	cmocka_unit_test(test_wrong_answers),
	cmocka_unit_test(test_every_call_fails),
	cmocka_unit_test(test_every_event_is_another),
	cmocka_unit_test(test_every_event_is_lost),
	cmocka_unit_test(test_interrupted),
	cmocka_unit_test(test_peer_is_gone),
	cmocka_unit_test(test_no_uc),
	cmocka_unit_test(test_every_event_has_a_name),
	cmocka_unit_test(test_event_of_no_name),
	cmocka_unit_test(test_a_device_that_librdmacm_cannot_use),
	cmocka_unit_test(test_reasons_of_a_rejection),
#else
	cmocka_unit_test(test_built_without),
#endif
	cmocka_unit_test(test_port_in_the_endpoint),
	cmocka_unit_test(test_no_port_0_in_the_endpoint),
};

TEST_MAIN(tests, 120)
