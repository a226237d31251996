/* Every status, errno and event has a name, a cause and the advice that suits
 * the run it ended. */
#include "config.h"
#include "test.h"

#include <errno.h>
#include <stdio.h>

#include "verbs/explain.h"

#define LONGEST_CAUSE 380	/* with "the server: " it fits, too */

static struct gid gid_of(uint32_t index, uint8_t type, uint8_t last)
{
	struct gid gid = { .index = index, .type = type };

	gid.raw.raw[10] = gid.raw.raw[11] = 0xff;
	gid.raw.raw[12] = 10;
	gid.raw.raw[15] = last;
	return gid;
}

/* A run over RoCE in which nothing was acknowledged. */
static struct {
	struct plan plan;
	struct path path;
	struct explain_context context;
} run;

static void new_run(enum op op, enum transport transport)
{
	run.plan = (struct plan){
		.op = op, .transport = transport, .mtu = 1024,
		.rx_depth = 16, .rnr_retry = 3, .min_rnr_timer = 12,
		.qp_timeout = 14, .retry_count = 6, .outstanding_reads = 8,
		.sl = 2,
	};
	run.path = (struct path){
		.global = true,
		.local = gid_of(1, GID_TYPE_ROCE_V2, 1),
		.remote = gid_of(3, GID_TYPE_ROCE_V2, 2),
		.dlid = 9,
	};
	run.context = (struct explain_context){
		.plan = &run.plan, .path = &run.path, .peer = "server",
		.ethernet = true, .lid = 4, .pkey = 0xffff, .size = 64,
		.qpn = 0x1a2, .sends = true,
	};
}

/* What is said of a completion with STATUS. */
static struct error explain(enum ibv_wc_status status, bool receive)
{
	const struct flow_failure failure = {
		.verb = "ibv_poll_cq",
		.status = status,
		.receive = receive,
	};
	struct error err = { 0 };

	assert_int_equal(explain_failure(&failure, &run.context, &err), -EIO);
	assert_null(strchr(err.message, '{'));
	assert_null(strchr(err.advice, '{'));
	assert_true(strlen(err.message) < LONGEST_CAUSE);
	return err;
}

static void check_every_run(enum ibv_wc_status status)
{
	static const enum op ops[] = { OP_SEND, OP_WRITE, OP_READ,
				       OP_CMP_SWAP };

	for (int i = 0; i < 64; i++) {
		struct error err;

		new_run(ops[i % 4], i & 4 ? TRANSPORT_UD : TRANSPORT_RC);
		run.context.ethernet = i & 8;
		run.context.acknowledged = i & 16 ? 7 : 0;
		run.plan.srq = i & 4;
		err = explain(status, i & 32);
		assert_string_equal(err.code, explain_status_name(status));
		assert_contains(err.message, i & 32 ? "receive on QP 0x0001a2"
						    : " on QP 0x0001a2");
		assert_contains(err.message, ": completion with IBV_WC_");
		assert_contains(err.message, "): ");
		assert_true(strlen(strstr(err.message, "): ")) > 8);
		assert_null(strstr(err.message, "unknown status"));
	}
}

TEST(test_every_status)
{
	for (int s = IBV_WC_LOC_LEN_ERR; s <= IBV_WC_GENERAL_ERR; s++) {
		const char *name = explain_status_name((enum ibv_wc_status)s);

		assert_int_equal(strncmp(name, "IBV_WC_", 7), 0);
		assert_string_not_equal(name, "IBV_WC_?");
		check_every_run((enum ibv_wc_status)s);
	}
}

/* What Soft-RoCE does is not said of it. */
TEST(test_iwarp)
{
	struct error err;

	new_run(OP_SEND, TRANSPORT_RC);
	run.context.iwarp = true;
	err = explain(IBV_WC_WR_FLUSH_ERR, true);
	assert_contains(err.message, "iWARP does not tell why");
	assert_contains(err.advice, "-r");
	err = explain(IBV_WC_LOC_QP_OP_ERR, false);
	assert_contains(err.message, "the connection ended");
}

/* What the platform between a device and memory can do is not called a fault of
 * this program. */
