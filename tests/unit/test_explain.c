/* Every status and event has a name and a cause. */
#include "config.h"
#include "test.h"

#include <errno.h>

#include "verbs/explain.h"

TEST(test_every_status)
{
	for (int s = IBV_WC_LOC_LEN_ERR; s <= IBV_WC_GENERAL_ERR; s++) {
		struct flow_failure failure = {
			.verb = "ibv_poll_cq",
			.status = (enum ibv_wc_status)s,
			.vendor_err = 0x81,
		};
		struct error err = { 0 };
		const char *name = explain_status_name(failure.status);
		const char *cause;

		assert_int_equal(strncmp(name, "IBV_WC_", 7), 0);
		assert_string_not_equal(name, "IBV_WC_?");
		assert_int_equal(explain_failure(&failure, OP_WRITE, 0x1a2,
						 &err), -EIO);
		assert_string_equal(err.code, name);
		assert_contains(err.message, "RDMA write on QP 0x0001a2 "
					     "completed with IBV_WC_");
		assert_contains(err.message, "vendor 0x81): ");
		cause = strstr(err.message, "): ") + 3;
		assert_true(strlen(cause) > 5);
		assert_string_not_equal(cause,
					"a status this program does not know");
	}
}

TEST(test_unknown_status)
{
	static const int unknown[] = { IBV_WC_TM_ERR, 77, 1000, -1 };

	for (size_t i = 0; i < COUNT(unknown); i++) {
		struct flow_failure failure = {
			.verb = "ibv_poll_cq",
			.status = (enum ibv_wc_status)unknown[i],
		};
		struct error err = { 0 };

		assert_string_equal(explain_status_name(failure.status),
				    "IBV_WC_?");
		assert_int_equal(explain_failure(&failure, OP_SEND, 1, &err),
				 -EIO);
		assert_true(error_is_set(&err));
	}
}

TEST(test_a_status_in_full)
{
	const struct flow_failure failure = {
		.verb = "ibv_poll_cq",
		.status = IBV_WC_RNR_RETRY_EXC_ERR,
	};
	struct error err = { 0 };

	assert_int_equal(explain_failure(&failure, OP_SEND, 0x11, &err),
			 -EIO);
	assert_message(&err, "RDMA send on QP 0x000011 completed with "
			     "IBV_WC_RNR_RETRY_EXC_ERR (13, vendor 0x0): the "
			     "peer had no receive posted in time");
	assert_string_equal(err.advice, "try a larger -r");
	assert_string_equal(err.code, "IBV_WC_RNR_RETRY_EXC_ERR");
}

TEST(test_verbs_that_fail)
{
	struct flow_failure failure = { .verb = "ibv_post_send",
					.errnum = ENOMEM };
	struct error err = { 0 };

	assert_int_equal(explain_failure(&failure, OP_READ, 0x22, &err),
			 -ENOMEM);
	assert_message(&err, "RDMA read on QP 0x000022: ibv_post_send failed: "
			     "Cannot allocate memory");
	assert_string_equal(err.code, "ENOMEM");
	assert_contains(err.advice, "queue is full");
	error_clear(&err);
	failure.errnum = EINVAL;
	assert_int_equal(explain_failure(&failure, OP_READ, 0x22, &err),
			 -EINVAL);
	assert_string_equal(err.advice, "");
}

/* The first failure is the cause: what follows changes nothing. */
TEST(test_first_failure)
{
	const struct flow_failure flushed = {
		.verb = "ibv_poll_cq",
		.status = IBV_WC_WR_FLUSH_ERR,
	};
	struct ibv_wc wc = { .status = IBV_WC_WR_FLUSH_ERR };
	struct flow flow = { 0 };
	struct error err = { 0 };

	fail_code(&err, -EIO, "IBV_WC_RETRY_EXC_ERR", NULL, "first");
	explain_failure(&flushed, OP_SEND, 1, &err);
	assert_message(&err, "first");
	assert_int_equal(flow_verb_failed(&flow, "ibv_post_send", 3, EPERM),
			 -EPERM);
	assert_int_equal(flow_completion_failed(&flow, &wc), -EIO);
	assert_string_equal(flow.failure.verb, "ibv_post_send");
	assert_int_equal(flow.failure.qp_index, 3);
	/* negative and zero are failures, too */
	assert_int_equal(flow_verb_failed(&flow, "x", 0, -EPERM), -EPERM);
	assert_int_equal(flow_verb_failed(&flow, "x", 0, 0), -EIO);
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
	};

	for (size_t i = 0; i < COUNT(fatal); i++)
		assert_true(explain_event_is_fatal(fatal[i]));
	for (size_t i = 0; i < COUNT(harmless); i++)
		assert_false(explain_event_is_fatal(harmless[i]));
	for (int e = IBV_EVENT_CQ_ERR; e <= IBV_EVENT_WQ_FATAL; e++) {
		struct error err = { 0 };
		const char *name = explain_event_name((enum ibv_event_type)e);

		assert_int_equal(strncmp(name, "IBV_EVENT_", 10), 0);
		assert_string_not_equal(name, "IBV_EVENT_?");
		assert_int_equal(explain_event((enum ibv_event_type)e, "rxe0",
					       &err), -EIO);
		assert_string_equal(err.code, name);
		assert_contains(err.message, "rxe0 reported IBV_EVENT_");
	}
}

TEST(test_unknown_events)
{
	struct error err = { 0 };

	assert_string_equal(explain_event_name((enum ibv_event_type)500),
			    "IBV_EVENT_?");
	assert_false(explain_event_is_fatal((enum ibv_event_type)500));
	explain_event((enum ibv_event_type)500, "x", &err);
	assert_message(&err, "x reported IBV_EVENT_?: an event nobody knows");
}

TEST(test_rtr_advice)
{
	assert_contains(explain_rtr_advice(EINVAL), "GID index");
	assert_contains(explain_rtr_advice(ENETUNREACH), "no route");
	assert_contains(explain_rtr_advice(ETIMEDOUT), "neighbour");
	assert_null(explain_rtr_advice(EPERM));
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_every_status),
	cmocka_unit_test(test_unknown_status),
	cmocka_unit_test(test_a_status_in_full),
	cmocka_unit_test(test_verbs_that_fail),
	cmocka_unit_test(test_first_failure),
	cmocka_unit_test(test_events),
	cmocka_unit_test(test_unknown_events),
	cmocka_unit_test(test_rtr_advice),
};

TEST_MAIN(tests, 10)
