/* The memory that a plan needs, and how messages are laid out in it. */
#include "config.h"
#include "model/plan.h"

#include "base/numbers.h"
#include "base/time.h"
#include "traffic/batch.h"

/* ns; see plan_work_limit(). */
#define WORK_LEAST (60 * SECOND)
#define WORK_PER_QP (SECOND / 10)

uint32_t plan_slots(const struct plan *plan)
{
	return plan_is_open(plan) && plan_is_pingpong(plan) &&
	       !op_table[plan->op].receives ? plan->open_depth : 1;
}

/* Bytes that a message of SIZE bytes takes up where it is sent from. */
static uint64_t span_of(const struct plan *plan, uint64_t size)
{
	const struct gather g = gather_of(size, plan->sge);

	return gather_span(&g);
}

uint32_t plan_send_entries(const struct plan *plan, bool client)
{
	if (!plan_sends(plan, client))
		return 0;
	return gather_of(plan_largest(plan), plan->sge).n;
}

uint32_t plan_receive_entries(const struct plan *plan, bool client)
{
	if (!plan_posts_receives(plan, client))
		return 0;
	/* the receive of a write has no memory, or on iWARP that of a notice */
	return op_table[plan->op].access ? 1 : plan_receive(plan).n;
}

/* Bytes for the sizes of the plan when each outstanding message has its own
 * place. */
static uint64_t places(const struct plan *plan)
{
	uint64_t bytes = 0;

	for (uint32_t i = 0; i < plan->sizes.n; i++) {
		uint64_t size = plan->sizes.bytes[i];

		bytes = larger(bytes, plan_depth(plan, size) *
				      span_of(plan, size));
	}
	if (plan->rx_depth != PLAN_AUTO && !op_table[plan->op].access)
		bytes = larger(bytes, plan->rx_depth * plan_receive_size(plan));
	return bytes;
}

uint64_t plan_slot_step(const struct plan *plan)
{
	return span_of(plan, plan_largest(plan));
}

uint64_t plan_stride(const struct plan *plan)
{
	uint64_t bytes = larger(plan_receive_size(plan), plan->walk);

	bytes = larger(bytes, plan_slot_step(plan) * plan_slots(plan));
	bytes = larger(bytes, batch_extent(&plan->batch, plan->qps));
	if (plan->verify)
		bytes = larger(bytes, places(plan));
	return round_up(bytes, CACHE_LINE);
}

uint64_t plan_memory(const struct plan *plan, bool client)
{
	return plan_stride(plan) * plan_qps(plan, client) * plan_regions(plan);
}

uint64_t plan_work_limit(const struct plan *plan)
{
	const uint64_t bytes_per_second = 32 << 20;
	const uint64_t qps = larger(plan_qps(plan, true),
				    plan_qps(plan, false));
	const uint64_t bytes = larger(plan_memory(plan, true),
				      plan_memory(plan, false));

	return WORK_LEAST + qps * WORK_PER_QP +
	       bytes / bytes_per_second * SECOND;
}
