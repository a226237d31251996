#include "config.h"
#include "verbs/need.h"

#include "base/numbers.h"
#include "traffic/flow.h"
#include "traffic/verifier.h"
#include "verbs/queues.h"

static uint64_t divide_up(uint64_t a, uint64_t b)
{
	return (a + b - 1) / b;
}

/* Receive queues at this end: one per thread if shared, else one per QP. */
static uint64_t receive_queues(const struct plan *plan, bool client)
{
	return plan_shares_receives(plan) ? plan->threads :
					    plan_qps(plan, client);
}

/* Entries of all completion queues, computed as in queues_create(). */
static uint64_t completions(const struct plan *plan, uint64_t sends,
			    uint64_t receives,
			    const struct port_limits *limits, bool client)
{
	uint64_t qps = divide_up(plan_qps(plan, client), plan->threads);
	uint64_t per_cq = smaller(qps, plan_qps_per_cq(plan, client, limits));
	uint64_t n = plan->threads * divide_up(qps, per_cq);

	if (!plan_shares_receives(plan))
		receives *= per_cq;
	return n * (smaller(sends * per_cq, limits->max_cqe) +
		    smaller(receives, limits->max_cqe));
}

/* Bytes of N scatter/gather entries beyond a first one. */
static uint64_t several(uint32_t n)
{
	return n > 1 ? n * sizeof(struct ibv_sge) : 0;
}

/* Bytes of the work requests that this end prepares. */
static uint64_t prepared(const struct plan *plan, bool client,
			 uint64_t receives)
{
	uint64_t sends = 0;

	if (plan_sends(plan, client))
		sends = (uint64_t)FLOW_LISTS * flow_requests(plan->post_list);
	if (receives && !plan->verify)
		receives = plan->recv_post_list;
	return plan->qps * sends * sizeof(struct flow_request) +
	       plan->qps * FLOW_LISTS * plan->post_list *
		       several(plan_send_entries(plan, client)) +
	       receive_queues(plan, client) * receives *
		       (sizeof(struct flow_receive) +
			several(plan_receive_entries(plan, client)));
}

/* Bytes that a verifier keeps per QP. */
static uint64_t verifier(const struct plan *plan)
{
	uint64_t announced = 0;

	if (!plan->verify)
		return 0;
	if (plan_sends_notices(plan) && op_has_imm(plan->op))
		announced = plan_send_queue(plan);
	return sizeof(struct verify_qp) + announced * sizeof(uint64_t);
}

void need_of(const struct plan *plan, bool client,
	     const struct port_limits *limits, struct need *need)
{
	bool posts = plan_sends(plan, client) || plan_sends_notices(plan);
	uint64_t sends = posts ? plan_send_capacity(plan) : 1;
	uint64_t receives = queues_receive_depth(plan, client);
	uint64_t send_size = NEED_SEND +
			     several(plan_send_entries(plan, client));
	uint64_t receive_size = NEED_RECEIVE +
				several(plan_receive_entries(plan, client));
	uint64_t queue_pairs = plan_has_targets(plan) ? 2 : 1;

	if (plan_sends(plan, client))
		send_size += (uint64_t)NEED_INLINE * plan_inline(plan);
	need->messages = plan_memory(plan, client);
	need->queues =
		plan_qps(plan, client) *
			(queue_pairs * NEED_QUEUE_PAIR +
			 sizeof(struct flow_qp) + sends * send_size +
			 verifier(plan)) +
		receive_queues(plan, client) * receives * receive_size +
		completions(plan, sends, receives, limits, client) *
			NEED_COMPLETION +
		prepared(plan, client, receives);
}
