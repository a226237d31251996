/* Answers what a plan means for an end: who sends, answers, receives, waits
 * and measures. */
#include "config.h"
#include "model/plan.h"

#include "base/numbers.h"
#include "traffic/batch.h"

/* Devices support about this much; the device code halves it if refused. */
#define LATENCY_INLINE 256

uint64_t plan_largest(const struct plan *plan)
{
	uint64_t largest = 0;

	for (uint32_t i = 0; i < plan->sizes.n; i++)
		largest = larger(largest, plan->sizes.bytes[i]);
	return plan->batch.n ? batch_largest(&plan->batch) : largest;
}

bool plan_has_latency(const struct plan *plan)
{
	return plan->metric == METRIC_LATENCY || plan->batch.n;
}

bool plan_is_pingpong(const struct plan *plan)
{
	return plan->metric == METRIC_LATENCY && op_table[plan->op].pingpong;
}

bool plan_waits_for_memory(const struct plan *plan)
{
	return plan->metric == METRIC_LATENCY && plan->op == OP_WRITE;
}

bool plan_both_measure(const struct plan *plan)
{
	return plan->quiet && plan_is_pingpong(plan);
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

bool plan_begins(const struct plan *plan, bool client)
{
	return plan->metric == METRIC_LATENCY ?
		       client || plan_both_measure(plan) :
		       plan_sends(plan, client);
}

bool plan_answers(const struct plan *plan, bool client)
{
	return !client && plan_is_pingpong(plan) && !plan->quiet;
}

bool plan_awaits_peer(const struct plan *plan, bool client)
{
	/* nobody tells this end when a quiet peer has finished its writes or
	 * reads; it ends with its ping-pong */
	if (plan->quiet && plan_sends(plan, client) &&
	    (plan_is_pingpong(plan) || !plan_posts_receives(plan, client)))
		return false;
	if (plan->metric == METRIC_BANDWIDTH)
		return plan_sends(plan, !client);
	return !client && !plan_answers(plan, client);
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
	if (plan->quiet)
		return plan->arrivals;
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
		return client || plan_both_measure(plan);
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

uint64_t plan_lost(const struct plan *plan, uint64_t sent, uint64_t received)
{
	const uint64_t due = plan_due(plan, sent);

	return due > received ? due - received : 0;
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