TEST(test_memory_of_a_gpu)
{
	struct error err;

	new_run(OP_SEND, TRANSPORT_RC);
	run.context.on_gpu = true;
	run.context.driver = "mlx5_core";
	for (int receive = 0; receive < 2; receive++) {
		err = explain(IBV_WC_LOC_PROT_ERR, receive);
		assert_contains(err.message, "the GPU's BAR");
		assert_contains(err.advice, "Resizable BAR");
		assert_contains(err.advice, "MLX5_DEBUG_FILE");
		assert_null(strstr(err.advice, "report it"));
		assert_true(strlen(err.advice) < sizeof(err.advice) - 1);
	}
	run.context.driver = "bnxt_re";
	err = explain(IBV_WC_LOC_PROT_ERR, false);
	assert_null(strstr(err.advice, "MLX5"));
	run.context.on_gpu = false;
	run.context.driver = NULL;
	err = explain(IBV_WC_LOC_PROT_ERR, false);
	assert_null(strstr(err.message, "GPU"));
}

TEST(test_unknown_status)
{
	static const int unknown[] = { IBV_WC_TM_ERR, 77, 1000, -1 };

	new_run(OP_SEND, TRANSPORT_RC);
	for (size_t i = 0; i < COUNT(unknown); i++) {
		struct error err = explain((enum ibv_wc_status)unknown[i],
					   false);

		assert_string_equal(err.code, "IBV_WC_?");
		assert_contains(err.message, "unknown status");
	}
}

/* What tells rows apart, and a fragment of what is said then. */
struct expectation {
	enum ibv_wc_status status;
	enum op op;
	enum transport transport;
	bool infiniband;
	bool receive;
	uint64_t acknowledged;
	const char *cause;
	const char *advice;
};

#define RC TRANSPORT_RC
#define UD TRANSPORT_UD

// clang-format off
static const struct expectation expectations[] = {
	{ IBV_WC_RETRY_EXC_ERR, OP_WRITE, RC, false, false, 0,
	  "the server never acknowledged anything, so that the path never "
	  "worked: from GID 1 ::ffff:10.0.0.1 (RoCE v2) to GID 3 "
	  "::ffff:10.0.0.2 (RoCE v2)", "UDP port 4791 filtered" },
	{ IBV_WC_RETRY_EXC_ERR, OP_WRITE, RC, false, false, 0,
	  "never", "does not carry 1024 bytes (-m)" },
	{ IBV_WC_RETRY_EXC_ERR, OP_WRITE, RC, false, false, 1,
	  "acknowledged 1 message and then nothing more: it died",
	  "--qp-timeout 14 (67.1 ms) and --retry-count 6" },
	{ IBV_WC_RETRY_EXC_ERR, OP_WRITE, RC, false, false, 4711,
	  "acknowledged 4711 messages and", "drops" },
	{ IBV_WC_RETRY_EXC_ERR, OP_WRITE, RC, true, false, 0,
	  "from LID 4 to LID 9, service level 2, P_Key 0xffff",
	  "subnet manager" },
	{ IBV_WC_RETRY_EXC_ERR, OP_WRITE, RC, true, false, 5,
	  "acknowledged 5 messages", "ibstat" },
	{ IBV_WC_RNR_RETRY_EXC_ERR, OP_SEND, RC, false, false, 0,
	  "16 of each queue pair (--rx-depth), tried again 3 times "
	  "(--rnr-retry), timer code 12 (--min-rnr-timer)", "larger -r" },
	{ IBV_WC_REM_ACCESS_ERR, OP_READ, RC, false, false, 0,
	  "refused the rkey", "look at its output" },
	{ IBV_WC_REM_INV_REQ_ERR, OP_CMP_SWAP, RC, false, false, 0,
	  "not a multiple of 8", "versions" },
	{ IBV_WC_REM_INV_REQ_ERR, OP_READ, RC, false, false, 0,
	  "fewer than 8 at once", "-o 1" },
	{ IBV_WC_REM_INV_REQ_ERR, OP_WRITE, RC, false, false, 0,
	  "its path MTU is not 1024", "-m" },
	{ IBV_WC_REM_INV_REQ_ERR, OP_SEND, RC, false, false, 0,
	  "a message of 64 bytes", "versions" },
	{ IBV_WC_REM_INV_REQ_ERR, OP_SEND, RC, false, true, 0,
	  "longer than the receive", "versions" },
	{ IBV_WC_REM_OP_ERR, OP_SEND, RC, false, false, 0,
	  "could not complete", "server's output" },
	{ IBV_WC_LOC_LEN_ERR, OP_SEND, UD, false, false, 0,
	  "larger than the path MTU, 1024", "at most 1024" },
	{ IBV_WC_LOC_LEN_ERR, OP_SEND, RC, false, true, 0,
	  "longer than the receive posted for it", "versions" },
	{ IBV_WC_LOC_LEN_ERR, OP_FETCH_ADD, RC, false, false, 0,
	  "8 bytes", "report it" },
	{ IBV_WC_LOC_PROT_ERR, OP_SEND, RC, false, true, 0,
	  "the memory of a receive", "iommu=pt" },
	{ IBV_WC_LOC_PROT_ERR, OP_WRITE, RC, false, false, 0,
	  "the memory of the message", "iommu=pt" },
	{ IBV_WC_LOC_PROT_ERR, OP_WRITE, RC, false, false, 1000,
	  "worked for 1000 messages", "iommu=pt" },
	{ IBV_WC_LOC_QP_OP_ERR, OP_WRITE, RC, false, false, 0,
	  "on Soft-RoCE", "ip link" },
	{ IBV_WC_LOC_QP_OP_ERR, OP_WRITE, RC, true, false, 0,
	  "does not allow the operation", "report it" },
	{ IBV_WC_WR_FLUSH_ERR, OP_WRITE, RC, false, false, 0,
	  "already in the error state", "kernel's log" },
};
// clang-format on

