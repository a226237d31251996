#include "config.h"
#include "model/plan.h"

#include "base/time.h"

#define CACHE_LINE 64
/* Where devices stop, or before; they halve it if need be. */
#define LATENCY_INLINE 256
/* For plan_work_limit(), in ns. */
#define WORK_LEAST (60 * SECOND)
#define WORK_PER_QP (SECOND / 10)

static uint64_t larger(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

uint64_t plan_largest(const struct plan *plan)
{
	uint64_t largest = 0;

	for (uint32_t i = 0; i < plan->sizes.n; i++)
		largest = larger(largest, plan->sizes.bytes[i]);
	return largest;
}

bool plan_is_pingpong(const struct plan *plan)
{
	return plan->metric == METRIC_LATENCY && op_table[plan->op].pingpong;
}

bool plan_sends(const struct plan *plan, bool client)
{
	return plan->bidirectional || plan_is_pingpong(plan) ||
	       client != plan->reversed;
}

bool plan_is_fenced(const struct plan *plan)
{
	return plan->verify &&
	       (plan->op == OP_WRITE || plan->op == OP_WRITE_IMM);
}

bool plan_proves_address(const struct plan *plan, bool client)
{
	return plan_is_unreliable(plan) &&
	       (plan_sends(plan, !client) || plan_is_fenced(plan));
}

bool plan_posts_receives(const struct plan *plan, bool client)
{
	if (plan_is_fenced(plan))
		return true;
	return op_table[plan->op].receives && plan_sends(plan, !client);
}

bool plan_is_unreliable(const struct plan *plan)
{
	return plan->transport != TRANSPORT_RC;
}

bool plan_counts_received(const struct plan *plan)
{
	return op_table[plan->op].receives || plan_is_fenced(plan);
}

bool plan_by_receiver(const struct plan *plan)
{
	return plan->metric == METRIC_BANDWIDTH && plan_is_unreliable(plan) &&
	       plan_counts_received(plan);
}

bool plan_warms_up_apart(const struct plan *plan)
{
	return plan_by_receiver(plan) && plan->iterations && plan->warmup;
}

bool plan_measures(const struct plan *plan, bool client)
{
	if (plan->metric == METRIC_LATENCY)
		return client;
	return plan_sends(plan, plan_by_receiver(plan) ? !client : client);
}

static uint64_t round_up(uint64_t n, uint64_t to)
{
	return (n + to - 1) / to * to;
}

uint64_t plan_receive_size(const struct plan *plan)
{
	uint64_t header = plan->transport == TRANSPORT_UD ? GRH_SIZE : 0;

	return round_up(larger(plan_largest(plan) + header, 1), CACHE_LINE);
}

/* What messages of all sizes need of which each has a place of its own. */
static uint64_t places(const struct plan *plan)
{
	uint64_t bytes = 0;

	for (uint32_t i = 0; i < plan->sizes.n; i++) {
		uint64_t size = plan->sizes.bytes[i];

		bytes = larger(bytes, plan_depth(plan, size) *
				      round_up(larger(size, 1), CACHE_LINE));
	}
	if (plan->rx_depth != PLAN_AUTO && !op_table[plan->op].access)
		bytes = larger(bytes,
			       plan->rx_depth * plan_receive_size(plan));
	return bytes;
}

uint64_t plan_slot_step(const struct plan *plan)
{
	return round_up(larger(plan_largest(plan), 1), CACHE_LINE);
}

uint64_t plan_stride(const struct plan *plan)
{
	uint64_t bytes = larger(plan_receive_size(plan), plan->walk);

	bytes = larger(bytes, plan_slot_step(plan) * plan_slots(plan));
	if (plan->verify)
		bytes = larger(bytes, places(plan));
	return round_up(bytes, CACHE_LINE);
}

uint32_t plan_regions(const struct plan *plan)
{
	return plan_sends(plan, true) && plan_sends(plan, false) ? 2 : 1;
}

uint64_t plan_memory(const struct plan *plan)
{
	return plan_stride(plan) * plan->qps * plan_regions(plan);
}

uint64_t plan_work_limit(const struct plan *plan)
{
	const uint64_t bytes_per_second = 32 << 20;

	return WORK_LEAST + plan->qps * WORK_PER_QP +
	       plan_memory(plan) / bytes_per_second * SECOND;
}

/* Of memory that this end sends from or reads into, or offers to the peer. */
static int access_of(const struct plan *plan, bool offered)
{
	const struct op_info *op = &op_table[plan->op];
	bool written = offered ? plan->op != OP_READ : op->fetches;

	return (offered ? op->access : 0) |
	       (written ? IBV_ACCESS_LOCAL_WRITE : 0);
}

int plan_access(const struct plan *plan, bool client, uint32_t region)
{
	bool two = plan_regions(plan) == 2;

	return access_of(plan, two ? region == 1 : plan_sends(plan, !client));
}

int plan_qp_access(const struct plan *plan, bool client)
{
	return plan_sends(plan, !client) ? op_table[plan->op].access : 0;
}

uint32_t plan_inline(const struct plan *plan)
{
	if (op_table[plan->op].fetches)
		return 0;
	if (plan->inline_size != PLAN_AUTO)
		return plan->inline_size;
	return plan->metric == METRIC_LATENCY ? LATENCY_INLINE : 0;
}
