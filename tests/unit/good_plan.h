/* A plan, and a port for it, that nothing is wrong with, to be spoiled. */
#pragma once

#include "model/param.h"
#include "model/port.h"

/* PLAN does OP, with a size that it has. */
static inline void set_op(struct plan *plan, enum op op)
{
	plan->op = op;
	plan->imm = op_has_imm(op);
	plan->atomic = op_table[op].atomic;
	if (op_is_atomic(op))
		plan->sizes = (struct sizes){ 1, { ATOMIC_SIZE } };
}

static inline struct plan good_plan(void)
{
	struct parameters params;

	param_defaults(&params);
	params.plan.op = OP_WRITE;
	params.plan.metric = METRIC_BANDWIDTH;
	params.plan.sizes = (struct sizes){ 1, { 65536 } };
	params.plan.duration = 1000000000;
	params.plan.warmup = 0;
	params.plan.timeout = 0;
	params.plan.tx_depth = 128;
	return params.plan;
}

static inline struct port good_port(void)
{
	return (struct port){
		.device = "rxe0",
		.number = 1,
		.state = IBV_PORT_ACTIVE,
		.link_layer = IBV_LINK_LAYER_ETHERNET,
		.n_gids = 1,
		.gids = { { .type = GID_TYPE_ROCE_V2 } },
		.active_mtu = IBV_MTU_1024,
		.pkey = 0xffff,
		.limits = {
			.max_msg_sz = 1U << 31,
			.max_qp = 100,
			.max_qp_wr = 1000,
			.max_cqe = 10000,
			.max_qp_rd_atom = 16,
			.max_qp_init_rd_atom = 8,
			.max_srq = 8,
			.max_srq_wr = 2000,
		},
	};
}