TEST(test_the_run_decides)
{
	for (size_t i = 0; i < COUNT(expectations); i++) {
		const struct expectation *e = &expectations[i];
		struct error err;

		new_run(e->op, e->transport);
		run.context.ethernet = !e->infiniband;
		run.context.acknowledged = e->acknowledged;
		err = explain(e->status, e->receive);
		assert_contains(err.message, e->cause);
		assert_contains(err.advice, e->advice);
	}
}

/* Signs at this host, of a path of 1024 bytes. */
#define HERE(state, now, lookup, lacks, n) \
	{ .ethernet = true, .port_state = (state), .mtu = 1024, \
	  .mtu_now = (now), .route = (lookup), .no_neighbour = (lacks), \
	  .refused = (n) }

/* What this host shows of a path, in the order of evidence. */
TEST(test_signs_of_a_path)
{
	static const struct {
		struct path_signs signs;
		enum path_fault fault;
		const char *cause, *advice;
	} rows[] = {
		{ { 0 }, PATH_UNKNOWN, "carries nothing", "subnet manager" },
		{ { .port_state = IBV_PORT_DOWN }, PATH_LINK, "is DOWN",
		  "ibstat" },
		{ { .ethernet = true }, PATH_UNKNOWN, "to GID 3", "firewall" },
		{ HERE(IBV_PORT_DOWN, 512, ENETUNREACH, true, 9), PATH_LINK,
		  "is DOWN", "ip link" },
		{ HERE(IBV_PORT_ACTIVE, 512, ENETUNREACH, true, 9),
		  PATH_ROUTE, "no route", "ip route get" },
		{ HERE(IBV_PORT_ACTIVE, 512, 0, true, 9), PATH_MTU,
		  "MTU is 512 now, less than the path's, 1024", "-m 512" },
		{ HERE(IBV_PORT_ACTIVE, 2048, 0, true, 9),
		  PATH_REFUSED, "local firewall", "output rule" },
		{ HERE(IBV_PORT_ACTIVE, 1024, 0, true, 0),
		  PATH_NEIGHBOUR, "nobody answers for the server", "ip neigh" },
		{ { .ethernet = true, .counted = true, .sent = 20, .out = 9 },
		  PATH_REFUSED, "to GID 3", "nft list ruleset" },
		{ { .ethernet = true, .counted = true, .sent = 20, .out = 20 },
		  PATH_SILENT, "none comes back", "at the server" },
		{ { .ethernet = true, .counted = true, .sent = 3 },
		  PATH_SILENT, "to GID 3", "4791" },
		{ { .ethernet = true, .counted = true, .sent = 20, .out = 20,
		    .came = 5 }, PATH_LOSSY, "most of them", "drops" },
		{ { .ethernet = true, .counted = true, .out = 5 },
		  PATH_UNKNOWN, "to GID 3", "wrong GID" },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct error err = { 0 };

		assert_int_equal(path_fault_of(&rows[i].signs), rows[i].fault);
		new_run(OP_WRITE, TRANSPORT_RC);
		run.context.ethernet = rows[i].signs.ethernet;
		run.context.signs = &rows[i].signs;
		assert_int_equal(explain_stall(&run.context,
					       "nothing completed for 10 s",
					       &err), -ETIMEDOUT);
		assert_contains(err.message, "nothing completed for 10 s: ");
		assert_contains(err.message, rows[i].cause);
		assert_contains(err.advice, rows[i].advice);
	}
}

