/* Preflight: two ports and the way between them, row by row. */
#include "config.h"
#include "test.h"

#include <errno.h>

#include "two_ends.h"

#define DOWN(end) "port 1 of the " end "'s mlx5_0 is DOWN"

TEST(test_good_ends)
{
	struct two_ends e = good_ends();
	const struct preflight_row *row;

	look(&e);
	assert_int_equal(preflight_count(&e.found, VERDICT_OK), e.found.n);
	assert_null(preflight_first(&e.found));
	row = find_row(&e, "host");
	assert_string_equal(row->client, "alpha");
	assert_string_equal(row->server, "beta");
	assert_string_equal(row->needed, "");
	assert_string_equal(find_row(&e, "device")->client, "mlx5_0 port 1");
	assert_string_equal(find_row(&e, "state")->needed, "ACTIVE");
	assert_string_equal(find_row(&e, "rate")->server, "100 Gb/s");
	assert_string_equal(find_row(&e, "NUMA node")->server, "");
	assert_string_equal(find_row(&e, "GID types")->client, "RoCE v2 IPv4");
	assert_string_equal(find_row(&e, "GID")->client,
			    "3 ::ffff:10.0.0.1 (RoCE v2)");
	assert_string_equal(find_row(&e, "subnet")->server,
			    "::ffff:10.0.0.0/120");
	assert_string_equal(find_row(&e, "P_Key")->server, "0xffff");
	assert_string_equal(find_row(&e, "active MTU")->needed, "1024");
	assert_false(has_row(&e, "LID"));
	assert_false(has_row(&e, "path"));
	assert_false(has_row(&e, "UD message"));
	e.server.numa_node = 1;
	look(&e);
	assert_string_equal(find_row(&e, "NUMA node")->server, "1");
}

TEST(test_state)
{
	struct two_ends e = good_ends();
	const struct preflight_row *row;

	e.client.state = IBV_PORT_DOWN;
	check_only(&e, "state", VERDICT_ERROR, DOWN("client"));
	row = find_row(&e, "state");
	assert_string_equal(row->client, "DOWN");
	assert_string_equal(row->server, "ACTIVE");
	assert_contains(row->error.advice, "on the client");
	assert_string_equal(row->error.code, "ENETDOWN");
	assert_string_equal(row->error.stage, "plan");
	e.server.state = IBV_PORT_DOWN;
	check_only(&e, "state", VERDICT_ERROR,
		   DOWN("client") "; " DOWN("server"));
	assert_contains(find_row(&e, "state")->error.advice, "on the client");
	assert_contains(find_row(&e, "state")->error.advice, "on the server");
	e.client.state = IBV_PORT_ACTIVE;
	check_only(&e, "state", VERDICT_ERROR, DOWN("server"));
}

TEST(test_firmware)
{
	struct two_ends e = good_ends();

	strcpy(e.server.firmware, "22.2");
	check_only(&e, "firmware", VERDICT_WARNING, "the client's mlx5_0 has "
		   "firmware 22.1, the server's mlx5_0 has 22.2");
	strcpy(e.server.device, "bnxt_re0");	/* has its own numbers */
	look(&e);
	assert_int_equal(find_row(&e, "firmware")->verdict, VERDICT_OK);
	strcpy(e.server.device, "mlx5_1");
	e.server.firmware[0] = '\0';
	look(&e);
	assert_int_equal(find_row(&e, "firmware")->verdict, VERDICT_OK);
}

TEST(test_rate)
{
	struct two_ends e = good_ends();

	e.client.rate_mbps = 25000;
	check_only(&e, "rate", VERDICT_WARNING, "the client's link runs at 25 "
		   "Gb/s, the server's at 100 Gb/s");
	assert_contains(find_row(&e, "rate")->error.advice, "client's cable");
	e.client.rate_mbps = 0;		/* not known */
	look(&e);
	assert_int_equal(find_row(&e, "rate")->verdict, VERDICT_OK);
	assert_string_equal(find_row(&e, "rate")->client, "");
}

TEST(test_link_layers)
{
	struct two_ends e = good_ends();

	e.server = good_infiniband().server;
	check_only(&e, "link layer", VERDICT_ERROR,
		   "the client's mlx5_0 port 1 on alpha is Ethernet, the "
		   "server's mlx5_0 port 1 on beta is InfiniBand");
	assert_string_equal(find_row(&e, "link layer")->server, "InfiniBand");
	assert_false(has_row(&e, "GID"));
}

/* Two ends that are EFA's: they have no LIDs and need none. */
static struct two_ends good_efa(void)
{
	struct two_ends e = good_ends();

