/* A plan that nothing is wrong with, to be spoiled. */
#ifndef TESTS_UNIT_GOOD_PLAN_H
#define TESTS_UNIT_GOOD_PLAN_H

#include "model/plan.h"

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
	};
}

#endif
