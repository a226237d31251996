/* Preflight: what a plan asks of two devices, row by row. */
#include "config.h"
#include "test.h"

#include <errno.h>

#include "two_ends.h"

#define AT(field) offsetof(struct port_limits, field)
#define ABOVE(what, end, limit) \
	what " above what the " end "'s mlx5_0 allows (" limit ")"

/* One limit of one end, a uint32_t, that is too small. */
struct row {
	size_t offset;
	uint32_t value;
	bool client;		/* whose */
	enum op op;
	bool srq, mr_per_qp;
	const char *check, *needed, *message;
	const char *advice;	/* part of it */
};

// clang-format off
static const struct row rows[] = {
	{ AT(max_qp), 3, true, OP_WRITE, false, false, "max_qp", "4",
	  ABOVE("--qps: 4 is", "client", "max_qp 3"),
	  "use --qps 3 or less, or choose another device at the client" },
	{ AT(max_qp), 3, false, OP_WRITE, false, false, "max_qp", "4",
	  ABOVE("--qps: 4 is", "server", "max_qp 3"),
	  "use --qps 3 or less, or choose another device at the server" },
	{ AT(max_qp_wr), 127, true, OP_WRITE, false, false,
	  "max_qp_wr, sends", "128 at the client",
	  ABOVE("--tx-depth: 128 is", "client", "max_qp_wr 127"), "smaller" },
	{ AT(max_cqe), 32, true, OP_WRITE, false, false,
	  "max_cqe, sends", "33 at the client",
	  ABOVE("--tx-depth / --cq-mod: 33 is", "client", "max_cqe 32"),
	  "a smaller --tx-depth or a larger --cq-mod" },
	{ AT(max_qp_wr), 31, false, OP_SEND, false, false,
	  "max_qp_wr, receives", "32 at the server",
	  ABOVE("--rx-depth: 32 is", "server", "max_qp_wr 31"),
	  "use --rx-depth 31 or less" },
	{ AT(max_cqe), 31, false, OP_SEND, false, false,
	  "max_cqe, receives", "32 at the server",
	  ABOVE("--rx-depth: 32 is", "server", "max_cqe 31"), "--rx-depth" },
	{ AT(max_srq), 1, false, OP_SEND, true, false, "max_srq",
	  "2 at the server",
	  ABOVE("--srq, of each of --threads: 2 is", "server", "max_srq 1"),
	  "fewer --threads" },
	{ AT(max_srq_wr), 31, false, OP_SEND, true, false, "max_srq_wr",
	  "32 at the server",
	  ABOVE("--rx-depth: 32 is", "server", "max_srq_wr 31"),
	  "use --rx-depth 31 or less" },
	{ AT(max_mr), 3, false, OP_WRITE, false, true, "max_mr", "4",
	  ABOVE("--mr-per-qp: 4 memory regions are", "server", "max_mr 3"),
	  "fewer --qps" },
};
// clang-format on

TEST(test_each_limit)
{
	for (size_t i = 0; i < COUNT(rows); i++) {
		const struct row *r = &rows[i];
		struct two_ends e = good_ends();
		struct port *port = r->client ? &e.client : &e.server;
		const struct preflight_row *row;
		uint32_t enough = r->value + 1;
		char *at = (char *)&port->limits + r->offset;

		set_op(&e.plan, r->op);
		e.plan.qps = 4;
		e.plan.threads = 2;
		e.plan.rx_depth = 32;
		e.plan.srq = r->srq;
		e.plan.mr_per_qp = r->mr_per_qp;
		memcpy(at, &r->value, sizeof(r->value));
		check_only(&e, r->check, VERDICT_ERROR, r->message);
		row = find_row(&e, r->check);
		assert_string_equal(row->needed, r->needed);
		assert_contains(row->error.advice, r->advice);
		memcpy(at, &enough, sizeof(enough));
		look(&e);
		assert_null(preflight_first(&e.found));
	}
}

TEST(test_largest_message)
{
	struct two_ends e = good_ends();

	e.server.limits.max_msg_sz = 65535;
	check_only(&e, "max_msg_sz", VERDICT_ERROR,
		   ABOVE("--size: 65536 is", "server", "max_msg_sz 65535"));
	assert_string_equal(find_row(&e, "max_msg_sz")->client, "2147483648");
	assert_string_equal(find_row(&e, "max_msg_sz")->needed, "65536");
}

/* The smaller of two limits is what to go by. */
TEST(test_both_short)
{
	struct two_ends e = good_ends();

	e.plan.qps = 200;
	e.server.limits.max_qp = 50;
	check_only(&e, "max_qp", VERDICT_ERROR,
		   ABOVE("--qps: 200 is", "server", "max_qp 50"));
	e.client.limits.max_qp = 40;
	check_only(&e, "max_qp", VERDICT_ERROR,
		   ABOVE("--qps: 200 is", "client", "max_qp 40"));
}