	e.client.link_layer = e.server.link_layer = IBV_LINK_LAYER_UNSPECIFIED;
	e.client.transport = e.server.transport = IBV_TRANSPORT_UNSPECIFIED;
	set_gid(&e.client, GID_TYPE_IB, "fe80::1");
	set_gid(&e.server, GID_TYPE_IB, "fe80::2");
	e.plan.op = OP_SEND;
	e.plan.transport = TRANSPORT_UD;
	e.plan.sizes = (struct sizes){ .n = 1, .bytes = { 64 } };
	return e;
}

TEST(test_efa)
{
	struct two_ends e = good_efa();

	look(&e);
	assert_null(preflight_first(&e.found));
	assert_string_equal(find_row(&e, "link layer")->client,
			    "unspecified (efa)");
	assert_false(has_row(&e, "LID"));
	assert_non_null(strstr(find_row(&e, "GID")->client, "fe80::1"));
	/* a send without a completion is refused there */
	assert_int_equal(plan_cq_mod(&e.plan, 64), 1);
}

TEST(test_what_efa_lacks)
{
	static const struct {
		const char *what;
		struct plan plan;
	} rows[] = {
		{ "RC", { .transport = TRANSPORT_RC } },
		{ "UC", { .transport = TRANSPORT_UC } },
		{ "XRC", { .transport = TRANSPORT_XRC } },
		{ "--rdma-cm", { .transport = TRANSPORT_UD, .rdma_cm = true } },
		{ "--srq", { .transport = TRANSPORT_UD, .srq = true } },
		{ "--sl", { .transport = TRANSPORT_UD, .sl = 1 } },
		{ "--cq-mod", { .transport = TRANSPORT_UD, .cq_mod = 16 } },
		{ "multicast", { .transport = TRANSPORT_UD,
				 .mcast.wanted = true } },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct two_ends e = good_efa();
		const struct error *err;

		e.plan.transport = rows[i].plan.transport;
		e.plan.rdma_cm = rows[i].plan.rdma_cm;
		e.plan.srq = rows[i].plan.srq;
		e.plan.sl = rows[i].plan.sl;
		e.plan.mcast = rows[i].plan.mcast;
		if (rows[i].plan.cq_mod)
			e.plan.cq_mod = rows[i].plan.cq_mod;
		look(&e);
		err = &find_row(&e, "link layer")->error;
		assert_non_null(strstr(err->message, rows[i].what));
		assert_non_null(strstr(err->message, "EFA"));
	}
}

/* Each is refused by its name. */
TEST(test_what_iwarp_lacks)
{
	static const struct {
		const char *what;
		struct plan plan;
	} rows[] = {
		{ "atomics", { .op = OP_FETCH_ADD } },
		{ "multicast", { .transport = TRANSPORT_UD,
				 .mcast.wanted = true } },
		{ "UD", { .transport = TRANSPORT_UD } },
		{ "UC", { .op = OP_WRITE, .transport = TRANSPORT_UC } },
		{ "XRC", { .transport = TRANSPORT_XRC } },
		{ "immediate data (--imm)", { .op = OP_SEND_IMM,
					      .imm = true } },
		{ "service levels (--sl)", { .sl = 3 } },
		{ "flow labels (--flow-label)", { .flow_labels.n = 1 } },
		{ "hop limit of a path (--hop-limit)", { .hop_limit = 9 } },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct two_ends e = good_ends();
		struct error err = { 0 };
		char text[120];

		e.client.iwarp = e.server.iwarp = true;
		e.client.gids[0].type = e.server.gids[0].type = GID_TYPE_IWARP;
		look(&e);
		assert_null(preflight_first(&e.found));
		assert_string_equal(find_row(&e, "link layer")->client,
				    "iWARP");
		e.plan.op = rows[i].plan.op;
		e.plan.transport = rows[i].plan.transport;
		e.plan.mcast = rows[i].plan.mcast;
		e.plan.imm = rows[i].plan.imm;
		e.plan.sl = rows[i].plan.sl;
		e.plan.flow_labels = rows[i].plan.flow_labels;
		if (rows[i].plan.hop_limit)
			e.plan.hop_limit = rows[i].plan.hop_limit;
		snprintf(text, sizeof(text), "mlx5_0 is an iWARP device, "
			 "which has no %s", rows[i].what);
		assert_int_equal(preflight_judge(&e.plan, &e.client, NULL,
						 &err), -EOPNOTSUPP);
		assert_string_equal(err.message, text);
	}
}

