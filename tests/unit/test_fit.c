/* What is asked against what both devices can do. */
#include "config.h"
#include "test.h"

#include <errno.h>
#include <stdio.h>

#include "good_plan.h"
#include "model/plan.h"
#include "preflight/judge.h"

TEST(test_a_port_that_is_down)
{
	static const char *const texts[2] = {
		"port 1 of the client's rxe0 is DOWN",
		"port 1 of the server's rxe0 is DOWN",
	};

	for (int at_server = 0; at_server < 2; at_server++) {
		struct port ports[2] = { good_port(), good_port() };
		struct plan plan = good_plan();
		struct error err = { 0 };

		ports[at_server].state = IBV_PORT_DOWN;
		assert_int_equal(plan_fit(&plan, &ports[0], &ports[1], &err),
				 -ENETDOWN);
		assert_message(&err, texts[at_server]);
	}
}

/* One limit of one end below what is asked. */
struct short_limit {
	size_t offset;		/* of a uint32_t in struct port_limits */
	uint32_t value;
	enum op op;
	const char *text;	/* before and after the end's name */
	const char *limit;
	bool client, server;	/* which ends have it */
	bool srq;
};

#define AT(field) offsetof(struct port_limits, field)

static const struct short_limit limits[] = {
	{ AT(max_qp), 3, OP_WRITE, "--qps: 4 is above what", "max_qp 3", true,
	  true, false },
	{ AT(max_qp_wr), 127, OP_WRITE, "--tx-depth: 128 is above what",
	  "max_qp_wr 127", true, false, false },
	{ AT(max_cqe), 8, OP_WRITE, "--tx-depth / --cq-mod: 33 is above what",
	  "max_cqe 8", true, false, false },
	{ AT(max_qp_wr), 31, OP_SEND, "--rx-depth: 32 is above what",
	  "max_qp_wr 31", false, true, false },
	{ AT(max_cqe), 31, OP_SEND, "--rx-depth: 32 is above what",
	  "max_cqe 31", false, true, false },
	{ AT(max_srq), 1, OP_SEND,
	  "--srq, of each of --threads: 2 is above what", "max_srq 1", false,
	  true, true },
	{ AT(max_srq_wr), 31, OP_SEND, "--rx-depth: 32 is above what",
	  "max_srq_wr 31", false, true, true },
	{ AT(max_srq), 0, OP_SEND, NULL, NULL, false, false, false },
	{ AT(max_qp_wr), 31, OP_WRITE_IMM, "--rx-depth: 32 is above what",
	  "max_qp_wr 31", false, true, false },
};

static void check_limit(const struct short_limit *l, bool at_client)
{
	const char *end = at_client ? "client" : "server";
	struct port ports[2] = { good_port(), good_port() };
	struct plan plan = good_plan();
	struct error err = { 0 };
	char text[200];
	bool applies = at_client ? l->client : l->server;

	set_op(&plan, l->op);
	plan.qps = 4;
	plan.threads = 2;
	plan.rx_depth = 32;
	plan.srq = l->srq;
	memcpy((char *)&ports[!at_client].limits + l->offset, &l->value,
	       sizeof(l->value));
	assert_int_equal(plan_fit(&plan, &ports[0], &ports[1], &err),
			 applies ? -EINVAL : 0);
	if (!applies)
		return;
	snprintf(text, sizeof(text), "%s the %s's rxe0 allows (%s)",
		 l->text, end, l->limit);
	assert_message(&err, text);
}

TEST(test_each_limit_at_each_end)
{
	for (size_t i = 0; i < COUNT(limits); i++) {
		/* a client that only sends may be poor where others receive */
		if (!op_table[limits[i].op].receives)
			check_limit(&limits[i], true);
		check_limit(&limits[i], false);
	}
}

/* Whatever the devices can. */
TEST(test_a_plan_that_contradicts_itself)
{
	struct port client = good_port(), server = good_port();
	struct plan plan = good_plan();
	struct error err = { 0 };

	plan.cq_mod = 129;
	assert_int_equal(plan_fit(&plan, &client, &server, &err), -EINVAL);
	assert_contains(err.message, "--cq-mod 129");
}

TEST(test_size_and_mtu_limits)
{
	for (int at_client = 0; at_client < 2; at_client++) {
		struct port ports[2] = { good_port(), good_port() };
		struct plan plan = good_plan();
		struct error err = { 0 };

		ports[!at_client].limits.max_msg_sz = 65535;
		assert_int_equal(plan_fit(&plan, &ports[0], &ports[1], &err),
				 -EINVAL);
		assert_message(&err, at_client ?
			       "--size: 65536 is above what the client's rxe0 "
			       "allows (max_msg_sz 65535)" :
			       "--size: 65536 is above what the server's rxe0 "
			       "allows (max_msg_sz 65535)");
		error_clear(&err);
		plan = good_plan();
		plan.mtu = 1024;
		ports[!at_client] = good_port();
		ports[!at_client].active_mtu = IBV_MTU_512;
		assert_int_equal(plan_fit(&plan, &ports[0], &ports[1], &err),
				 -EINVAL);
		assert_contains(err.message, "--mtu: 1024 is above what the");
		assert_contains(err.message, "(active MTU 512)");
	}
}