/* What all users of a device share may be gone. */
TEST(test_nearly_all)
{
	struct two_ends e = good_ends();

	e.plan.qps = 90;
	look(&e);
	assert_int_equal(preflight_count(&e.found, VERDICT_OK), e.found.n);
	e.plan.qps = 91;
	check_only(&e, "max_qp", VERDICT_WARNING, "--qps: 91 is nearly all "
		   "that the client's mlx5_0 has (max_qp 100)");
	e.client.limits.max_qp = 1000;
	check_only(&e, "max_qp", VERDICT_WARNING, "--qps: 91 is nearly all "
		   "that the server's mlx5_0 has (max_qp 100)");
}

/* A row is there when the plan asks for it. */
TEST(test_rows_that_apply)
{
	struct two_ends e = good_ends();

	look(&e);
	assert_false(has_row(&e, "outstanding reads"));
	assert_false(has_row(&e, "max_qp_wr, receives"));
	assert_false(has_row(&e, "max_srq"));
	assert_false(has_row(&e, "max_mr"));
	assert_false(has_row(&e, "on-demand paging"));
	set_op(&e.plan, OP_SEND);
	e.plan.bidirectional = true;
	e.plan.mtu = PLAN_AUTO;
	e.plan.rx_depth = 64;
	look(&e);
	assert_string_equal(find_row(&e, "max_qp_wr, sends")->needed, "128");
	assert_string_equal(find_row(&e, "max_qp_wr, receives")->needed, "64");
}

TEST(test_reads)
{
	struct two_ends e = good_ends();

	set_op(&e.plan, OP_READ);
	e.plan.outstanding_reads = 9;
	check_only(&e, "outstanding reads", VERDICT_ERROR,
		   "--outstanding-reads 9: the client's mlx5_0 starts at most "
		   "8 at once, the server's mlx5_0 answers 16");
	e.plan.reversed = true;
	check_only(&e, "outstanding reads", VERDICT_ERROR,
		   "--outstanding-reads 9: the server's mlx5_0 starts at most "
		   "8 at once, the client's mlx5_0 answers 16");
	e.plan.reversed = false;
	e.plan.outstanding_reads = PLAN_AUTO;
	look(&e);
	assert_null(preflight_first(&e.found));
	assert_string_equal(find_row(&e, "outstanding reads")->client,
			    "starts 8, answers 16");
	assert_string_equal(find_row(&e, "outstanding reads")->needed, "8");
	e.plan.outstanding_reads = PLAN_AUTO;
	e.server.limits.max_qp_rd_atom = 0;
	check_only(&e, "outstanding reads", VERDICT_ERROR,
		   "RDMA read: the client's mlx5_0 starts 8 at once, the "
		   "server's mlx5_0 answers 0");
}

/* Each direction of --bidirectional is shown, and judged, on its own. */
TEST(test_reads_both_ways)
{
	struct two_ends e = good_ends();

	set_op(&e.plan, OP_READ);
	e.plan.bidirectional = true;
	e.client.limits.max_qp_rd_atom = 4;
	look(&e);
	assert_null(preflight_first(&e.found));
	assert_string_equal(find_row(&e, "outstanding reads")->needed, "8, 4");
	e.plan = good_plan();
	set_op(&e.plan, OP_READ);
	e.plan.bidirectional = true;
	e.plan.outstanding_reads = 5;
	check_only(&e, "outstanding reads", VERDICT_ERROR,
		   "--outstanding-reads 5: the server's mlx5_0 starts at most "
		   "8 at once, the client's mlx5_0 answers 4");
}

TEST(test_paging)
{
	struct two_ends e = good_ends();

	e.plan.odp = true;
	e.server.limits.odp[TRANSPORT_RC] = IBV_ODP_SUPPORT_SEND |
					    IBV_ODP_SUPPORT_READ;
	check_only(&e, "on-demand paging", VERDICT_ERROR,
		   "--odp: the server's mlx5_0 does not support on-demand "
		   "paging for writes over RC");
	assert_string_equal(find_row(&e, "on-demand paging")->client,
			    "send receive write read atomic SRQ");
	assert_string_equal(find_row(&e, "on-demand paging")->server,
			    "send read");
}

TEST(test_xrc)
{
	struct two_ends e = good_ends();

	e.plan.transport = TRANSPORT_XRC;
	e.client.limits.xrc = true;
	check_only(&e, "XRC", VERDICT_ERROR,
		   "--transport XRC: the server's mlx5_0 has no XRC");
	assert_string_equal(find_row(&e, "XRC")->client, "yes");
	assert_string_equal(find_row(&e, "XRC")->server, "no");
}

/* Two queue pairs each, and a shared receive queue for each thread. */
TEST(test_objects_of_xrc)
{
	struct two_ends e = good_ends();

	e.plan.transport = TRANSPORT_XRC;
	e.plan.qps = 4;
	e.plan.threads = 2;
	e.client.limits.xrc = e.server.limits.xrc = true;
	look(&e);
	assert_string_equal(find_row(&e, "max_qp")->needed, "8");
	assert_string_equal(find_row(&e, "max_srq")->needed, "2");
}