TEST(test_infiniband)
{
	struct two_ends e = good_infiniband();

	look(&e);
	assert_int_equal(preflight_count(&e.found, VERDICT_OK), e.found.n);
	assert_string_equal(find_row(&e, "LID")->client, "4");
	assert_string_equal(find_row(&e, "path")->server, "LID 5, no GRH");
	assert_false(has_row(&e, "GID"));
	assert_false(has_row(&e, "subnet"));
	assert_string_equal(find_row(&e, "GID types")->client, "IB");
	e.server.lid = 0;
	check_only(&e, "LID", VERDICT_ERROR, "port 1 of the server's mlx5_0 "
		   "has LID 0: no subnet manager has assigned one");
	assert_contains(find_row(&e, "LID")->error.advice, "the server's");
	e.server.grh_required = true;	/* does without */
	look(&e);
	assert_null(preflight_first(&e.found));
	assert_false(has_row(&e, "path"));
	e = good_infiniband();
	e.plan.tclass = 7;
	check_only(&e, "path", VERDICT_ERROR, "--tclass: needs a GRH, and "
		   "messages between LIDs have none");
	e = good_infiniband();
	e.client.grh_required = true;
	e.server.n_gids = 0;
	check_only(&e, "GID types", VERDICT_ERROR, "a GRH is needed between "
		   "the client's mlx5_0 and the server's mlx5_0, and the "
		   "server's has no GID");
}

TEST(test_gids_that_do_not_fit)
{
	struct two_ends e = good_ends();

	set_gid(&e.server, GID_TYPE_ROCE_V1, "::ffff:10.0.0.2");
	check_only(&e, "GID types", VERDICT_ERROR, "no GID of the client's "
		   "mlx5_0 port 1 on alpha fits one of the server's mlx5_0 "
		   "port 1 on beta: RoCE v2 IPv4 against RoCE v1 IPv4");
	e = good_ends();
	e.client.gid_forced = true;
	look(&e);
	assert_string_equal(find_row(&e, "GID types")->client,
			    "RoCE v2 IPv4 (-x)");
	e.client.n_gids = 0;
	check_only(&e, "GID types", VERDICT_ERROR, "--gid-index: the client's "
		   "mlx5_0 port 1 has no GID there");
	assert_contains(find_row(&e, "GID types")->error.advice,
			"on the client");
}

TEST(test_link_local_gids)
{
	struct two_ends e = good_ends();

	set_gid(&e.client, GID_TYPE_ROCE_V2, "fe80::1");
	set_gid(&e.server, GID_TYPE_ROCE_V2, "fe80::2");
	check_only(&e, "GID", VERDICT_WARNING, "the GID of both ends is "
		   "link-local, which works within one network segment only");
	e.client.gid_forced = true;
	set_gid(&e.server, GID_TYPE_ROCE_V2, "fd00::2");
	look(&e);
	assert_contains(find_row(&e, "GID")->error.message, "of the client is");
	assert_int_equal(find_row(&e, "subnet")->verdict, VERDICT_WARNING);
}

TEST(test_subnets)
{
	struct two_ends e = good_ends();

	set_gid(&e.server, GID_TYPE_ROCE_V2, "::ffff:10.0.1.2");
	check_only(&e, "subnet", VERDICT_WARNING, "the client's GID is in "
		   "::ffff:10.0.0.0/120, the server's in ::ffff:10.0.1.0/120");
	/* unless this end knows better */
	e.ways = (struct ways){ .n = 1, .list[0].prefix = 112 };
	e.ways.list[0].address = e.client.gids[0].raw;
	look(&e);
	assert_int_equal(find_row(&e, "subnet")->verdict, VERDICT_OK);
	assert_string_equal(find_row(&e, "subnet")->server,
			    "::ffff:10.0.0.0/112");
	e = good_ends();
	set_gid(&e.client, GID_TYPE_ROCE_V2, "fd00:0:0:1::1");
	set_gid(&e.server, GID_TYPE_ROCE_V2, "fd00:0:0:2::1");
	check_only(&e, "subnet", VERDICT_WARNING, "the client's GID is in "
		   "fd00:0:0:1::/64, the server's in fd00:0:0:2::/64");
}

TEST(test_pkeys)
{
	struct two_ends e = good_ends();

	e.server.pkey = 0x8001;
	check_only(&e, "P_Key", VERDICT_ERROR, "--pkey-index: P_Key 0xffff of "
		   "the client's mlx5_0 and 0x8001 of the server's mlx5_0 are "
		   "of different partitions");
	e.server.pkey = 0x7fff;
	check_only(&e, "P_Key", VERDICT_WARNING, "P_Key 0x7fff of the server's "
		   "mlx5_0 is of a limited member");
	e.client.pkey = 0x7fff;
	look(&e);
	assert_int_equal(find_row(&e, "P_Key")->verdict, VERDICT_ERROR);
	assert_contains(find_row(&e, "P_Key")->error.message,
			"both of limited");
	e.server.pkey = 0;		/* not read */
	e.client.pkey = 0xffff;
	look(&e);
	assert_int_equal(find_row(&e, "P_Key")->verdict, VERDICT_OK);
	assert_string_equal(find_row(&e, "P_Key")->server, "");
	e.client.pkey = 0;
	look(&e);
	assert_null(preflight_first(&e.found));
}