TEST(test_reads)
{
	struct port client = good_port(), server = good_port();
	struct plan plan = good_plan();
	struct error err = { 0 };

	plan.op = OP_READ;
	assert_int_equal(plan_fit(&plan, &client, &server, &err), 0);
	assert_int_equal(plan.outstanding_reads, 8);	/* it starts */
	server.limits.max_qp_rd_atom = 3;
	plan.outstanding_reads = PLAN_AUTO;
	assert_int_equal(plan_fit(&plan, &client, &server, &err), 0);
	assert_int_equal(plan.outstanding_reads, 3);	/* it answers */
	plan.outstanding_reads = 4;
	assert_int_equal(plan_fit(&plan, &client, &server, &err), -EINVAL);
	assert_message(&err, "--outstanding-reads 4: the client's rxe0 starts "
			     "at most 8 at once, the server's rxe0 answers 3");
	error_clear(&err);
	server.limits.max_qp_rd_atom = 0;
	plan.outstanding_reads = PLAN_AUTO;
	assert_int_equal(plan_fit(&plan, &client, &server, &err), -EINVAL);
	assert_message(&err, "RDMA read: the client's rxe0 starts 8 at once, "
			     "the server's rxe0 answers 0");
	error_clear(&err);
	client.limits.max_qp_init_rd_atom = 70000;
	server.limits.max_qp_rd_atom = 70000;
	assert_int_equal(plan_fit(&plan, &client, &server, &err), 0);
	assert_int_equal(plan.outstanding_reads, 255);	/* 8 bits */
	plan.op = OP_WRITE;
	assert_int_equal(plan_fit(&plan, &client, &server, &err), 0);
	assert_int_equal(plan.outstanding_reads, 0);
}

static void choose_reads(struct plan *plan, struct port *client,
			 struct port *server)
{
	struct error err = { 0 };

	plan->op = OP_READ;
	assert_int_equal(plan_fit(plan, client, server, &err), 0);
	/* and once more, with what was chosen */
	assert_int_equal(plan_fit(plan, client, server, &err), 0);
}

/* Each direction has what its two ends can, however they differ. */
TEST(test_reads_of_each_direction)
{
	struct port client = good_port(), server = good_port();
	struct plan plan = good_plan();
	struct error err = { 0 };

	client.limits.max_qp_init_rd_atom = 16;
	client.limits.max_qp_rd_atom = 4;
	server.limits.max_qp_init_rd_atom = 8;
	server.limits.max_qp_rd_atom = 12;
	choose_reads(&plan, &client, &server);
	assert_int_equal(plan_reads(&plan, true), 12);
	assert_int_equal(plan_reads(&plan, false), 0);
	plan = good_plan();
	plan.reversed = true;
	choose_reads(&plan, &client, &server);
	assert_int_equal(plan_reads(&plan, true), 0);
	assert_int_equal(plan_reads(&plan, false), 4);
	plan = good_plan();
	plan.bidirectional = true;
	choose_reads(&plan, &client, &server);
	assert_int_equal(plan_reads(&plan, true), 12);
	assert_int_equal(plan_reads(&plan, false), 4);
	plan = good_plan();
	plan.bidirectional = true;
	plan.outstanding_reads = 3;
	choose_reads(&plan, &client, &server);
	assert_int_equal(plan_reads(&plan, true), 3);
	assert_int_equal(plan_reads(&plan, false), 3);
	plan = good_plan();
	plan.op = OP_READ;
	plan.bidirectional = true;
	plan.outstanding_reads = 5;
	assert_int_equal(plan_fit(&plan, &client, &server, &err), -EINVAL);
	assert_message(&err, "--outstanding-reads 5: the server's rxe0 starts "
			     "at most 8 at once, the client's rxe0 answers 4");
}

TEST(test_automatic_choices)
{
	struct port client = good_port(), server = good_port();
	struct plan plan = good_plan();
	struct error err = { 0 };

	client.active_mtu = IBV_MTU_4096;
	plan.op = OP_SEND;
	assert_int_equal(plan_fit(&plan, &client, &server, &err), 0);
	assert_int_equal(plan.mtu, 1024);
	assert_int_equal(plan.rx_depth, 512);
	plan = good_plan();
	plan.op = OP_SEND;
	server.limits.max_qp_wr = 40;
	assert_int_equal(plan_fit(&plan, &client, &server, &err), 0);
	assert_int_equal(plan.rx_depth, 40);
	plan = good_plan();
	plan.op = OP_SEND;
	plan.metric = METRIC_LATENCY;
	plan.tx_depth = 4;
	assert_int_equal(plan_fit(&plan, &client, &server, &err), 0);
	assert_int_equal(plan.rx_depth, 16);
	plan.rx_depth = 1;
	assert_int_equal(plan_fit(&plan, &client, &server, &err), 0);
	assert_int_equal(plan.rx_depth, 2);	/* ping-pong needs another */
}