/* Scatter/gather entries, of each kind of work request. */
TEST(test_entries)
{
	struct two_ends e = good_ends();

	e.plan.sge = 5;
	e.client.limits.max_sge = 4;
	check_only(&e, "max_sge", VERDICT_ERROR,
		   ABOVE("--sge: 5 is", "client", "max_sge 4"));
	assert_string_equal(find_row(&e, "max_sge")->needed,
			    "5 at the client");
	/* fewer bytes than entries */
	e.plan.sizes.bytes[0] = 4;
	look(&e);
	assert_null(preflight_first(&e.found));
	e = good_ends();
	set_op(&e.plan, OP_SEND);
	e.plan.sge = 5;
	e.client.limits.max_sge = 5;
	check_only(&e, "max_sge", VERDICT_ERROR,
		   ABOVE("--sge: 5 is", "server", "max_sge 0"));
	e.plan.srq = true;
	e.server.limits.max_srq_sge = 3;
	check_only(&e, "max_srq_sge", VERDICT_ERROR,
		   ABOVE("--sge: 5 is", "server", "max_srq_sge 3"));
	e = good_ends();
	set_op(&e.plan, OP_READ);
	e.plan.sge = 5;
	e.client.limits.max_sge = 5;
	e.client.limits.max_sge_rd = 1;
	check_only(&e, "max_sge_rd", VERDICT_ERROR,
		   ABOVE("--sge: 5 is", "client", "max_sge_rd 1"));
	e.client.limits.max_sge_rd = 5;
	look(&e);
	assert_null(preflight_first(&e.found));
}

/* Queue pairs of one end in a multicast group. */
TEST(test_members)
{
	struct two_ends e = good_ends();

	set_op(&e.plan, OP_SEND);
	e.plan.transport = TRANSPORT_UD;
	e.plan.sizes.bytes[0] = 64;
	e.plan.mcast.wanted = true;
	e.server.limits.max_mcast_grp = 1;
	look(&e);
	assert_false(has_row(&e, "max_mcast_qp_attach"));
	e.plan.receivers = 3;
	e.server.limits.max_mcast_qp_attach = 2;
	check_only(&e, "max_mcast_qp_attach", VERDICT_ERROR,
		   ABOVE("--receivers: 3 is", "server",
			 "max_mcast_qp_attach 2"));
	e.server.limits.max_mcast_qp_attach = 3;
	look(&e);
	assert_null(preflight_first(&e.found));
}

/* What libmlx5 refuses though max_qp_wr is not reached: 64 bytes of a send queue
 * count as one, and their sum is a power of two. */
TEST(test_blocks_of_mlx5)
{
	static const struct {
		enum op op;
		enum transport transport;
		enum post_method post;
		uint32_t depth, sge;
		const char *needed;
		bool fits;
	} shapes[] = {
		{ OP_WRITE, TRANSPORT_RC, POST_AUTO, 32768, 1, "32768", true },
		{ OP_WRITE, TRANSPORT_RC, POST_AUTO, 4096, 16, "32768", true },
		{ OP_WRITE, TRANSPORT_RC, POST_AUTO, 8192, 16, "65536", false },
		{ OP_WRITE, TRANSPORT_RC, POST_LEGACY, 8192, 1, "32768", true },
		{ OP_WRITE, TRANSPORT_UC, POST_LEGACY, 16384, 1, "65536",
		  false },
		{ OP_SEND, TRANSPORT_UD, POST_AUTO, 16384, 1, "32768", true },
		{ OP_SEND, TRANSPORT_UD, POST_AUTO, 32768, 1, "65536", false },
		{ OP_FETCH_ADD, TRANSPORT_RC, POST_AUTO, 32768, 1, "32768",
		  true },
	};
	struct two_ends e = good_ends();

	look(&e);
	assert_false(has_row(&e, "max_qp_wr, blocks"));
	for (size_t i = 0; i < COUNT(shapes); i++) {
		const struct preflight_row *row;

		e = good_ends();
		set_op(&e.plan, shapes[i].op);
		facts_set_text(&e.client.facts, FACT_DRIVER, "mlx5_core");
		e.client.limits.max_qp_wr = 32768;
		e.client.limits.max_sge = e.server.limits.max_sge = 16;
		e.plan.transport = shapes[i].transport;
		e.plan.post = shapes[i].post;
		e.plan.tx_depth = shapes[i].depth;
		e.plan.sge = shapes[i].sge;
		look(&e);
		row = find_row(&e, "max_qp_wr, blocks");
		assert_memory_equal(row->needed, shapes[i].needed,
				    strlen(shapes[i].needed));
		assert_int_equal(row->verdict, shapes[i].fits ? VERDICT_OK :
							      VERDICT_ERROR);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_blocks_of_mlx5),
	cmocka_unit_test(test_each_limit),
	cmocka_unit_test(test_largest_message),
	cmocka_unit_test(test_both_short),
	cmocka_unit_test(test_nearly_all),
	cmocka_unit_test(test_rows_that_apply),
	cmocka_unit_test(test_reads),
	cmocka_unit_test(test_reads_both_ways),
	cmocka_unit_test(test_paging),
	cmocka_unit_test(test_xrc),
	cmocka_unit_test(test_objects_of_xrc),
	cmocka_unit_test(test_entries),
	cmocka_unit_test(test_members),
};

TEST_MAIN(tests, 30)
