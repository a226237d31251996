/* Which of several failures is kept; events; the verbs of set-up. */
#include "config.h"
#include "test.h"

#include <errno.h>

#include "traffic/verify.h"
#include "verbs/advice.h"
#include "verbs/explain.h"

/* The first failure is the cause: what follows changes nothing. */
TEST(test_first_failure)
{
	const struct flow_failure flushed = {
		.verb = "ibv_poll_cq",
		.status = IBV_WC_WR_FLUSH_ERR,
	};
	const struct plan plan = { .op = OP_SEND };
	const struct explain_context context = { .plan = &plan,
						 .peer = "server" };
	struct ibv_wc wc = { .status = IBV_WC_WR_FLUSH_ERR };
	struct flow flow = { 0 };
	struct error err = { 0 };

	fail_code(&err, -EIO, "IBV_WC_RETRY_EXC_ERR", NULL, "first");
	explain_failure(&flushed, &context, &err);
	assert_message(&err, "first");
	assert_int_equal(flow_verb_failed(&flow, "ibv_post_send", 3, EPERM),
			 -EPERM);
	assert_int_equal(flow_completion_failed(&flow, &wc, false), -EIO);
	assert_string_equal(flow.failure.verb, "ibv_post_send");
	assert_int_equal(flow.failure.qp_index, 3);
	/* negative and zero are failures, too */
	assert_int_equal(flow_verb_failed(&flow, "x", 0, -EPERM), -EPERM);
	assert_int_equal(flow_verb_failed(&flow, "x", 0, 0), -EIO);
}

/* perftest says its GID, but not which of its port's it is. */
TEST(test_gid_without_an_index)
{
	const struct flow_failure failure = {
		.verb = "ibv_poll_cq",
		.status = IBV_WC_RETRY_EXC_ERR,
	};
	const struct plan plan = { .op = OP_SEND };
	struct path path = { .global = true };
	const struct explain_context context = {
		.plan = &plan, .path = &path, .peer = "server",
		.ethernet = true,
	};
	struct error err = { 0 };

	path.remote.index = 7;
	explain_failure(&failure, &context, &err);
	assert_contains(err.message, " to GID 7 ::");
	error_clear(&err);
	path.remote.index = PLAN_AUTO;
	explain_failure(&failure, &context, &err);
	assert_contains(err.message, " to GID ::");
}

/* What was flushed for an error may come first; of errors the first counts. */
TEST(test_first_completion_that_is_no_flush)
{
	struct ibv_wc wc = { .status = IBV_WC_WR_FLUSH_ERR, .wr_id = 9 };
	struct flow flow = { 0 };

	assert_int_equal(flow_completion_failed(&flow, &wc, false), -EIO);
	assert_int_equal(flow.failure.status, IBV_WC_WR_FLUSH_ERR);
	wc = (struct ibv_wc){ .status = IBV_WC_REM_OP_ERR,
			      .wr_id = 2ULL << FLOW_COUNT_BITS | 8 };
	flow_completion_failed(&flow, &wc, false);
	wc.status = IBV_WC_LOC_PROT_ERR;
	flow_completion_failed(&flow, &wc, true);
	wc.status = IBV_WC_WR_FLUSH_ERR;
	flow_completion_failed(&flow, &wc, true);
	assert_int_equal(flow.failure.status, IBV_WC_REM_OP_ERR);
	assert_int_equal(flow.failure.qp_index, 2);
	assert_int_equal(flow.failure.number, 8);
	assert_false(flow.failure.receive);
}

/* With credits an ID counts requests, of which some are no messages. */
TEST(test_a_request_is_no_message)
{
	const struct ibv_wc wc = { .status = IBV_WC_RETRY_EXC_ERR,
				   .wr_id = 8 };
	struct flow flow = { .credits = true };

	flow_completion_failed(&flow, &wc, false);
	assert_int_equal(flow.failure.number, 0);
	flow.credits = false;
	flow.failure = (struct flow_failure){ 0 };
	flow_completion_failed(&flow, &wc, false);
	assert_int_equal(flow.failure.number, 8);
}

/* A shared receive has no QP in its ID: the completion names it. */
TEST(test_qp_of_a_shared_receive)
{
	struct ibv_qp verbs_qps[3] = { { .qp_num = 11 }, { .qp_num = 12 },
				       { .qp_num = 13 } };
	struct flow_qp qps[3] = { { .qp = &verbs_qps[0] },
				  { .qp = &verbs_qps[1] },
				  { .qp = &verbs_qps[2] } };
	struct ibv_srq srq;
	struct flow_receives receives = { .srq = &srq };
	const struct ibv_wc wc = { .status = IBV_WC_LOC_LEN_ERR,
				   .qp_num = 12 };
	struct flow flow = { .qps = qps, .n_qps = 3, .receives = &receives,
			     .n_receives = 1 };

	flow_completion_failed(&flow, &wc, true);
	assert_int_equal(flow.failure.qp_index, 1);
	assert_true(flow.failure.receive);
	flow.failure = (struct flow_failure){ 0 };
	flow_completion_failed(&flow, &wc, false);
	assert_int_equal(flow.failure.qp_index, 0);
	/* over XRC that is the QP that receives */
	qps[2].target = &verbs_qps[1];
	qps[1].target = &verbs_qps[2];
	flow.failure = (struct flow_failure){ 0 };
	flow_completion_failed(&flow, &wc, true);
	assert_int_equal(flow.failure.qp_index, 2);
	assert_int_equal(flow_qpn(&qps[2], true), 12);
	assert_int_equal(flow_qpn(&qps[2], false), 13);
}

