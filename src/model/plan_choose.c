/* Chooses what a plan leaves open, by the capabilities of both ends'
 * devices. */
#include "config.h"
#include "model/plan.h"

#include "base/numbers.h"
#include "model/pacing.h"

#define LATENCY_RX_DEPTH 16
#define DEFAULT_RX_DEPTH 512
/* Most receives in total: with thousands of QPs, each gets fewer. */
#define RECEIVES_IN_ALL (1 << 17)
#define LEAST_RX_DEPTH 16
#define SHARED_RX_DEPTH 4096
/* An acknowledge timeout of N is 4.096 us x 2^N.  The automatic one is at least
 * 67 ms, and at most a second, so that all unanswered retries end within
 * --timeout. */
#define QP_TIMEOUT_NS 4096ULL
#define LEAST_QP_TIMEOUT 14
#define MOST_QP_TIMEOUT 18
/* Bytes that may have to pass before an acknowledgement does: twice what 16
 * queue pairs with 128 messages of 64 KiB each have outstanding. */
#define BYTES_BEFORE (256ULL << 20)
/* Bytes of receives per queue when each has its own buffer. */
#define RECEIVE_BYTES (8 << 20)
#define OUTSTANDING_READS_MAX 255	/* 8-bit field */

uint64_t plan_send_completions(const struct plan *plan)
{
	uint64_t most = 1;

	for (uint32_t i = 0; i < plan->sizes.n; i++) {
		uint64_t size = plan->sizes.bytes[i];

		most = larger(most, plan_depth(plan, size) /
					    plan_cq_mod(plan, size) + 1);
	}
	if (plan_sends_notices(plan))
		most = plan_send_capacity(plan);
	return most;
}

uint32_t plan_qps_per_cq(const struct plan *plan, bool client,
			 const struct port_limits *limits)
{
	uint64_t threads = larger(plan->threads, 1);
	uint64_t all = (plan_qps(plan, client) + threads - 1) / threads;
	uint64_t each = 1;

	if (plan_sends(plan, client) || plan_sends_notices(plan))
		each = plan_send_completions(plan);
	if (plan_posts_receives(plan, client) && !plan_shares_receives(plan))
		each = larger(each, plan->rx_depth);
	return (uint32_t)larger(smaller(all, limits->max_cqe / each), 1);
}

uint32_t plan_most_reads(const struct port *from, const struct port *to)
{
	uint64_t most = smaller(from->limits.max_qp_init_rd_atom,
				to->limits.max_qp_rd_atom);

	return (uint32_t)smaller(most, OUTSTANDING_READS_MAX);
}

uint32_t plan_reads(const struct plan *plan, bool client)
{
	if (!op_table[plan->op].fetches || !plan_sends(plan, client))
		return 0;
	if (!client && plan_sends(plan, true))
		return plan->server_reads;
	return plan->outstanding_reads;
}

/* Automatic: each direction gets the most that its two ends support. */
static void choose_reads(struct plan *plan, const struct port *client,
			 const struct port *server)
{
	bool asked = plan->outstanding_reads != PLAN_AUTO;
	uint32_t out = plan_most_reads(client, server);
	uint32_t in = plan_most_reads(server, client);

	if (!op_table[plan->op].fetches) {
		plan->outstanding_reads = 0;
		return;
	}
	if (plan_sends(plan, true) && plan_sends(plan, false) &&
	    !plan->server_reads)
		plan->server_reads = asked ? plan->outstanding_reads : in;
	if (!asked)
		plan->outstanding_reads = plan_sends(plan, true) ? out : in;
}

/* Most receives that a queue of this device holds. */
static uint64_t most_receives(const struct plan *plan, bool client,
			      const struct port_limits *limits)
{
	if (!plan_posts_receives(plan, client))
		return UINT64_MAX;
	return smaller(limits->max_cqe, plan_shares_receives(plan) ?
						limits->max_srq_wr :
						limits->max_qp_wr);
}

static uint32_t automatic_rx_depth(const struct plan *plan,
				   const struct port *client,
				   const struct port *server)
{
	const uint64_t qps = larger(plan_qps(plan, true),
				    plan_qps(plan, false));
	uint64_t n = smaller(DEFAULT_RX_DEPTH,
			     larger(RECEIVES_IN_ALL / qps, LEAST_RX_DEPTH));

	if (plan_shares_receives(plan))
		n = SHARED_RX_DEPTH;
	if (plan_is_pingpong(plan))
		n = LATENCY_RX_DEPTH;
	if (plan->verify)
		n = smaller(n, RECEIVE_BYTES / plan_receive_size(plan));
	n = smaller(n, most_receives(plan, true, &client->limits));
	n = smaller(n, most_receives(plan, false, &server->limits));
	return (uint32_t)larger(n, larger(plan->recv_post_list, 1));
}

static uint32_t automatic_qp_timeout(const struct port *client,
				     const struct port *server)
{
	uint64_t mbps = smaller(client->rate_mbps, server->rate_mbps);
	uint64_t ns = mbps ? BYTES_BEFORE * 8 * 1000 / mbps : 0;
	uint32_t n = LEAST_QP_TIMEOUT;

	while (n < MOST_QP_TIMEOUT && (QP_TIMEOUT_NS << n) < ns)
		n++;
	return n;
}

/* Drop the --all sizes that do not fit into one packet. */
static void fit_datagrams(struct plan *plan)
{
	struct sizes *sizes = &plan->sizes;

	while (plan_is_datagram(plan) && plan->all && sizes->n > 1 &&
	       sizes->bytes[sizes->n - 1] > plan->mtu)
		sizes->n--;
}

/* Both ends' ports have the same link layer, or they are refused. */
static void choose_pacing(struct plan *plan, const struct port *port)
{
	if (plan->pacing != PACING_DEVICE)
		return;
	if (port_is_ethernet(port))
		plan->paced_kbps = (uint32_t)smaller(pacing_share(plan),
						     UINT32_MAX);
	else
		plan->static_rate = pacing_static_rate(plan);
}

void plan_choose(struct plan *plan, const struct port *client,
		 const struct port *server)
{
	const uint32_t mtu = (uint32_t)smaller(mtu_bytes(client->active_mtu),
					       mtu_bytes(server->active_mtu));

	choose_reads(plan, client, server);
	/* perftest reduces an MTU that is too large; verbsperf refuses it */
	if (plan->mtu == PLAN_AUTO ||
	    (plan->perftest_defaults && plan->mtu > mtu))
		plan->mtu = mtu;
	fit_datagrams(plan);
	if (plan->qp_timeout == PLAN_AUTO)
		plan->qp_timeout = automatic_qp_timeout(client, server);
	plan_choose_depth(plan, client, server);
	choose_pacing(plan, client);
	if (plan->rx_depth == PLAN_AUTO)
		plan->rx_depth = automatic_rx_depth(plan, client, server);
	if (plan->rx_depth < plan_least_rx_depth(plan))
		plan->rx_depth = plan_least_rx_depth(plan);
}
