/* A plan that nothing is wrong with, to be spoiled. */
#ifndef TESTS_UNIT_GOOD_PLAN_H
#define TESTS_UNIT_GOOD_PLAN_H

#include "model/plan.h"

/* PLAN does OP, with a size that it has. */
static inline void set_op(struct plan *plan, enum op op)
{
	plan->op = op;
	plan->imm = op_has_imm(op);
	plan->atomic = op == OP_CMP_SWAP ? ATOMIC_CMP_AND_SWAP :
					   ATOMIC_FETCH_AND_ADD;
	if (op_is_atomic(op))
		plan->sizes = (struct sizes){ 1, { ATOMIC_SIZE } };
}

static inline struct plan good_plan(void)
{
	return (struct plan){
		.op = OP_WRITE,
		.metric = METRIC_BANDWIDTH,
		.sizes = { 1, { 65536 } },
		.duration = 1000000000,
		.walk = 4096,
		.qps = 1,
		.threads = 1,
		.post_list = 1,
		.tx_depth = 128,
		.rx_depth = PLAN_AUTO,
		.cq_mod = PLAN_AUTO,
		.mtu = PLAN_AUTO,
		.outstanding_reads = PLAN_AUTO,
		.inline_size = PLAN_AUTO,
		.recv_post_list = 1,
		.dscp = PLAN_AUTO,
		.hop_limit = 64,
	};
}

#endif
