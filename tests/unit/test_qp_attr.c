/* Masks and fields of the three steps of each transport, exactly (man
 * ibv_modify_qp), and what a queue pair says of itself. */
#include "config.h"
#include "test.h"

#include "same_effective.h"
#include "verbs/qp_attr.h"

static struct plan plan_of(enum transport transport)
{
	return (struct plan){
		.op = OP_READ,
		.outstanding_reads = 5,
		.qp_timeout = 17,
		.sl = 3,
		.transport = transport,
		.tclass = 97,
		.dscp = PLAN_AUTO,
		.hop_limit = 33,
		.retry_count = 4,
		.rnr_retry = 2,
		.min_rnr_timer = 19,
	};
}

/* The bytes of WANTED, compared: nothing but what is named is set. */
static void check_same(const struct ibv_qp_attr *got,
		       const struct ibv_qp_attr *wanted)
{
	assert_int_equal(got->qp_state, wanted->qp_state);
	assert_int_equal(got->path_mtu, wanted->path_mtu);
	assert_int_equal(got->rq_psn, wanted->rq_psn);
	assert_int_equal(got->sq_psn, wanted->sq_psn);
	assert_int_equal(got->dest_qp_num, wanted->dest_qp_num);
	assert_int_equal(got->qp_access_flags, wanted->qp_access_flags);
	assert_int_equal(got->qkey, wanted->qkey);
	assert_int_equal(got->pkey_index, wanted->pkey_index);
	assert_int_equal(got->port_num, wanted->port_num);
	assert_int_equal(got->max_rd_atomic, wanted->max_rd_atomic);
	assert_int_equal(got->max_dest_rd_atomic, wanted->max_dest_rd_atomic);
	assert_int_equal(got->min_rnr_timer, wanted->min_rnr_timer);
	assert_int_equal(got->timeout, wanted->timeout);
	assert_int_equal(got->retry_cnt, wanted->retry_cnt);
	assert_int_equal(got->rnr_retry, wanted->rnr_retry);
	assert_int_equal(got->ah_attr.dlid, wanted->ah_attr.dlid);
	assert_int_equal(got->ah_attr.sl, wanted->ah_attr.sl);
	assert_int_equal(got->ah_attr.port_num, wanted->ah_attr.port_num);
	assert_int_equal(got->ah_attr.is_global, wanted->ah_attr.is_global);
	assert_memory_equal(got->ah_attr.grh.dgid.raw,
			    wanted->ah_attr.grh.dgid.raw, 16);
	assert_int_equal(got->ah_attr.grh.sgid_index,
			 wanted->ah_attr.grh.sgid_index);
	assert_int_equal(got->ah_attr.grh.hop_limit,
			 wanted->ah_attr.grh.hop_limit);
	assert_int_equal(got->ah_attr.grh.traffic_class,
			 wanted->ah_attr.grh.traffic_class);
	assert_int_equal(got->ah_attr.grh.flow_label,
			 wanted->ah_attr.grh.flow_label);
}

#define CONNECTED_INIT \
	(IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS)
#define UC_RTR \
	(IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | \
	 IBV_QP_RQ_PSN)
#define RC_RTR \
	(UC_RTR | IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER)
#define UC_RTS (IBV_QP_STATE | IBV_QP_SQ_PSN)
#define TARGET_RTS (UC_RTS | IBV_QP_TIMEOUT)
#define RC_RTS \
	(UC_RTS | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | \
	 IBV_QP_MAX_QP_RD_ATOMIC)

TEST(test_init)
{
	static const int masks[TRANSPORTS] = {
		CONNECTED_INIT, CONNECTED_INIT,
		IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_QKEY,
		CONNECTED_INIT,
	};
	const struct ibv_qp_attr wanted = {
		.qp_state = IBV_QPS_INIT,
		.port_num = 2,
		.pkey_index = 700,
		.qp_access_flags = IBV_ACCESS_REMOTE_READ,
		.qkey = 0x7fffffff,
	};

	for (int t = 0; t < TRANSPORTS; t++) {
		const struct qp_local local = {
			(enum transport)t, false, IBV_ACCESS_REMOTE_READ,
			0x7fffffff,
		};
		struct ibv_qp_attr attr;

		memset(&attr, 0xff, sizeof(attr));
		assert_int_equal(qp_attr_init(&attr, 2, 700, &local),
				 masks[t]);
		check_same(&attr, &wanted);
	}
}

static struct ibv_qp_attr rtr_without_grh(void)
{
	return (struct ibv_qp_attr){
		.qp_state = IBV_QPS_RTR,
		.path_mtu = IBV_MTU_2048,
		.dest_qp_num = 0x123456,
		.rq_psn = 0xabcdef,
		.max_dest_rd_atomic = 5,
		.min_rnr_timer = 19,
		.ah_attr = { .dlid = 9, .sl = 3, .port_num = 2 },
	};
}

