/* Masks and fields of the three steps, exactly (man ibv_modify_qp). */
#include "config.h"
#include "test.h"

#include "verbs/qp_attr.h"

static const struct plan plan = {
	.op = OP_READ,
	.outstanding_reads = 5,
	.qp_timeout = 17,
	.sl = 3,
};

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
	assert_int_equal(got->ah_attr.grh.traffic_class, 0);
	assert_int_equal(got->ah_attr.grh.flow_label, 0);
}

TEST(test_init)
{
	const int access = IBV_ACCESS_REMOTE_READ | IBV_ACCESS_LOCAL_WRITE;
	const struct ibv_qp_attr wanted = {
		.qp_state = IBV_QPS_INIT,
		.port_num = 2,
		.qp_access_flags = (unsigned int)access,
	};
	struct ibv_qp_attr attr;

	memset(&attr, 0xff, sizeof(attr));
	assert_int_equal(qp_attr_init(&attr, 2, access),
			 IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT |
			 IBV_QP_ACCESS_FLAGS);
	check_same(&attr, &wanted);
}

#define RTR_MASK \
	(IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | \
	 IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER)

static struct ibv_qp_attr rtr_without_grh(void)
{
	return (struct ibv_qp_attr){
		.qp_state = IBV_QPS_RTR,
		.path_mtu = IBV_MTU_2048,
		.dest_qp_num = 0x123456,
		.rq_psn = 0xabcdef,
		.max_dest_rd_atomic = 5,
		.min_rnr_timer = 12,
		.ah_attr = { .dlid = 9, .sl = 3, .port_num = 2 },
	};
}

TEST(test_rtr_without_grh)
{
	const struct path path = { .dlid = 9, .mtu = IBV_MTU_2048 };
	const struct ibv_qp_attr wanted = rtr_without_grh();
	struct ibv_qp_attr attr;

	memset(&attr, 0xff, sizeof(attr));
	assert_int_equal(qp_attr_rtr(&attr, 2, &plan, &path, 0x123456,
				     0xabcdef), RTR_MASK);
	check_same(&attr, &wanted);
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
	struct ibv_qp_attr attr, wanted = rtr_without_grh();

	wanted.ah_attr.is_global = 1;
	wanted.ah_attr.grh.sgid_index = 255;
	wanted.ah_attr.grh.hop_limit = 64;
	wanted.ah_attr.grh.dgid = path.remote.raw;
	memset(&attr, 0xff, sizeof(attr));
	assert_int_equal(qp_attr_rtr(&attr, 2, &plan, &path, 0x123456,
				     0xabcdef), RTR_MASK);
	check_same(&attr, &wanted);
}

TEST(test_rts)
{
	const struct ibv_qp_attr wanted = {
		.qp_state = IBV_QPS_RTS,
		.sq_psn = 0x42,
		.timeout = 17,
		.retry_cnt = 6,
		.rnr_retry = 7,
		.max_rd_atomic = 5,
	};
	struct ibv_qp_attr attr;

	memset(&attr, 0xff, sizeof(attr));
	assert_int_equal(qp_attr_rts(&attr, &plan, 0x42),
			 IBV_QP_STATE | IBV_QP_SQ_PSN | IBV_QP_TIMEOUT |
			 IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
			 IBV_QP_MAX_QP_RD_ATOMIC);
	check_same(&attr, &wanted);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_init),
	cmocka_unit_test(test_rtr_without_grh),
	cmocka_unit_test(test_rtr_with_grh),
	cmocka_unit_test(test_rts),
};

TEST_MAIN(tests, 10)