TEST(test_events)
{
	static const enum ibv_event_type fatal[] = {
		IBV_EVENT_CQ_ERR,	IBV_EVENT_QP_FATAL,
		IBV_EVENT_QP_REQ_ERR,	IBV_EVENT_QP_ACCESS_ERR,
		IBV_EVENT_DEVICE_FATAL, IBV_EVENT_PORT_ERR,
	};
	static const enum ibv_event_type harmless[] = {
		IBV_EVENT_COMM_EST,   IBV_EVENT_SQ_DRAINED,
		IBV_EVENT_PORT_ACTIVE, IBV_EVENT_GID_CHANGE,
		IBV_EVENT_SM_CHANGE,  IBV_EVENT_PKEY_CHANGE,
		IBV_EVENT_SRQ_LIMIT_REACHED,
	};

	for (size_t i = 0; i < COUNT(fatal); i++)
		assert_true(explain_event_of(fatal[i])->fatal);
	for (size_t i = 0; i < COUNT(harmless); i++)
		assert_false(explain_event_of(harmless[i])->fatal);
	for (int e = IBV_EVENT_CQ_ERR; e <= IBV_EVENT_WQ_FATAL; e++) {
		enum ibv_event_type type = (enum ibv_event_type)e;
		struct error err = { 0 };
		const char *name = explain_event_of(type)->name;

		assert_int_equal(strncmp(name, "IBV_EVENT_", 10), 0);
		assert_string_not_equal(name, "IBV_EVENT_?");
		assert_int_equal(explain_event(type, "rxe0", &err), -EIO);
		assert_string_equal(err.code, name);
		assert_contains(err.message,
				"rxe0: asynchronous event IBV_EVENT_");
		assert_int_equal(err.advice[0] != '\0',
				 explain_event_of(type)->fatal);
	}
}

TEST(test_unknown_events)
{
	struct error err = { 0 };

	assert_string_equal(explain_event_of(IBV_EVENT_WQ_FATAL + 1)->name,
			    "IBV_EVENT_?");
	assert_string_equal(explain_event_of((enum ibv_event_type)500)->name,
			    "IBV_EVENT_?");
	assert_false(explain_event_of((enum ibv_event_type)500)->fatal);
	explain_event((enum ibv_event_type)500, "x", &err);
	assert_message(&err, "x: asynchronous event IBV_EVENT_?: an unknown "
			     "event");
}

TEST(test_advice_for_set_up)
{
	static const struct {
		const char *verb;
		int errnum;
		bool ethernet;
		const char *advice;
	} rows[] = {
		{ "ibv_modify_qp", EINVAL, true, "GID index" },
		{ "ibv_modify_qp", EINVAL, false, "P_Key" },
		{ "ibv_modify_qp", ENODEV, true, "network namespace" },
		{ "ibv_modify_qp", ENETUNREACH, true, "no route" },
		{ "ibv_modify_qp", EHOSTUNREACH, true, "ping it" },
		{ "ibv_modify_qp", ETIMEDOUT, true, "neighbour" },
		{ "ibv_modify_qp", ETIMEDOUT, false, "subnet manager" },
		{ "ibv_create_qp", EINVAL, true, "if -I was" },
		{ "ibv_create_qp", ENOMEM, false, "ulimit -l" },
		{ "ibv_reg_mr", ENOMEM, true, "ulimit -l" },
		{ "ibv_reg_mr", EPERM, true, "CAP_IPC_LOCK" },
		{ "ibv_reg_mr", EACCES, true, "/dev/infiniband" },
		{ "ibv_create_qp", EAGAIN, true, "rdma.max" },
		{ "ibv_alloc_pd", EAGAIN, false, "rdma.max" },
	};

	char text[VERB_ADVICE_SIZE];
	struct port port = { 0 };

	for (size_t i = 0; i < COUNT(rows); i++) {
		port.link_layer = rows[i].ethernet ? IBV_LINK_LAYER_ETHERNET :
						     IBV_LINK_LAYER_INFINIBAND;
		assert_contains(verb_advice(&port, rows[i].verb,
					    rows[i].errnum, text),
				rows[i].advice);
	}
	assert_null(verb_advice(&port, "ibv_modify_qp", EPERM, text));
}

/* Whatever verb is out of memory, the advice is about the limit that this
 * process has. */
TEST(test_advice_for_memory)
{
	static const char *const verbs[] = {
		"ibv_create_cq", "ibv_create_qp", "ibv_reg_mr", "ibv_alloc_pd",
	};
	char text[VERB_ADVICE_SIZE];
	struct port port = { 0 };

	for (size_t i = 0; i < COUNT(verbs); i++) {
		facts_set_count(&port.facts, FACT_MEMLOCK_BYTES, 65536);
		verb_advice(&port, verbs[i], ENOMEM, text);
		assert_contains(text, "65536 bytes");
		assert_contains(text, "ulimit -l");
		assert_contains(text, "-q");
		facts_set_count(&port.facts, FACT_MEMLOCK_BYTES,
				FACT_UNLIMITED);
		verb_advice(&port, verbs[i], ENOMEM, text);
		assert_contains(text, "memory.max");
		assert_null(strstr(text, "ulimit"));
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_first_failure),
	cmocka_unit_test(test_gid_without_an_index),
	cmocka_unit_test(test_first_completion_that_is_no_flush),
	cmocka_unit_test(test_a_request_is_no_message),
	cmocka_unit_test(test_qp_of_a_shared_receive),
	cmocka_unit_test(test_events),
	cmocka_unit_test(test_unknown_events),
	cmocka_unit_test(test_advice_for_set_up),
	cmocka_unit_test(test_advice_for_memory),
};

TEST_MAIN(tests, 10)
