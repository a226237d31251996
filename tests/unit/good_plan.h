/* A plan, and a port for it, that nothing is wrong with, to be spoiled. */
#pragma once

#include "model/plan.h"
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
	return (struct plan){
		.op = OP_WRITE,
		.metric = METRIC_BANDWIDTH,
		.sizes = { 1, { 65536 } },
		.duration = 1000000000,
		.walk = 4096,
		.qps = 1,
		.threads = 1,
		.post_list = 1,
		.sge = 1,
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
