/* The table of what cannot be measured with a perftest at the other end. */
#include "config.h"
#include "perftest/limits.h"

#include "model/inject.h"
#include "model/rule.h"

#define COUNT 1000
#define COUNT_OF_WRITES 5000

void limits_complete(struct parameters *params)
{
	struct plan *plan = &params->plan;
	const struct op_info *op = &op_table[plan->op];
	const bool writes = plan->metric == METRIC_BANDWIDTH && op->access &&
			    !op->fetches;

	if (plan->iterations || params->timed)
		return;
	plan->iterations = writes ? COUNT_OF_WRITES : COUNT;
	plan->duration = 0;
}

int limits_check(const struct parameters *params, struct error *err)
{
	const struct plan *plan = &params->plan;
	const bool pingpong = plan_is_pingpong(plan);
	const struct rule rules[] = {
		{ params->key_file != NULL,
		  "--key-file: perftest cannot prove that it has a key" },
		{ plan->check,
		  "--check: perftest says nothing of its host and its device" },
		{ plan->verify,
		  "--verify: perftest 6.06 does not check what arrives" },
		{ plan_is_open(plan),
		  "--rate: perftest has no latency at a given rate" },
		{ plan->sizes.n > 1 && !plan->all,
		  "--size: perftest has one size, or those of --all" },
		{ plan->rdma_cm,
		  "--rdma-cm: not possible with perftest, which then has no "
		  "TCP connection" },
		{ plan_has_targets(plan),
		  "--transport {transport}: only RC, UC and UD are possible "
		  "with perftest" },
		{ plan->mcast.wanted,
		  "--mcast: not possible with perftest" },
		{ plan->reversed,
		  "--reversed: not possible with perftest\nstart perftest as "
		  "the client" },
		{ plan->batch.n, "--batch: not possible with perftest" },
		{ plan->hold, "--hold: perftest does not wait" },
		{ plan->inject,
		  "--inject: only verbsperf can be told to fail" },
		{ plan->solicited,
		  "--solicited: perftest's messages ask for no event" },
		{ plan->imm && !op_table[plan->op].access,
		  "--imm: perftest 6.06 has no sends with immediate data" },
		{ plan->iterations == 1 && pingpong,
		  "--iterations 1: a ping-pong with perftest needs 2 messages "
		  "at least" },
	};

	return rule_check(rules, plan, err);
}