/* What is seen at this host is why a queue pair ended; what is not, is not. */
TEST(test_failures_with_signs)
{
	static const struct path_signs gone = { .ethernet = true,
						.port_state = IBV_PORT_DOWN },
				       lossy = { .ethernet = true,
						 .counted = true, .sent = 9,
						 .out = 9 };
	static const struct {
		enum ibv_wc_status status;
		bool receive;
		const struct path_signs *signs;
		const char *cause;
	} rows[] = {
		{ IBV_WC_WR_FLUSH_ERR, false, &gone, "is DOWN" },
		{ IBV_WC_WR_FLUSH_ERR, true, &gone, "is DOWN" },
		{ IBV_WC_LOC_QP_OP_ERR, false, &gone, "is DOWN" },
		{ IBV_WC_RETRY_EXC_ERR, false, &gone, "is DOWN" },
		{ IBV_WC_LOC_QP_OP_ERR, true, &gone, "a receive could not" },
		{ IBV_WC_REM_OP_ERR, false, &gone, "could not complete" },
		{ IBV_WC_WR_FLUSH_ERR, false, &lossy, "unknown reason" },
		{ IBV_WC_RETRY_EXC_ERR, false, &lossy, "never acknowledged" },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		new_run(OP_WRITE, TRANSPORT_RC);
		run.context.signs = rows[i].signs;
		assert_contains(explain(rows[i].status, rows[i].receive).message,
				rows[i].cause);
	}
}

/* A ping-pong whose writes are acknowledged does not blame the path. */
TEST(test_writes_without_an_answer)
{
	struct error err = { 0 };

	new_run(OP_WRITE, TRANSPORT_RC);
	run.context.unanswered = true;
	run.context.acknowledged = 12;
	explain_stall(&run.context, "nothing completed for 10 s", &err);
	assert_contains(err.message, "all 12 messages");
	assert_contains(err.message, "the path works");
	assert_contains(err.advice, "--poll completion");
	assert_null(strstr(err.advice, "firewall"));
}

/* More retries than the field can say are no advice. */
TEST(test_the_most_retries)
{
	const char *advice;
	struct error err;

	new_run(OP_WRITE, TRANSPORT_RC);
	run.context.acknowledged = 1;
	run.plan.retry_count = 7;
	for (int infiniband = 0; infiniband < 2; infiniband++) {
		run.context.ethernet = !infiniband;
		err = explain(IBV_WC_RETRY_EXC_ERR, false);
		advice = err.advice;
		assert_contains(advice, "--qp-timeout 14 (67.1 ms) can");
		assert_null(strstr(advice, "--retry-count"));
	}
}

TEST(test_shared_receives)
{
	new_run(OP_SEND, TRANSPORT_RC);
	run.plan.srq = true;
	assert_contains(explain(IBV_WC_RNR_RETRY_EXC_ERR, false).message,
			"16 are shared (--rx-depth)");
	new_run(OP_SEND, TRANSPORT_XRC);
	assert_contains(explain(IBV_WC_RNR_RETRY_EXC_ERR, false).message,
			"16 are shared (--rx-depth)");
}