TEST(test_mtus)
{
	struct two_ends e = good_ends();

	e.server.active_mtu = IBV_MTU_4096;
	check_only(&e, "active MTU", VERDICT_WARNING, "the client's mlx5_0 has "
		   "an active MTU of 1024, the server's mlx5_0 of 4096");
	assert_contains(find_row(&e, "active MTU")->error.advice,
			"the client's interface");
	e.plan.mtu = 2048;
	check_only(&e, "active MTU", VERDICT_ERROR, "--mtu: 2048 is above what "
		   "the client's mlx5_0 allows (active MTU 1024)");
	assert_string_equal(find_row(&e, "active MTU")->needed, "2048");
	e.server.active_mtu = IBV_MTU_1024;
	check_only(&e, "active MTU", VERDICT_ERROR, "--mtu: 2048 is above what "
		   "the client's mlx5_0 allows (active MTU 1024); --mtu: 2048 "
		   "is above what the server's mlx5_0 allows (active MTU "
		   "1024)");
}

TEST(test_datagrams)
{
	struct two_ends e = good_ends();

	set_op(&e.plan, OP_SEND);
	e.plan.transport = TRANSPORT_UD;
	e.plan.sizes.bytes[0] = 1025;
	check_only(&e, "UD message", VERDICT_ERROR, "--size 1025: over UD a "
		   "message is at most the path MTU, which is 1024");
	assert_string_equal(find_row(&e, "UD message")->needed, "1025");
	e.plan.sizes.bytes[0] = 1024;
	look(&e);
	assert_null(preflight_first(&e.found));
}

/* What the client knows of itself; the server's column is empty. */
TEST(test_client_alone)
{
	struct two_ends e = good_ends();
	struct error err = { 0 };

	e.plan.mtu = 4096;
	e.plan.qps = 101;
	preflight_run(&e.plan, &e.client, NULL, &e.ways, &e.found);
	assert_int_equal(preflight_count(&e.found, VERDICT_ERROR), 2);
	for (uint32_t i = 0; i < e.found.n; i++)
		assert_string_equal(e.found.rows[i].server, "");
	assert_string_equal(find_row(&e, "max_qp")->needed, "101");
	assert_int_equal(plan_fit_client(&e.plan, &e.client, &err), -EINVAL);
	assert_message(&err, preflight_first(&e.found)->error.message);
	preflight_free(&e.found);
}

/* There is always room for one more. */
TEST(test_many_rows)
{
	struct error err = { .stage = "connect" };
	struct preflight found = { 0 };

	preflight_row(&found, "host");
	fail(&err, -ENOENT, "look", "there is no server");
	for (int i = 0; i < 1000; i++)
		preflight_add(&found, &err);
	assert_int_equal(found.n, 1001);
	assert_string_equal(found.rows[0].check, "host");
	assert_string_equal(found.rows[1000].check, "connect");
	preflight_free(&found);
	assert_int_equal(found.n, 0);
}

TEST(test_what_others_found)
{
	struct error err = { .stage = "connect" };
	struct two_ends e = good_ends();

	look(&e);
	fail(&err, -ENOENT, "look", "there is no server");
	preflight_add(&e.found, &err);
	assert_ptr_equal(preflight_first(&e.found), find_row(&e, "connect"));
	assert_string_equal(preflight_first(&e.found)->error.message,
			    "there is no server");
	assert_string_equal(verdict_names[VERDICT_OK], "ok");
	assert_string_equal(verdict_names[VERDICT_WARNING], "warning");
	assert_string_equal(verdict_names[VERDICT_ERROR], "error");
	preflight_free(&e.found);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_good_ends),
	cmocka_unit_test(test_state),
	cmocka_unit_test(test_firmware),
	cmocka_unit_test(test_rate),
	cmocka_unit_test(test_link_layers),
	cmocka_unit_test(test_what_iwarp_lacks),
	cmocka_unit_test(test_efa),
	cmocka_unit_test(test_what_efa_lacks),
	cmocka_unit_test(test_infiniband),
	cmocka_unit_test(test_gids_that_do_not_fit),
	cmocka_unit_test(test_link_local_gids),
	cmocka_unit_test(test_subnets),
	cmocka_unit_test(test_pkeys),
	cmocka_unit_test(test_mtus),
	cmocka_unit_test(test_datagrams),
	cmocka_unit_test(test_client_alone),
	cmocka_unit_test(test_many_rows),
	cmocka_unit_test(test_what_others_found),
};

TEST_MAIN(tests, 30)
