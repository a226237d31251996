#include "config.h"
#include "session/quota.h"

#include <errno.h>

#include "base/numbers.h"
#include "base/time.h"
#include "model/inject.h"
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

/* How long a turn may last beyond the known time of its plan, for a client with
 * a slower clock. */
#define MARGIN (600 * SECOND)
#define SLOWER 4

static int check_qps(const struct parameters *params, struct error *err)
{
	const bool group = params->plan.mcast.wanted;
	const uint32_t qps = plan_qps(&params->plan, false);

	if (qps <= params->max_qps)
		return 0;
	return fail(err, -EPERM, group ?
			    "use fewer --receivers, or start the server with "
			    "a larger --max-qps" :
			    "use fewer --qps, or start the server with a "
			    "larger --max-qps",
		    "--%s %u: this server allows %u (--max-qps)",
		    group ? "receivers" : "qps", qps, params->max_qps);
}

/* Name the options that reduce the larger of the two needs. */
static const char *advice_of(const struct need *need)
{
	if (need->queues > need->messages)
		return "use fewer --qps, a smaller --tx-depth, --rx-depth or "
		       "--inline, or start the server with a larger "
		       "--max-memory";
	return "use fewer --qps or a smaller --size, or start the server with "
	       "a larger --max-memory";
}

static int check_memory(const struct parameters *params,
			const struct port_limits *device, struct error *err)
{
	struct need need;

	need_of(&params->plan, false, device, &need);
	if (need.messages + need.queues <= params->max_memory)
		return 0;
	return fail(err, -ENOMEM, advice_of(&need),
		    "the test needs %llu bytes of memory, %llu for messages "
		    "and %llu for queues: this server allows %llu "
		    "(--max-memory)",
		    (unsigned long long)(need.messages + need.queues),
		    (unsigned long long)need.messages,
		    (unsigned long long)need.queues,
		    (unsigned long long)params->max_memory);
}

/* The least time, in ns, that PLAN takes; a count of messages adds nothing, as
 * its time is unknown. */
static uint64_t own_time(const struct plan *plan)
{
	return plan->sizes.n * (plan->warmup + plan->hold + plan->duration);
}

uint64_t quota_duration(const struct parameters *params)
{
	return params->max_duration ? params->max_duration :
				      MARGIN + SLOWER * own_time(&params->plan);
}

static int check_duration(const struct parameters *params, struct error *err)
{
	uint64_t least = own_time(&params->plan);

	if (least <= quota_duration(params))
		return 0;
	return fail(err, -EPERM, "use a smaller --duration or fewer sizes, or "
		    "start the server with a larger --max-duration",
		    "the test takes %.6g s, by --duration, --warmup and --hold "
		    "for each --size: this server allows %.6g s "
		    "(--max-duration)",
		    (double)least / 1e9, (double)params->max_duration / 1e9);
}

/* Refuse faults that the server's user did not allow: a client that injects
 * them wants things to go wrong. */
static int check_inject(const struct parameters *params, struct error *err)
{
	const struct inject_case *c = inject_find(params->plan.inject);

	if (!c || params->allow_inject)
		return 0;
	return fail(err, -EPERM, "start the server with --allow-inject",
		    "--inject %s: this server does not let clients provoke "
		    "faults", c->name);
}

int quota_check(const struct parameters *params,
		 const struct port_limits *device, struct error *err)
{
	return check_qps(params, err) ?:
	       check_memory(params, device, err) ?:
	       check_duration(params, err) ?:
	       check_inject(params, err);
}

int quota_check_connections(const struct parameters *params, uint64_t n,
			    struct error *err)
{
	if (n <= params->max_qps)
		return 0;
	return fail(err, -EPERM, "make fewer connections, or start the server "
		    "with a larger --max-qps",
		    "%llu connections: this server allows %u (--max-qps)",
		    (unsigned long long)n, params->max_qps);
}