TEST(test_gids_that_do_not_fit)
{
	const enum ibv_wc_status status = IBV_WC_RETRY_EXC_ERR;

	new_run(OP_WRITE, TRANSPORT_RC);
	assert_null(strstr(explain(status, false).message, "which"));
	run.path.remote.raw.raw[15] = 77;
	assert_null(strstr(explain(status, false).message, "which"));
	run.path.remote.raw.raw[13] = 1;
	assert_contains(explain(status, false).message,
			", which are of different subnets");
	run.path.remote.type = GID_TYPE_ROCE_V1;
	assert_contains(explain(status, false).message,
			"(RoCE v1), which are of different types");
	run.path.remote.type = GID_TYPE_ROCE_V2;
	memset(run.path.remote.raw.raw, 0xfe, 16);
	assert_contains(explain(status, false).message,
			", of which only one is of an IPv4 address");
	memset(run.path.local.raw.raw, 0xfe, 16);
	run.path.local.raw.raw[15] = 1;
	assert_null(strstr(explain(status, false).message, "which"));
	run.path.local.raw.raw[7] = 1;
	assert_contains(explain(status, false).message, "different subnets");
	/* before there is a path */
	run.context.path = NULL;
	assert_contains(explain(status, false).message, "from LID 4");
}

TEST(test_what_was_under_way)
{
	new_run(OP_WRITE, TRANSPORT_RC);
	assert_contains(explain(IBV_WC_GENERAL_ERR, false).message,
			"RDMA write on QP 0x0001a2: ");
	assert_contains(explain(IBV_WC_GENERAL_ERR, true).message,
			"receive on QP 0x0001a2: ");
	run.context.notices = true;
	assert_contains(explain(IBV_WC_GENERAL_ERR, false).message,
			"RDMA write or its notice on QP 0x0001a2: ");
	run.context.sends = false;
	assert_contains(explain(IBV_WC_GENERAL_ERR, false).message,
			"credit on QP 0x0001a2: ");
}

/* Not a cause, but the driver's people ask for it. */
TEST(test_vendor_error)
{
	struct flow_failure failure = {
		.verb = "ibv_poll_cq",
		.status = IBV_WC_FATAL_ERR,
	};
	struct error err = { 0 };

	new_run(OP_READ, TRANSPORT_RC);
	explain_failure(&failure, &run.context, &err);
	assert_message(&err, "RDMA read on QP 0x0001a2: completion with "
			     "IBV_WC_FATAL_ERR (19): the device failed");
	error_clear(&err);
	failure.vendor_err = 0x81;
	explain_failure(&failure, &run.context, &err);
	assert_message(&err, "RDMA read on QP 0x0001a2: completion with "
			     "IBV_WC_FATAL_ERR (19, vendor 0x81): the device "
			     "failed");
}

TEST(test_verbs_that_fail)
{
	static const struct {
		const char *verb;
		int errnum;
		const char *message;
		const char *advice;
	} rows[] = {
		{ "ibv_post_send", ENOMEM, "RDMA read on QP 0x0001a2: "
		  "ibv_post_send returned ENOMEM (Cannot allocate memory): "
		  "the send queue is full", "report it" },
		{ "ibv_wr_complete", ENOSPC,
		  "ibv_wr_complete returned ENOSPC", "report it" },
		{ "ibv_post_send", EINVAL, "no state to send", "report it" },
		{ "ibv_post_recv", ENOMEM, "receive queue is full",
		  "report it" },
		{ "ibv_post_srq_recv", ENOMEM, "shared receive queue is full",
		  "report it" },
		{ "ibv_poll_cq", EIO, "cannot be read any more", "kernel" },
		{ "ibv_post_send", EPERM, "ibv_post_send returned EPERM "
		  "(Operation not permitted)", "" },
		{ "ibv_post_send", 4711, "an unknown errno", "" },
	};

	new_run(OP_READ, TRANSPORT_RC);
	for (size_t i = 0; i < COUNT(rows); i++) {
		const struct flow_failure failure = {
			.verb = rows[i].verb,
			.errnum = rows[i].errnum,
		};
		struct error err = { 0 };

		assert_int_equal(explain_failure(&failure, &run.context, &err),
				 -rows[i].errnum);
		assert_contains(err.message, rows[i].message);
		assert_contains(err.advice, rows[i].advice);
		assert_null(strstr(err.message, "completion with"));
	}
}