/* The same values of all transports, of which each has its mask. */
static void check_rtr(const struct path *path,
		      const struct ibv_qp_attr *wanted)
{
	static const int masks[TRANSPORTS] = { RC_RTR, UC_RTR, IBV_QP_STATE,
					       UC_RTR };
	const struct qp_remote remote = {
		.path = path,
		.flow_label = 0xfffff,
		.psn = 0x42,
		.peer = { .qpn = 0x123456, .psn = 0xabcdef },
	};

	for (int t = 0; t < TRANSPORTS; t++) {
		const struct plan plan = plan_of((enum transport)t);
		struct ibv_qp_attr attr;

		memset(&attr, 0xff, sizeof(attr));
		assert_int_equal(qp_attr_rtr(&attr, 2, &plan, &remote),
				 masks[t]);
		check_same(&attr, wanted);
	}
}

TEST(test_rtr_without_grh)
{
	const struct path path = { .dlid = 9, .mtu = IBV_MTU_2048 };
	const struct ibv_qp_attr wanted = rtr_without_grh();

	check_rtr(&path, &wanted);
}

TEST(test_rtr_with_grh)
{
	const struct path path = {
		.dlid = 9,
		.mtu = IBV_MTU_2048,
		.global = true,
		.local = { .index = 255 },
		.remote = { .index = 4, .raw = { .raw = { 0xfe, 0x80, 7 } } },
	};
	struct ibv_qp_attr wanted = rtr_without_grh();

	wanted.ah_attr.is_global = 1;
	wanted.ah_attr.grh.sgid_index = 255;
	wanted.ah_attr.grh.hop_limit = 33;
	wanted.ah_attr.grh.traffic_class = 97;
	wanted.ah_attr.grh.flow_label = 0xfffff;
	wanted.ah_attr.grh.dgid = path.remote.raw;
	check_rtr(&path, &wanted);
}

TEST(test_rts)
{
	static const int masks[TRANSPORTS] = { RC_RTS, UC_RTS, UC_RTS, RC_RTS };
	const struct ibv_qp_attr wanted = {
		.qp_state = IBV_QPS_RTS,
		.sq_psn = 0x42,
		.timeout = 17,
		.retry_cnt = 4,
		.rnr_retry = 2,
		.max_rd_atomic = 5,
	};
	const struct qp_remote remote = { .psn = 0x42, .client = true };

	for (int t = 0; t < TRANSPORTS; t++) {
		const struct plan plan = plan_of((enum transport)t);
		struct ibv_qp_attr attr;

		memset(&attr, 0xff, sizeof(attr));
		assert_int_equal(qp_attr_rts(&attr, &plan, &remote),
				 masks[t]);
		check_same(&attr, &wanted);
	}
}

/* What receives over XRC responds, and starts nothing. */
TEST(test_target)
{
	const struct qp_local local = { .transport = TRANSPORT_XRC,
					.target = true, .access = 3 };
	const struct path path = { .mtu = IBV_MTU_2048 };
	const struct qp_remote remote = { .path = &path, .psn = 0x42,
					  .target = true, .client = true };
	struct plan plan = plan_of(TRANSPORT_XRC);
	struct ibv_qp_attr attr;

	plan.paced_kbps = 70000;
	assert_int_equal(qp_attr_init(&attr, 1, 0, &local), CONNECTED_INIT);
	assert_int_equal(attr.qp_access_flags, 3);
	assert_int_equal(qp_attr_rtr(&attr, 1, &plan, &remote), RC_RTR);
	assert_int_equal(qp_attr_rts(&attr, &plan, &remote), TARGET_RTS);
	assert_int_equal(attr.sq_psn, 0x42);
}

/* An end starts as many reads as the other answers, and no other. */
TEST(test_reads_of_each_end)
{
	const struct path path = { .mtu = IBV_MTU_2048 };
	struct plan plan = plan_of(TRANSPORT_RC);
	struct qp_remote client = { .path = &path, .client = true };
	struct qp_remote server = { .path = &path };
	struct ibv_qp_attr attr;

	qp_attr_rtr(&attr, 1, &plan, &client);
	assert_int_equal(attr.max_dest_rd_atomic, 0);
	qp_attr_rts(&attr, &plan, &server);
	assert_int_equal(attr.max_rd_atomic, 0);
	plan.bidirectional = true;
	plan.server_reads = 3;
	qp_attr_rtr(&attr, 1, &plan, &client);
	assert_int_equal(attr.max_dest_rd_atomic, 3);
	qp_attr_rts(&attr, &plan, &server);
	assert_int_equal(attr.max_rd_atomic, 3);
	qp_attr_rtr(&attr, 1, &plan, &server);
	assert_int_equal(attr.max_dest_rd_atomic, 5);
	qp_attr_rts(&attr, &plan, &client);
	assert_int_equal(attr.max_rd_atomic, 5);
}