/* Fewer where there are many queue pairs, or large messages to be looked at
 * in places of their own; more where all share them. */
TEST(test_automatic_receives)
{
	static const struct {
		uint32_t qps;
		bool srq, verify;
		uint64_t size;
		uint32_t max_cqe, list, wanted;
		enum transport transport;
	} rows[] = {
		{ 100, false, false, 64, 10000, 1, 512, TRANSPORT_RC },
		{ 1024, false, false, 64, 10000, 1, 128, TRANSPORT_RC },
		{ 16384, false, false, 64, 10000, 1, 16, TRANSPORT_RC },
		{ 1, false, false, 64, 300, 1, 300, TRANSPORT_RC },
		{ 16384, false, false, 64, 10000, 64, 64, TRANSPORT_RC },
		{ 100, true, false, 64, 10000, 1, 2000, TRANSPORT_RC },
		{ 100, true, false, 64, 1500, 1, 1500, TRANSPORT_RC },
		/* which shares them without being asked to */
		{ 100, false, false, 64, 1500, 1, 1500, TRANSPORT_XRC },
		{ 100, false, false, 64, 10000, 1, 2000, TRANSPORT_XRC },
		{ 1, false, true, 64, 10000, 1, 512, TRANSPORT_RC },
		{ 1, false, true, 1 << 20, 10000, 1, 8, TRANSPORT_RC },
		{ 1, false, true, 64 << 20, 10000, 1, 1, TRANSPORT_RC },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct port client = good_port(), server = good_port();
		struct plan plan = good_plan();
		struct error err = { 0 };

		client.limits.max_qp = server.limits.max_qp = 16384;
		client.limits.max_qp_wr = server.limits.max_qp_wr = 16384;
		server.limits.max_cqe = rows[i].max_cqe;
		plan.op = OP_SEND;
		plan.qps = rows[i].qps;
		plan.srq = rows[i].srq;
		plan.transport = rows[i].transport;
		client.limits.xrc = server.limits.xrc = true;
		plan.verify = rows[i].verify;
		plan.sizes.bytes[0] = rows[i].size;
		plan.recv_post_list = rows[i].list;
		assert_int_equal(plan_fit(&plan, &client, &server, &err), 0);
		if (plan.rx_depth != rows[i].wanted)
			fail_msg("row %zu: %u", i, plan.rx_depth);
	}
}

/*
 * A CQ serves the QPs of one thread only: 10 QPs of 3 threads are 4 at most.
 * Where it cannot hold what they may have outstanding, there are several.
 */
TEST(test_queues_for_each_thread)
{
	struct port client = good_port(), server = good_port();
	struct port_limits most = client.limits;
	struct plan plan = good_plan();
	struct error err = { 0 };

	plan.qps = 10;
	plan.threads = 3;
	plan.cq_mod = 16;
	most.max_cqe = 36;	/* 4 x (128 / 16 + 1) */
	assert_int_equal(plan_qps_per_cq(&plan, true, &most), 4);
	most.max_cqe = 35;
	assert_int_equal(plan_qps_per_cq(&plan, true, &most), 3);
	most.max_cqe = 9;
	assert_int_equal(plan_qps_per_cq(&plan, true, &most), 1);
	/* who does not send has nothing to wait for */
	assert_int_equal(plan_qps_per_cq(&plan, false, &most), 4);
	client.limits.max_cqe = 9;
	assert_int_equal(plan_fit(&plan, &client, &server, &err), 0);
	client.limits.max_cqe = 8;
	assert_int_equal(plan_fit(&plan, &client, &server, &err), -EINVAL);
	assert_message(&err, "--tx-depth / --cq-mod: 9 is above what the "
			     "client's rxe0 allows (max_cqe 8)");
	plan.op = OP_SEND;
	plan.rx_depth = 100;
	most.max_cqe = 400;
	assert_int_equal(plan_qps_per_cq(&plan, false, &most), 4);
	most.max_cqe = 399;
	assert_int_equal(plan_qps_per_cq(&plan, false, &most), 3);
	most.max_cqe = 100;
	assert_int_equal(plan_qps_per_cq(&plan, false, &most), 1);
	plan.srq = true;	/* no more than it holds can complete */
	assert_int_equal(plan_qps_per_cq(&plan, false, &most), 4);
	plan.srq = false;
	plan.transport = TRANSPORT_XRC;
	assert_int_equal(plan_qps_per_cq(&plan, false, &most), 4);
	plan.transport = TRANSPORT_RC;
	plan.bidirectional = true;	/* the larger of both */
	most.max_cqe = 200;
	assert_int_equal(plan_qps_per_cq(&plan, true, &most), 2);
}

