/* Chooses what a plan leaves open, by the capabilities of both ends' devices,
 * such as how many messages are outstanding, are posted in one call, and share
 * one completion. */
#include "config.h"
#include "model/plan.h"

#include "base/numbers.h"
#include "traffic/allowance.h"
#include "traffic/batch.h"

#define LATENCY_RX_DEPTH 16
#define DEFAULT_RX_DEPTH 512
/* Most receives in total: with thousands of QPs, each gets fewer. */
#define RECEIVES_IN_ALL (1 << 17)
#define LEAST_RX_DEPTH 16
#define SHARED_RX_DEPTH 4096
/* An acknowledge timeout of N is 4.096 us x 2^N.  The automatic one is at least
 * 67 ms, perftest's, and at most a second, so that all unanswered retries end
 * within --timeout. */
#define QP_TIMEOUT_NS 4096ULL
#define LEAST_QP_TIMEOUT 14
#define MOST_QP_TIMEOUT 18
/* An acknowledgement may take this many times as long as what is before it. */
#define ACK_MARGIN 2
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

uint32_t plan_allowance_writes(const struct plan *plan,
			       const struct port *port)
{
	return port->iwarp && op_table[plan->op].receives &&
			       plan->metric == METRIC_BANDWIDTH && !plan->srq ?
		       ALLOWANCE_WRITES : 0;
}

