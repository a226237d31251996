/* What follows from a plan: who does what, the memory it needs, and how messages
 * are laid out in that. */
#include "config.h"
#include "model/plan.h"

#include "base/numbers.h"
#include "base/time.h"

/* Devices support about this much; the device code halves it if refused. */
#define LATENCY_INLINE 256

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

bool plan_is_open(const struct plan *plan)
{
	return plan->metric == METRIC_LATENCY && plan->rate;
}

bool plan_sends(const struct plan *plan, bool client)
{
	return plan->bidirectional || plan_is_pingpong(plan) ||
	       client != plan->reversed;
}

bool plan_sends_notices(const struct plan *plan)
{
	return plan->verify &&
	       op_table[plan->op].access == IBV_ACCESS_REMOTE_WRITE;
}

bool plan_proves_address(const struct plan *plan, bool client)
{
	return plan_is_unreliable(plan) &&
	       (plan_sends(plan, !client) || plan_sends_notices(plan));
}

bool plan_posts_receives(const struct plan *plan, bool client)
{
	if (plan_sends_notices(plan))
		return true;
	return op_table[plan->op].receives && plan_sends(plan, !client);
}

bool plan_is_unreliable(const struct plan *plan)
{
	return !transport_table[plan->transport].reliable;
}

bool plan_is_datagram(const struct plan *plan)
{
	return transport_table[plan->transport].datagram;
}

bool plan_has_targets(const struct plan *plan)
{
	return transport_table[plan->transport].target;
}

bool plan_shares_receives(const struct plan *plan)
{
	return plan->srq || plan_has_targets(plan);
}

bool plan_counts_received(const struct plan *plan)
{
	return op_table[plan->op].receives || plan_sends_notices(plan);
}

bool plan_receiver_measures(const struct plan *plan)
{
	return plan->metric == METRIC_BANDWIDTH && plan_is_unreliable(plan) &&
	       plan_counts_received(plan);
}

bool plan_warms_up_apart(const struct plan *plan)
{
	return plan_receiver_measures(plan) && plan->iterations && plan->warmup;
}

bool plan_measures(const struct plan *plan, bool client)
{
	if (plan->metric == METRIC_LATENCY)
		return client;
	if (plan_receiver_measures(plan))
		client = !client;
	return plan_sends(plan, client);
}

uint32_t plan_copies(const struct plan *plan)
{
	return plan->mcast.wanted && plan->receivers ? plan->receivers : 1;
}

uint64_t plan_due(const struct plan *plan, uint64_t sent)
{
	const uint32_t copies = plan_copies(plan);

	return sent > UINT64_MAX / copies ? UINT64_MAX : sent * copies;
}

uint32_t plan_qps(const struct plan *plan, bool client)
{
	return plan->mcast.wanted && !client ? plan_copies(plan) : plan->qps;
}

uint32_t plan_regions(const struct plan *plan)
{
	return plan_sends(plan, true) && plan_sends(plan, false) ? 2 : 1;
}

/* Access flags of memory that this end offers to the peer, or of memory that it
 * sends from or reads into. */
static int access_of(const struct plan *plan, bool offered)
{
	const struct op_info *op = &op_table[plan->op];
	bool written = offered ? op->access != IBV_ACCESS_REMOTE_READ :
				 op->fetches;

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

/* ns; see plan_work_limit(). */
#define WORK_LEAST (60 * SECOND)
#define WORK_PER_QP (SECOND / 10)

uint32_t plan_slots(const struct plan *plan)
{
	return plan_is_open(plan) && plan_is_pingpong(plan) &&
	       !op_table[plan->op].receives ? plan->open_depth : 1;
}

struct gather plan_receive(const struct plan *plan)
{
	const uint64_t header = plan_is_datagram(plan) ? GRH_SIZE : 0;

	return gather_of(plan_largest(plan) + header, plan->sge);
}

uint64_t plan_receive_size(const struct plan *plan)
{
	const struct gather g = plan_receive(plan);

	return gather_span(&g);
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
	/* what is written needs no buffer, and notices are empty */
	if (!plan_posts_receives(plan, client))
		return 0;
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
		bytes = larger(bytes,
			       plan->rx_depth * plan_receive_size(plan));
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
	if (plan->verify)
		bytes = larger(bytes, places(plan));
	return round_up(bytes, CACHE_LINE);
}

uint64_t plan_memory(const struct plan *plan, bool client)
{
	return plan_stride(plan) * plan_qps(plan, client) *
	       plan_regions(plan);
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