/* Whoever calls it, and again with what came out: the same. */
TEST(test_same_at_both_ends)
{
	struct port client = good_port(), server = good_port();
	struct error err = { 0 };

	server.limits.max_qp_wr = 333;
	for (int op = 0; op < OP_COUNT; op++)
		for (int metric = 0; metric < METRIC_COUNT; metric++) {
			struct plan a = good_plan(), b;

			set_op(&a, (enum op)op);
			a.metric = (enum metric)metric;
			b = a;
			assert_int_equal(plan_fit(&a, &client, &server, &err),
					 0);
			assert_int_equal(plan_fit(&b, &client, &server, &err),
					 0);
			assert_memory_equal(&a, &b, sizeof(a));
			assert_int_equal(plan_fit(&b, &client, &server, &err),
					 0);
			assert_memory_equal(&a, &b, sizeof(a));
			assert_true(a.mtu != PLAN_AUTO);
			assert_true(a.rx_depth != PLAN_AUTO);
			assert_true(a.outstanding_reads != PLAN_AUTO);
		}
}

/* As long as the slower link takes for what other queue pairs, or the other
 * direction, may have outstanding; with one queue pair as long as perftest's. */
TEST(test_acknowledge_timeout)
{
	static const struct {
		uint32_t client_mbps, server_mbps, qps;
		bool both;
		uint32_t wanted;
	} rows[] = {
		{ 400000, 400000, 16, false, 14 },
		{ 400000, 25000, 16, false, 15 },
		{ 10000, 100000, 16, false, 16 },
		{ 2500, 2500, 16, false, 18 },
		{ 1, 1, 2, false, 18 },
		{ 0, 100000, 16, false, 14 },
		{ 2500, 2500, 1, false, 14 },
		{ 1, 1, 1, false, 14 },
		{ 1000, 1000, 1, true, 15 },
		{ 2500, 2500, 16, true, 18 },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct port client = good_port(), server = good_port();
		struct plan plan = good_plan();

		plan.sizes = (struct sizes){ .n = 2, .bytes = { 64, 65536 } };
		plan.tx_depth = 128;
		plan.post_list = plan.cq_mod = 1;
		plan.qps = rows[i].qps;
		plan.bidirectional = rows[i].both;
		client.rate_mbps = rows[i].client_mbps;
		server.rate_mbps = rows[i].server_mbps;
		plan.qp_timeout = PLAN_AUTO;
		plan_choose(&plan, &client, &server);
		assert_int_equal(plan.qp_timeout, rows[i].wanted);
		plan.qp_timeout = 7;
		plan_choose(&plan, &client, &server);
		assert_int_equal(plan.qp_timeout, 7);
	}
}

/* Over UD no message is larger than a packet: sizes that nobody named end
 * there. */
TEST(test_sizes_of_datagrams)
{
	static const struct {
		enum transport transport;
		bool all;
		uint32_t mtu, wanted;
	} rows[] = {
		{ TRANSPORT_UD, true, PLAN_AUTO, 3 },
		{ TRANSPORT_UD, true, 512, 2 },
		{ TRANSPORT_UD, true, 256, 1 },
		{ TRANSPORT_UD, false, PLAN_AUTO, 4 },
		{ TRANSPORT_RC, true, PLAN_AUTO, 4 },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct port client = good_port(), server = good_port();
		struct plan plan = good_plan();

		plan.op = OP_SEND;
		plan.transport = rows[i].transport;
		plan.all = rows[i].all;
		plan.mtu = rows[i].mtu;
		plan.sizes = (struct sizes){ 4, { 511, 512, 1024, 1025 } };
		plan_choose(&plan, &client, &server);
		assert_int_equal(plan.sizes.n, rows[i].wanted);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_a_port_that_is_down),
	cmocka_unit_test(test_each_limit_at_each_end),
	cmocka_unit_test(test_a_plan_that_contradicts_itself),
	cmocka_unit_test(test_size_and_mtu_limits),
	cmocka_unit_test(test_reads),
	cmocka_unit_test(test_reads_of_each_direction),
	cmocka_unit_test(test_acknowledge_timeout),
	cmocka_unit_test(test_sizes_of_datagrams),
	cmocka_unit_test(test_automatic_choices),
	cmocka_unit_test(test_automatic_receives),
	cmocka_unit_test(test_queues_for_each_thread),
	cmocka_unit_test(test_same_at_both_ends),
};

TEST_MAIN(tests, 30)