/* Packet pacing is for an end that sends; a static rate belongs to the path. */
TEST(test_rates_of_the_device)
{
	const struct path path = { .mtu = IBV_MTU_2048 };
	struct plan plan = plan_of(TRANSPORT_UC);
	const struct qp_remote client = { .path = &path, .client = true };
	const struct qp_remote server = { .path = &path };
	struct ibv_qp_attr attr;

	plan.op = OP_WRITE;
	plan.paced_kbps = 70000;
	assert_int_equal(qp_attr_rts(&attr, &plan, &client),
			 UC_RTS | IBV_QP_RATE_LIMIT);
	assert_int_equal(attr.rate_limit, 70000);
	assert_int_equal(qp_attr_rts(&attr, &plan, &server), UC_RTS);
	assert_int_equal(attr.rate_limit, 0);
	plan.static_rate = IBV_RATE_25_GBPS;
	qp_attr_rtr(&attr, 1, &plan, &client);
	assert_int_equal(attr.ah_attr.static_rate, IBV_RATE_25_GBPS);
}

/* A handle has the way of a connected queue pair, by code, too. */
TEST(test_address)
{
	const struct path path = { .global = true, .local = { .index = 1 } };
	struct plan plan = plan_of(TRANSPORT_UD);
	struct ibv_ah_attr av;

	plan.tclass = 0;
	plan.dscp = 63;
	av = qp_attr_address(1, &plan, &path, 77);
	assert_int_equal(av.grh.traffic_class, 252);
	assert_int_equal(av.grh.flow_label, 77);
	assert_int_equal(av.grh.sgid_index, 1);
	assert_int_equal(av.sl, 3);
	assert_int_equal(av.is_global, 1);
}

#define NONE EFFECTIVE_NONE

/* Each value of an attribute its own. */
static const struct ibv_qp_attr said = {
	.ah_attr = { .sl = 1, .grh = { .traffic_class = 2, .flow_label = 3,
				       .hop_limit = 4 } },
	.pkey_index = 5, .path_mtu = IBV_MTU_512, .timeout = 6,
	.retry_cnt = 7, .rnr_retry = 1, .min_rnr_timer = 8,
	.max_rd_atomic = 9, .max_dest_rd_atomic = 10,
	.cap = { 11, 12, 13, 14, 15 },
};

TEST(test_effective)
{
	static const struct {
		enum transport transport;
		bool global;
		struct effective wanted;
	} cases[] = {
		{ TRANSPORT_RC, true,
		  { true, 1, 2, 3, 4, 5, 512, 6, 7, 1, 8, 9, 10, 11, 12, 13,
		    14, 15 } },
		{ TRANSPORT_RC, false,
		  { true, 1, NONE, NONE, NONE, 5, 512, 6, 7, 1, 8, 9, 10, 11,
		    12, 13, 14, 15 } },
		{ TRANSPORT_UC, true,
		  { true, 1, 2, 3, 4, 5, 512, NONE, NONE, NONE, NONE, NONE,
		    NONE, 11, 12, 13, 14, 15 } },
		{ TRANSPORT_UD, true,
		  { true, NONE, NONE, NONE, NONE, 5, NONE, NONE, NONE, NONE,
		    NONE, NONE, NONE, 11, 12, 13, 14, 15 } },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct effective got = qp_attr_effective(
			&said, cases[i].transport, cases[i].global);

		check_effective(&got, &cases[i].wanted);
	}
}

/* No more than the transport has: some devices refuse to be asked for more. */
TEST(test_query)
{
	assert_int_equal(qp_attr_query(TRANSPORT_RC, false),
			 CONNECTED_INIT | RC_RTR | RC_RTS | IBV_QP_CAP);
	assert_int_equal(qp_attr_query(TRANSPORT_UC, false),
			 CONNECTED_INIT | UC_RTR | UC_RTS | IBV_QP_CAP);
	assert_int_equal(qp_attr_query(TRANSPORT_UD, false),
			 IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT |
			 IBV_QP_QKEY | IBV_QP_SQ_PSN | IBV_QP_CAP);
	assert_int_equal(qp_attr_query(TRANSPORT_XRC, false),
			 CONNECTED_INIT | UC_RTR | RC_RTS | IBV_QP_CAP);
	assert_int_equal(qp_attr_query(TRANSPORT_XRC, true),
			 CONNECTED_INIT | RC_RTR | TARGET_RTS | IBV_QP_CAP);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_init),
	cmocka_unit_test(test_rtr_without_grh),
	cmocka_unit_test(test_rtr_with_grh),
	cmocka_unit_test(test_rts),
	cmocka_unit_test(test_target),
	cmocka_unit_test(test_reads_of_each_end),
	cmocka_unit_test(test_rates_of_the_device),
	cmocka_unit_test(test_address),
	cmocka_unit_test(test_effective),
	cmocka_unit_test(test_query),
};

TEST_MAIN(tests, 10)