TEST(test_words)
{
	char text[32];

	new_run(OP_SEND, TRANSPORT_RC);
	explain_words("a {peer} {operation} {nobody} {", &run.context, text,
		      sizeof(text));
	assert_string_equal(text, "a server send {nobody} {");
	explain_words("{gids}", &run.context, text, sizeof(text));
	assert_int_equal(strlen(text), sizeof(text) - 1);
	explain_words("12345678901234567890123456789012345{peer}",
		      &run.context, text, sizeof(text));
	assert_string_equal(text, "1234567890123456789012345678901");
}

/* A message of several packets that Soft-RoCE got twice: 3 KiB at MTU 1024. */
TEST(test_what_was_sent_again)
{
	static const struct {
		enum op op;
		bool infiniband;
		uint64_t acknowledged;
		const char *cause, *advice;
	} rows[] = {
		{ OP_WRITE, false, 0, "the first write: its queue pair does "
		  "not allow writes, its path MTU is not 1024, or it is "
		  "Soft-RoCE", "try --qp-timeout 18; compare" },
		{ OP_WRITE, false, 9, "refused a write of 3072 bytes after it "
		  "took 9 messages like it: Soft-RoCE does so when",
		  "try --qp-timeout 18, or fewer outstanding (-q, -t)" },
		{ OP_SEND, false, 0, "longer than the receive there, or the "
		  "server is Soft-RoCE", "try --qp-timeout 18" },
		{ OP_SEND, false, 9, "sent again, as after 67.1 ms without an "
		  "acknowledgement (--qp-timeout 14)", "lost packets" },
		{ OP_READ, false, 9, "refused the read", "try -o 1" },
		{ OP_WRITE, true, 9, "refused the write", "versions" },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct error err;

		new_run(rows[i].op, TRANSPORT_RC);
		run.context.size = 3072;
		run.context.ethernet = !rows[i].infiniband;
		run.context.acknowledged = rows[i].acknowledged;
		err = explain(IBV_WC_REM_INV_REQ_ERR, false);
		assert_contains(err.message, rows[i].cause);
		assert_contains(err.advice, rows[i].advice);
	}
	new_run(OP_WRITE, TRANSPORT_RC);
	run.context.size = 3072;
	run.plan.qp_timeout = 30;
	assert_contains(explain(IBV_WC_REM_INV_REQ_ERR, false).advice,
			"--qp-timeout 31");
}

/* A write of several packets over UC, of which one is lost. */
TEST(test_what_did_not_come)
{
	new_run(OP_WRITE_IMM, TRANSPORT_UC);
	assert_contains(explain_loss(&run.plan, 1025, "other"), "path MTU");
	assert_string_equal(explain_loss(&run.plan, 1024, "other"), "other");
	new_run(OP_SEND, TRANSPORT_UC);
	assert_string_equal(explain_loss(&run.plan, 1025, "other"), "other");
	new_run(OP_WRITE, TRANSPORT_RC);
	assert_string_equal(explain_loss(&run.plan, 1025, "other"), "other");
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_every_status),
	cmocka_unit_test(test_iwarp),
	cmocka_unit_test(test_memory_of_a_gpu),
	cmocka_unit_test(test_unknown_status),
	cmocka_unit_test(test_the_run_decides),
	cmocka_unit_test(test_what_was_sent_again),
	cmocka_unit_test(test_what_did_not_come),
	cmocka_unit_test(test_signs_of_a_path),
	cmocka_unit_test(test_failures_with_signs),
	cmocka_unit_test(test_writes_without_an_answer),
	cmocka_unit_test(test_the_most_retries),
	cmocka_unit_test(test_shared_receives),
	cmocka_unit_test(test_gids_that_do_not_fit),
	cmocka_unit_test(test_what_was_under_way),
	cmocka_unit_test(test_vendor_error),
	cmocka_unit_test(test_verbs_that_fail),
	cmocka_unit_test(test_words),
};

TEST_MAIN(tests, 10)
