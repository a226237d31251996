/* Paging and memory regions that are asked of a device which has them not. */
#include "config.h"
#include "test.h"

#include <errno.h>
#include <stdio.h>

#include "good_plan.h"
#include "model/plan.h"
#include "preflight/judge.h"
#include "preflight/check.h"

enum {
	SENDS = IBV_ODP_SUPPORT_SEND,
	RECEIVES = IBV_ODP_SUPPORT_RECV,
	WRITES = IBV_ODP_SUPPORT_WRITE,
	READS = IBV_ODP_SUPPORT_READ,
	ATOMICS = IBV_ODP_SUPPORT_ATOMIC,
	SHARED = IBV_ODP_SUPPORT_SRQ_RECV,
	ALL = 63,
};

static struct port paging_port(void)
{
	struct port port = good_port();

	strcpy(port.device, "mlx5_0");
	port.limits.max_srq = 1;
	port.limits.max_srq_wr = 1000;
	port.limits.max_mr = 10;
	for (int i = 0; i < TRANSPORTS; i++)
		port.limits.odp[i] = ALL;
	return port;
}

static void check(const struct plan *asked, const struct port *client,
		  const struct port *server, const char *message)
{
	struct plan plan = *asked;
	struct error err = { 0 };

	assert_int_equal(plan_fit(&plan, client, server, &err),
			 message ? -EINVAL : 0);
	if (message)
		assert_message(&err, message);
}

TEST(test_memory_regions)
{
	struct port client = paging_port(), server = paging_port();
	struct plan plan = good_plan();

	plan.qps = 11;
	check(&plan, &client, &server, NULL);
	plan.mr_per_qp = true;
	check(&plan, &client, &server, "--mr-per-qp: 11 memory regions are "
	      "above what the client's mlx5_0 allows (max_mr 10)");
	client.limits.max_mr = 11;
	check(&plan, &client, &server, "--mr-per-qp: 11 memory regions are "
	      "above what the server's mlx5_0 allows (max_mr 10)");
	plan.qps = 10;
	check(&plan, &client, &server, NULL);
	plan.qps = 1;		/* one for each direction */
	plan.metric = METRIC_LATENCY;
	server.limits.max_mr = 2;
	check(&plan, &client, &server, NULL);
	server.limits.max_mr = 1;
	check(&plan, &client, &server, "--mr-per-qp: 2 memory regions are "
	      "above what the server's mlx5_0 allows (max_mr 1)");
}

TEST(test_devices_without_paging)
{
	struct port with = paging_port(), without = paging_port();
	struct plan plan = good_plan();
	struct error err = { 0 };

	memset(without.limits.odp, 0, sizeof(without.limits.odp));
	check(&plan, &without, &without, NULL);
	plan.odp = true;
	check(&plan, &with, &with, NULL);
	check(&plan, &without, &with,
	      "--odp: the client's mlx5_0 does not support on-demand paging");
	check(&plan, &with, &without,
	      "--odp: the server's mlx5_0 does not support on-demand paging");
	/* the client knows that of itself before it asks a server */
	assert_int_equal(plan_fit_client(&plan, &without, &err), -EINVAL);
	assert_message(&err,
		       "--odp: the client's mlx5_0 does not support on-demand "
		       "paging");
	assert_string_equal(err.advice, "leave --odp out");
}

/* What each end needs, and what is said when just that is missing. */
TEST(test_operations_without_paging)
{
	static const struct {
		enum op op;
		enum metric metric;
		bool srq;
		uint32_t client, server;
		const char *missing;
	} rows[] = {
		{ OP_WRITE, METRIC_BANDWIDTH, false, WRITES, WRITES,
		  "writes" },
		{ OP_WRITE, METRIC_LATENCY, false, WRITES, WRITES, "writes" },
		{ OP_READ, METRIC_BANDWIDTH, false, READS, READS, "reads" },
		{ OP_READ, METRIC_LATENCY, false, READS, READS, "reads" },
		/* receives that only tell of what was written need none */
		{ OP_WRITE_IMM, METRIC_BANDWIDTH, false, WRITES, WRITES,
		  "writes" },
		{ OP_WRITE_IMM, METRIC_LATENCY, false, WRITES, WRITES,
		  "writes" },
		{ OP_FETCH_ADD, METRIC_BANDWIDTH, false, ATOMICS, ATOMICS,
		  "atomics" },
		{ OP_CMP_SWAP, METRIC_LATENCY, false, ATOMICS, ATOMICS,
		  "atomics" },
		{ OP_SEND_IMM, METRIC_LATENCY, false, SENDS | RECEIVES,
		  SENDS | RECEIVES, "sends" },
		{ OP_SEND, METRIC_BANDWIDTH, false, SENDS, RECEIVES,
		  "receives" },
		{ OP_SEND, METRIC_BANDWIDTH, true, SENDS, SHARED,
		  "receives of a shared queue" },
		{ OP_SEND, METRIC_LATENCY, false, SENDS | RECEIVES,
		  SENDS | RECEIVES, "sends" },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct port client = paging_port(), server = paging_port();
		struct plan plan = good_plan();
		char text[100];

		set_op(&plan, rows[i].op);
		plan.metric = rows[i].metric;
		plan.srq = rows[i].srq;
		plan.odp = true;
		client.limits.odp[TRANSPORT_RC] = rows[i].client;
		server.limits.odp[TRANSPORT_RC] = rows[i].server;
		check(&plan, &client, &server, NULL);
		server.limits.odp[TRANSPORT_RC] = ALL & ~rows[i].server;
		snprintf(text, sizeof(text), "--odp: the server's mlx5_0 does "
			 "not support on-demand paging for %s over RC",
			 rows[i].missing);
		check(&plan, &client, &server, text);
		if (rows[i].op == OP_SEND &&
		    rows[i].metric == METRIC_BANDWIDTH)
			continue;
		server.limits.odp[TRANSPORT_RC] = ALL;
		client.limits.odp[TRANSPORT_RC] = 0;
		snprintf(text, sizeof(text), "--odp: the client's mlx5_0 does "
			 "not support on-demand paging for %s over RC",
			 rows[i].missing);
		check(&plan, &client, &server, text);
	}
}

/* Each transport has its own. */
TEST(test_transports_without_paging)
{
	static const char *const names[TRANSPORTS] = {
		"RC", "UC", "UD", "XRC"
	};

	for (uint32_t t = 0; t < TRANSPORTS; t++) {
		struct port port = paging_port();
		struct plan plan = good_plan();
		const struct end end = { .plan = &plan, .port = &port,
					 .name = "server" };
		struct error err = { 0 };
		char text[120];

		plan.op = OP_SEND;
		plan.sizes.bytes[0] = 64;
		plan.odp = true;
		plan.transport = t;
		assert_int_equal(refuse_paging(&end, &err), 0);
		port.limits.odp[t] = ALL - RECEIVES - SHARED;
		assert_int_equal(refuse_paging(&end, &err), -EINVAL);
		snprintf(text, sizeof(text), "--odp: the server's mlx5_0 does "
			 "not support on-demand paging for receives%s over %s",
			 t == TRANSPORT_XRC ? " of a shared queue" : "",
			 names[t]);
		assert_message(&err, text);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_memory_regions),
	cmocka_unit_test(test_devices_without_paging),
	cmocka_unit_test(test_operations_without_paging),
	cmocka_unit_test(test_transports_without_paging),
};

TEST_MAIN(tests, 10)