uint32_t plan_receive_depth(const struct plan *plan, bool client)
{
	return plan_posts_receives(plan, client) ? plan->rx_depth : 0;
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

/* The most bytes that other queue pairs and the other direction can have before
 * an acknowledgement on the same link.  A queue pair's own messages are
 * acknowledged one by one, and each acknowledgement starts its timer again. */
static double bytes_before_ack(const struct plan *plan)
{
	const uint32_t streams = plan->qps * (plan->bidirectional ? 2 : 1);
	double most = 0;

	for (uint32_t i = 0; i < plan->sizes.n; i++) {
		const uint64_t size = plan->sizes.bytes[i];
		const double bytes = (double)plan_depth(plan, size) *
				     (double)size;

		most = bytes > most ? bytes : most;
	}
	return most * (streams - 1);
}

/* The longer the wait for an acknowledgement, the longer a lost packet stops a
 * queue pair; so it is no longer than what is before the acknowledgement asks
 * for. */
static uint32_t automatic_qp_timeout(const struct plan *plan)
{
	const double mbps = plan->link_mbps;
	const double ns = mbps > 0 ? ACK_MARGIN * bytes_before_ack(plan) * 8e3 /
					     mbps : 0;
	uint32_t n = LEAST_QP_TIMEOUT;

	while (n < MOST_QP_TIMEOUT && (double)(QP_TIMEOUT_NS << n) < ns)
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

/* Choose the static rate or the packet pacing of the plan.  The ports of both
 * ends have the same link layer, or they are refused. */
static void choose_pacing(struct plan *plan, const struct port *port)
{
	if (plan->pacing != PACING_DEVICE)
		return;
	if (!port_has_lids(port))
		plan->paced_kbps = (uint32_t)smaller(pacing_share(plan),
						     UINT32_MAX);
	else
		plan->static_rate = pacing_static_rate(plan);
}

/* Fewest receives on iWARP, where each message must find one: as many as
 * notices and credits are on their way, or a whole list of either end besides
 * the quarter that the sender is not told of yet (traffic/allowance.h). */
static uint64_t least_on_iwarp(const struct plan *plan,
			       const struct port *client)
{
	const uint64_t lists = plan->post_list + plan->recv_post_list;

	if (!client->iwarp)
		return 0;
	if (plan_sends_notices(plan))
		return 2 * (uint64_t)plan_send_queue(plan) *
		       (plan_shares_receives(plan) ? plan->qps : 1);
	return op_table[plan->op].receives && lists > 2 ? lists + lists / 3 : 0;
}

/* Fewest receives at either end of a ping-pong: one per outstanding message,
 * plus one while the previous receive is reposted. */
static uint32_t least_rx_depth(const struct plan *plan)
{
	if (!plan_is_pingpong(plan))
		return 1;
	return plan_is_open(plan) ? plan->open_depth + 1 : 2;
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
	plan_choose_depth(plan, client, server);
	if (plan->qp_timeout == PLAN_AUTO)
		plan->qp_timeout = automatic_qp_timeout(plan);
	choose_pacing(plan, client);
	if (plan->rx_depth == PLAN_AUTO)
		plan->rx_depth = automatic_rx_depth(plan, client, server);
	plan->rx_depth = (uint32_t)larger(
		plan->rx_depth, larger(least_rx_depth(plan),
				       least_on_iwarp(plan, client)));
}

/* Completions of each queue pair, for paced messages. */
#define COMPLETIONS_PER_SECOND 100
#define MOST_CQ_MOD 100
/* Most bytes without a completion, over all queue pairs. */
#define BYTES_PER_COMPLETION (1 << 20)
/* With more QPs the bytes per completion shrink no further, because each
 * completion costs time. */
#define MANY_QPS 16
/* Fewest completions of each of several queue pairs in an exact count. */
#define COUNT_PER_COMPLETION 256
/*
 * The default queue must not be the bottleneck.  A completion stands for a
 * quarter of the queue; while it is awaited, the device sends the rest.  That
 * must last three times as long as an acknowledgement from a distant peer
 * takes, 3 us.
 */
#define ACK_SECONDS 10e-6
#define DEFAULT_TX_DEPTH 128
#define MOST_TX_DEPTH 512
/* Most sends in total: with thousands of QPs, each gets fewer. */
#define SENDS_IN_ALL (1 << 18)
#define LEAST_TX_DEPTH 16
/* One message at a time needs no more, and a short queue stays in the cache. */
#define LATENCY_TX_DEPTH 8
#define BYTES_OUTSTANDING (32 << 20)

/* Default depth for messages of SIZE bytes, as the link requires; 128 if its
 * rate is unknown. */
static uint64_t usual_depth(const struct plan *plan, uint64_t size)
{
	double bytes = plan->link_mbps * 1e6 / 8 * ACK_SECONDS;
	double messages = bytes / (double)larger(size, 1) / plan->qps;
	uint64_t depth = DEFAULT_TX_DEPTH;

	while (!plan->perftest_defaults && depth < MOST_TX_DEPTH &&
	       (double)(depth - depth / 4) < messages)
		depth *= 2;
	return depth;
}

/* Default send queue: the deepest that any size needs, reduced for many queue
 * pairs and to what the devices hold. */
static uint64_t usual_send_queue(const struct plan *plan)
{
	uint64_t depth = DEFAULT_TX_DEPTH;

	if (plan->tx_depth != PLAN_AUTO)
		return plan->tx_depth;
	if (plan->metric == METRIC_LATENCY)
		return LATENCY_TX_DEPTH;
	for (uint32_t i = 0; i < plan->sizes.n; i++)
		depth = larger(depth, usual_depth(plan, plan->sizes.bytes[i]));
	depth = smaller(depth, larger(SENDS_IN_ALL / plan->qps,
				      LEAST_TX_DEPTH));
	if (plan->most_sends)
		depth = smaller(depth, plan->most_sends);
	return depth;
}

static uint32_t most_sends(const struct plan *plan, bool client,
			   const struct port *port)
{
	uint32_t most = port->limits.max_qp_wr;

	if (!plan_sends(plan, client))
		return UINT32_MAX;
	return (uint32_t)larger(plan_sends_notices(plan) ? most / 2 : most, 1);
}

void plan_choose_depth(struct plan *plan, const struct port *client,
		       const struct port *server)
{
	plan->link_mbps = (uint32_t)smaller(client->rate_mbps,
					    server->rate_mbps);
	plan->all_signaled = port_is_efa(client) || port_is_efa(server);
	plan->most_sends = (uint32_t)smaller(most_sends(plan, true, client),
					     most_sends(plan, false, server));
}

uint32_t plan_longest_list(const struct plan *plan)
{
	return plan->batch.n ? batch_share(&plan->batch, plan->qps) :
			       plan->post_list;
}

/* In messages; see plan_send_queue(). */
static uint32_t least_send_queue(const struct plan *plan)
{
	if (plan->batch.n)
		return plan_longest_list(plan);
	if (!plan_is_open(plan))
		return 1;
	return plan->open_depth * (plan_is_pingpong(plan) ? 2 : 1);
}

uint32_t plan_send_queue(const struct plan *plan)
{
	return (uint32_t)larger(usual_send_queue(plan), least_send_queue(plan));
}

uint32_t plan_send_capacity(const struct plan *plan)
{
	return plan_send_queue(plan) * (plan_sends_notices(plan) ? 2 : 1);
}

/* Most messages outstanding, if there are enough to send. */
static uint64_t full_depth(const struct plan *plan, uint64_t size)
{
	uint64_t depth = plan_send_queue(plan);

	if (plan->batch.n)
		return plan_longest_list(plan);
	if (plan->tx_depth != PLAN_AUTO || plan_is_open(plan))
		return depth;
	if (plan->metric == METRIC_BANDWIDTH)
		depth = smaller(depth, usual_depth(plan, size));
	return larger(smaller(depth, BYTES_OUTSTANDING / larger(size, 1)), 1);
}

/* True when all messages of a run can be outstanding at once. */
static bool all_at_once(const struct plan *plan, uint64_t size)
{
	return plan->metric == METRIC_BANDWIDTH && plan->iterations &&
	       !plan->batch.n && plan->iterations <= full_depth(plan, size);
}

uint32_t plan_depth(const struct plan *plan, uint64_t size)
{
	return (uint32_t)(all_at_once(plan, size) ? plan->iterations :
						    full_depth(plan, size));
}

uint32_t plan_post_list(const struct plan *plan, uint64_t size)
{
	uint64_t n = smaller(larger(plan_longest_list(plan), 1),
			     plan_depth(plan, size));

	if (all_at_once(plan, size))
		n = largest_divisor(plan->iterations, n);
	return (uint32_t)n;
}

/* Most messages per completion, up to N, that match lists of LIST messages: a
 * multiple or divisor of LIST.  With TOTAL, a multiple of LIST, the result also
 * divides TOTAL; 0: no total. */
static uint64_t regular(uint64_t n, uint64_t list, uint64_t total)
{
	if (n < list)
		return largest_divisor(list, n);
	n /= list;
	return list * (total ? largest_divisor(total / list, n) : n);
}

/* MOST_CQ_MOD, reduced to the messages that are sent in 10 ms. */
static uint64_t most_cq_mod(const struct plan *plan, uint64_t size)
{
	double n = rate_messages(plan->rate, size) / plan->qps /
		   COMPLETIONS_PER_SECOND;

	return plan->rate && n < MOST_CQ_MOD ? (uint64_t)n : MOST_CQ_MOD;
}

/*
 * Automatic: few enough that the device still has work while their completion
 * is awaited.  At the edges of the window nobody knows what each queue pair has
 * done since its last completion.  So all together may have a MiB without a
 * completion, and in an exact count each queue pair a negligible part.
 */
static uint64_t usual_cq_mod(const struct plan *plan, uint64_t size)
{
	uint64_t bytes = larger(size, 1);
	uint64_t n = most_cq_mod(plan, size);

	if (plan->perftest_defaults)
		return smaller(n, BYTES_PER_COMPLETION / bytes);
	n = smaller(n, plan_depth(plan, size) / 4);
	n = smaller(n, BYTES_PER_COMPLETION / bytes /
			       smaller(plan->qps, MANY_QPS));
	if (plan->iterations && plan->qps > 1)
		n = smaller(n, plan->iterations / COUNT_PER_COMPLETION);
	/* the receiver must wake while it has receives left */
	if (plan->solicited && plan->rx_depth != PLAN_AUTO)
		n = smaller(n, plan->rx_depth / 2);
	return n;
}

uint32_t plan_cq_mod(const struct plan *plan, uint64_t size)
{
	uint64_t most = plan_depth(plan, size);
	uint64_t n = plan->cq_mod;

	if (plan->batch.n)
		return (uint32_t)most;
	if (plan->all_signaled)
		return 1;
	if (plan->metric == METRIC_LATENCY) {
		if (!op_table[plan->op].pingpong)
			return 1;
		most = larger(most / 4, 1);
	}
	if (n == PLAN_AUTO)
		n = usual_cq_mod(plan, size);
	n = larger(smaller(n, most), 1);
	return (uint32_t)regular(n, plan_post_list(plan, size),
				 all_at_once(plan, size) ? plan->iterations :
							   0);
}

uint64_t plan_burst(const struct plan *plan, uint64_t size)
{
	uint64_t list = plan_post_list(plan, size);

	return round_up(plan->burst, list);
}

/* The InfiniBand Architecture Specification rounds 14.0625 Gb/s and so on;
 * perftest and ibv_rate_to_mbps(3) do not agree on them, so both are taken.
 * An older rdma-core has no names for the last two. */
static const struct {
	uint32_t mbps, alias;
	uint8_t rate;
} static_rates[] = {
	{ 2500, 2500, IBV_RATE_2_5_GBPS }, { 5000, 5000, IBV_RATE_5_GBPS },
	{ 10000, 10000, IBV_RATE_10_GBPS }, { 14000, 14062, IBV_RATE_14_GBPS },
	{ 20000, 20000, IBV_RATE_20_GBPS }, { 25000, 25781, IBV_RATE_25_GBPS },
	{ 28000, 28125, IBV_RATE_28_GBPS }, { 30000, 30000, IBV_RATE_30_GBPS },
	{ 40000, 40000, IBV_RATE_40_GBPS }, { 50000, 53125, IBV_RATE_50_GBPS },
	{ 56000, 56250, IBV_RATE_56_GBPS }, { 60000, 60000, IBV_RATE_60_GBPS },
	{ 80000, 80000, IBV_RATE_80_GBPS },
	{ 100000, 103125, IBV_RATE_100_GBPS },
	{ 112000, 112500, IBV_RATE_112_GBPS },
	{ 120000, 120000, IBV_RATE_120_GBPS },
	{ 168000, 168750, IBV_RATE_168_GBPS },
	{ 200000, 206250, IBV_RATE_200_GBPS },
	{ 300000, 309375, IBV_RATE_300_GBPS },
	{ 400000, 425000, IBV_RATE_400_GBPS },
	{ 600000, 637500, IBV_RATE_600_GBPS },
	{ 800000, 850000, 23 },
	{ 1200000, 1275000, 24 },
};

const char pacing_static_rates[] =
	"2.5, 5, 10, 14, 20, 25, 28, 30, 40, 50, 56, 60, 80, 100, 112, 120, "
	"168, 200, 300, 400, 600, 800 or 1200 Gb/s";

uint64_t pacing_share(const struct plan *plan)
{
	return plan->rate / 1000 / plan->qps;
}

uint8_t pacing_static_rate(const struct plan *plan)
{
	const uint64_t mbps = pacing_share(plan) / 1000;

	for (size_t i = 0; i < sizeof(static_rates) / sizeof(*static_rates);
	     i++)
		if (mbps == static_rates[i].mbps ||
		    mbps == static_rates[i].alias)
			return static_rates[i].rate;
	return 0;
}
