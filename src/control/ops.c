#include "config.h"
#include "control/ops.h"

const struct control_op *control_op_of(enum control_test test, bool rdma_cm)
{
	static const struct control_op *const table[CONTROL_TESTS] = {
		[CONTROL_REG_MR] = &control_reg_mr,
		[CONTROL_CREATE_QP] = &control_create_qp,
		[CONTROL_CREATE_CQ] = &control_create_cq,
		[CONTROL_CREATE_AH] = &control_create_ah,
		[CONTROL_QP_SETUP] = &control_qp_setup,
		[CONTROL_POST_POLL] = &control_post_poll,
		[CONTROL_MW_BIND] = &control_mw_bind,
		[CONTROL_CONNECT] = &control_connect,
	};

	if (HAVE_RDMACM && rdma_cm && test == CONTROL_CONNECT)
		return &control_connect_cm;
	return table[test];
}
