/* Computes how much memory one end of a test needs, before any is taken. */
#include "config.h"
#include "model/need.h"

#include "base/numbers.h"
#include "model/inject.h"
#include "traffic/allowance.h"
#include "traffic/flow.h"
#include "traffic/verifier.h"

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

/* Queue pairs that share a completion queue, of sends or of receives, as in
 * queues_create(). */
static uint64_t qps_per_cq(const struct plan *plan, bool client,
			   const struct port_limits *limits)
{
	uint64_t qps = divide_up(plan_qps(plan, client), plan->threads);

	return smaller(qps, plan_qps_per_cq(plan, client, limits));
}

/* Completion queues of sends, or of receives. */
static uint64_t completion_queues(const struct plan *plan, bool client,
				  const struct port_limits *limits)
{
	uint64_t qps = divide_up(plan_qps(plan, client), plan->threads);

	return plan->threads *
	       divide_up(qps, qps_per_cq(plan, client, limits));
}

/* Entries of all completion queues; each has one at least. */
static uint64_t completions(const struct plan *plan, uint64_t sends,
			    uint64_t receives,
			    const struct port_limits *limits, bool client)
{
	uint64_t per_cq = qps_per_cq(plan, client, limits);

	if (!plan_shares_receives(plan))
		receives *= per_cq;
	return completion_queues(plan, client, limits) *
	       (smaller(sends * per_cq, limits->max_cqe) +
		smaller(larger(receives, 1), limits->max_cqe));
}

/* Bytes of N scatter/gather entries, except the first. */
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
		sends = flow_requests(plan_longest_list(plan));
	if (receives && !plan->verify)
		receives = plan->recv_post_list;
	return plan->qps * sends * sizeof(struct flow_request) +
	       plan->qps * (uint64_t)plan->post_list *
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

/* On iWARP notices are words that are written: see queues_give_words(). */
static bool has_words(const struct plan *plan, const struct port *port)
{
	return port->iwarp && plan_sends_notices(plan);
}

static uint64_t regions(const struct plan *plan, bool client,
			const struct port *port)
{
	uint64_t n = plan_regions(plan);

	if (plan->mr_per_qp)
		n *= plan_qps(plan, client);
	if (has_words(plan, port) && plan_receive_depth(plan, client))
		n += receive_queues(plan, client);
	/* a fault has one registered again before it gives the other back */
	return n + (plan_allowance_writes(plan, port) > 0) +
	       plan_is_unreliable(plan) + (plan->inject != 0);
}

/* Address handles: one for each flow label.  What the connection manager finds
 * may have a label of its own for each queue pair. */
static uint64_t addresses(const struct plan *plan, bool client)
{
	const uint64_t labels = plan->rdma_cm ? LABELS_MAX :
						larger(plan->flow_labels.n, 1);

	if (!plan_is_datagram(plan))
		return 0;
	if (plan->mcast.wanted)
		return plan_sends(plan, client);
	return smaller(labels, plan_qps(plan, client));
}

static bool has_shared_queues(const struct plan *plan, bool client)
{
	return plan_has_targets(plan) ||
	       (plan->srq && plan_receive_depth(plan, client));
}

/* What all connections of the test connect share, and N of them.  The engine of
 * a client (control/engine.h) has a domain of its own. */
static void count_connections(const struct plan *plan, bool client, uint64_t n,
			      struct need_count *count)
{
	*count = (struct need_count){
		.domains = 1 + client,
		.completion_queues = 1,
		.queue_pairs = n,
		.channels = plan->rdma_cm,
		.ids = plan->rdma_cm ? n + 1 : 0,
	};
}

void need_count(const struct plan *plan, bool client, const struct port *port,
		struct need_count *count)
{
	const uint64_t qps = plan_qps(plan, client);
	const bool targets = plan_has_targets(plan);

	if (plan->control) {
		count_connections(plan, client, 1, count);
		return;
	}
	*count = (struct need_count){
		.domains = 1 + targets + (plan->inject != 0),
		.regions = regions(plan, client, port),
		.queue_pairs = targets ? 2 * qps : qps,
		.completion_queues =
			2 * completion_queues(plan, client, &port->limits),
		.shared_queues =
			has_shared_queues(plan, client) ? plan->threads : 0,
		.channels = (plan->events ? plan->threads : 0) +
			    plan->rdma_cm,
		.windows = plan->inject != 0,
		.addresses = addresses(plan, client),
		.memberships = plan->mcast.wanted && !plan_sends(plan, client) ?
				       qps : 0,
		.ids = plan->rdma_cm ? qps + 1 : 0,
	};
}

/* Bytes of the objects of COUNT, without the entries of their queues. */
static uint64_t bytes_of(const struct need_count *count)
{
	uint64_t sum = 0;

#define X(member, bytes) sum += count->member * (bytes);
	NEED_LIST(X)
#undef X
	return sum;
}

uint64_t need_of_connections(const struct plan *plan, uint64_t n)
{
	struct need_count count;

	count_connections(plan, false, n, &count);
	return bytes_of(&count) + NEED_LINK_COMPLETIONS * NEED_COMPLETION +
	       n * (NEED_SEND + NEED_RECEIVE + NEED_LINK);
}

/* Bytes of the queues' entries, and of what this end keeps for each QP. */
static uint64_t entries(const struct plan *plan, bool client,
			const struct port *port)
{
	const bool posts = plan_sends(plan, client) || plan_sends_notices(plan);
	const uint32_t writes = plan_allowance_writes(plan, port);
	uint64_t sends = (posts ? plan_send_capacity(plan) : 1) + writes;
	uint64_t receives = plan_receive_depth(plan, client);
	uint64_t send_size = NEED_SEND +
			     several(plan_send_entries(plan, client));
	uint64_t receive_size = NEED_RECEIVE +
				several(plan_receive_entries(plan, client));

	if (plan_sends(plan, client))
		send_size += (uint64_t)NEED_INLINE * plan_inline(plan);
	if (has_words(plan, port))
		receive_size += sizeof(uint32_t);
	return plan_qps(plan, client) *
		       (sizeof(struct flow_qp) + sends * send_size +
			(writes ? sizeof(struct allowance) : 0) +
			verifier(plan)) +
	       receive_queues(plan, client) * receives * receive_size +
	       completions(plan, sends, receives, &port->limits, client) *
		       NEED_COMPLETION +
	       prepared(plan, client, receives);
}

void need_of(const struct plan *plan, bool client, const struct port *port,
	     struct need *need)
{
	struct need_count count;

	*need = (struct need){ .messages = 0 };
	if (plan->control) {
		need->objects = need_of_connections(plan, 1);
		return;
	}
	need_count(plan, client, port, &count);
	need->messages = plan_memory(plan, client);
	need->objects = bytes_of(&count) + entries(plan, client, port);
}
