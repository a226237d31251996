#include "config.h"
#include "model/plan.h"

#include <errno.h>

#include "model/plan_rate.h"

#define CACHE_LINE 64
#define BYTES_PER_COMPLETION (1 << 20)
#define DEFAULT_TX_DEPTH 128
/* One message at a time needs no more, and short queues stay in the cache. */
#define LATENCY_TX_DEPTH 8
#define LATENCY_RX_DEPTH 16
#define BYTES_OUTSTANDING (32 << 20)
#define DEFAULT_RX_DEPTH 512
#define OUTSTANDING_READS_MAX 255	/* the field has 8 bits */

static uint64_t smaller(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

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

bool plan_posts_receives(const struct plan *plan, bool client)
{
	return op_table[plan->op].receives &&
	       (!client || plan_is_pingpong(plan));
}

/* BYTES, at least one, in whole cache lines. */
static uint64_t in_lines(uint64_t bytes)
{
	return (larger(bytes, 1) + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE;
}

uint64_t plan_slot_step(const struct plan *plan)
{
	return in_lines(plan_largest(plan));
}

uint64_t plan_stride(const struct plan *plan)
{
	return larger(plan_slot_step(plan) * plan_slots(plan),
		      in_lines(plan->walk));
}

uint32_t plan_regions(const struct plan *plan)
{
	return plan_is_pingpong(plan) ? 2 : 1;
}

uint64_t plan_memory(const struct plan *plan)
{
	return plan_stride(plan) * plan->qps * plan_regions(plan);
}

int plan_access(const struct plan *plan, bool client)
{
	bool source = client || plan_is_pingpong(plan);
	bool target = !client || plan_is_pingpong(plan);
	int access = target ? op_table[plan->op].access : 0;

	if (plan->op == OP_READ ? source : target)
		access |= IBV_ACCESS_LOCAL_WRITE;
	return access;
}

uint32_t plan_send_queue(const struct plan *plan)
{
	uint64_t usual = plan->metric == METRIC_LATENCY ? LATENCY_TX_DEPTH :
							  DEFAULT_TX_DEPTH;
	uint64_t depth = plan->tx_depth == PLAN_AUTO ? usual : plan->tx_depth;

	return (uint32_t)larger(depth, plan_least_send_queue(plan));
}

/* As many as may be outstanding, were there no end. */
static uint64_t full_depth(const struct plan *plan, uint64_t size)
{
	uint64_t depth = plan_send_queue(plan);

	if (plan->tx_depth == PLAN_AUTO && size && !plan_is_open(plan))
		depth = smaller(depth, BYTES_OUTSTANDING / size);
	return larger(depth, 1);
}

/* All messages of a run can be outstanding at once. */
static bool all_at_once(const struct plan *plan, uint64_t size)
{
	return plan->metric == METRIC_BANDWIDTH && plan->iterations &&
	       plan->iterations <= full_depth(plan, size);
}

uint32_t plan_depth(const struct plan *plan, uint64_t size)
{
	return (uint32_t)(all_at_once(plan, size) ? plan->iterations :
						    full_depth(plan, size));
}

static uint64_t largest_divisor(uint64_t n, uint64_t most)
{
	while (n % most)
		most--;
	return most;
}

uint32_t plan_post_list(const struct plan *plan, uint64_t size)
{
	uint64_t n = smaller(larger(plan->post_list, 1),
			     plan_depth(plan, size));

	if (all_at_once(plan, size))
		n = largest_divisor(plan->iterations, n);
	return (uint32_t)n;
}

/* Of at most N messages per completion as many as come out even with lists of
 * LIST; and with TOTAL, a multiple of LIST, unless that is 0. */
static uint64_t regular(uint64_t n, uint64_t list, uint64_t total)
{
	if (n < list)
		return largest_divisor(list, n);
	n /= list;
	return list * (total ? largest_divisor(total / list, n) : n);
}

uint32_t plan_cq_mod(const struct plan *plan, uint64_t size)
{
	uint64_t most = plan_depth(plan, size);
	uint64_t n = plan->cq_mod;

	if (plan->metric == METRIC_LATENCY) {
		if (!op_table[plan->op].pingpong)
			return 1;
		most = larger(most / 4, 1);
	}
	if (n == PLAN_AUTO)
		n = smaller(plan_rate_cq_mod(plan, size),
			    BYTES_PER_COMPLETION / larger(size, 1));
	n = larger(smaller(n, most), 1);
	return (uint32_t)regular(n, plan_post_list(plan, size),
				 all_at_once(plan, size) ? plan->iterations :
							   0);
}

static const char *op_name(const struct plan *plan)
{
	return op_table[plan->op].name;
}

static int check_sizes(const struct plan *plan, struct error *err)
{
	uint64_t smallest = op_table[plan->op].smallest;

	for (uint32_t i = 0; i < plan->sizes.n; i++)
		if (plan->sizes.bytes[i] < smallest)
			return fail(err, -EINVAL, NULL,
				    "--size %llu: a %s has at least %llu byte",
				    (unsigned long long)plan->sizes.bytes[i],
				    op_name(plan),
				    (unsigned long long)smallest);
	return 0;
}

/* Latency is that of one message after the other. */
static int check_latency(const struct plan *plan, struct error *err)
{
	if (plan->qps != 1)
		return fail(err, -EINVAL, NULL,
			    "--qps %u: latency is measured on one queue pair",
			    plan->qps);
	if (plan->threads > 1)
		return fail(err, -EINVAL, NULL,
			    "--threads %u: latency is measured by one thread",
			    plan->threads);
	if (plan->post_list > 1)
		return fail(err, -EINVAL, NULL,
			    "--post-list %u: latency is measured one message "
			    "at a time", plan->post_list);
	return 0;
}

/* What is handed over, and signalled, at once must fit into the queue. */
static int check_queue(const struct plan *plan, struct error *err)
{
	const uint32_t depth = plan_send_queue(plan);

	if (plan->cq_mod != PLAN_AUTO && plan->cq_mod > depth)
		return fail(err, -EINVAL, NULL,
			    "--cq-mod %u: at most --tx-depth, which is %u",
			    plan->cq_mod, depth);
	if (plan->post_list > depth)
		return fail(err, -EINVAL, NULL,
			    "--post-list %u: at most --tx-depth, which is %u",
			    plan->post_list, depth);
	if (plan->threads > plan->qps)
		return fail(err, -EINVAL, NULL,
			    "--threads %u: at most --qps, which is %u",
			    plan->threads, plan->qps);
	return 0;
}

int plan_check(const struct plan *plan, struct error *err)
{
	int ret = check_sizes(plan, err);

	if (!ret && plan->metric == METRIC_LATENCY)
		ret = check_latency(plan, err);
	if (!ret)
		ret = check_queue(plan, err);
	if (ret)
		return ret;
	if (plan->round_trip && !plan_is_pingpong(plan))
		return fail(err, -EINVAL, NULL,
			    "--round-trip: only for a ping-pong, which "
			    "send_lat and write_lat are");
	if (plan->mtu != PLAN_AUTO && !mtu_from_bytes(plan->mtu))
		return fail(err, -EINVAL, NULL,
			    "--mtu %u: one of 256, 512, 1024, 2048, 4096",
			    plan->mtu);
	if (!plan->iterations && !plan->duration)
		return fail(err, -EINVAL, NULL,
			    "--duration 0: nothing would be measured");
	return plan_rate_check(plan, err);
}

/* Most QPs that share a CQ: each thread has its own. */
static uint64_t qps_per_cq(const struct plan *plan)
{
	uint64_t threads = larger(plan->threads, 1);

	return (plan->qps + threads - 1) / threads;
}

/* Completions that can be outstanding on one CQ. */
static uint64_t send_completions(const struct plan *plan)
{
	uint64_t most = 0;

	for (uint32_t i = 0; i < plan->sizes.n; i++) {
		uint64_t size = plan->sizes.bytes[i];

		most = larger(most, plan_depth(plan, size) /
					    plan_cq_mod(plan, size) + 1);
	}
	return qps_per_cq(plan) * most;
}

static int check_port(const char *end, const struct port *port,
		      struct error *err)
{
	if (port->state == IBV_PORT_ACTIVE)
		return 0;
	return fail(err, -ENETDOWN, "bring its link up",
		    "port %u of the %s's %s is %s", port->number, end,
		    port->device, port_state_name(port));
}

/* What is asked of one end against what its device can do. */
static int fit_end(const struct plan *plan, const char *end,
		   const struct port *port, bool client, struct error *err)
{
	const struct port_limits *max = &port->limits;
	const bool sends = client || plan_is_pingpong(plan);
	const bool receives = plan_posts_receives(plan, client) &&
			      plan->rx_depth != PLAN_AUTO;
	const bool shared = plan->threads <= 1, open = plan_is_open(plan);
	const struct {
		bool applies;
		const char *option;
		uint64_t asked;
		const char *limit;
		uint64_t most;
	} rules[] = {
		{ true, "--size", plan_largest(plan), "max_msg_sz",
		  max->max_msg_sz },
		{ true, "--qps", plan->qps, "max_qp", max->max_qp },
		{ sends, open ? "--depth" : "--tx-depth",
		  plan_send_queue(plan), "max_qp_wr", max->max_qp_wr },
		{ sends, shared ? "--qps x --tx-depth / --cq-mod" :
		  "--qps / --threads x --tx-depth / --cq-mod",
		  send_completions(plan), "max_cqe", max->max_cqe },
		{ receives, open ? "--depth" : "--rx-depth",
		  plan->rx_depth, "max_qp_wr", max->max_qp_wr },
		{ receives, shared ? "--qps x --rx-depth" :
		  "--qps / --threads x --rx-depth",
		  plan->rx_depth * qps_per_cq(plan), "max_cqe",
		  max->max_cqe },
		{ plan->mtu != PLAN_AUTO, "--mtu", plan->mtu, "active MTU",
		  mtu_bytes(port->active_mtu) },
	};

	for (size_t i = 0; i < sizeof(rules) / sizeof(*rules); i++)
		if (rules[i].applies && rules[i].asked > rules[i].most)
			return fail(err, -EINVAL, NULL,
				    "%s: %llu is above what the %s's %s allows "
				    "(%s %llu)", rules[i].option,
				    (unsigned long long)rules[i].asked, end,
				    port->device, rules[i].limit,
				    (unsigned long long)rules[i].most);
	return 0;
}

int plan_fit_client(const struct plan *plan, const struct port *port,
		    struct error *err)
{
	return fit_end(plan, "client", port, true, err);
}

/* A read: the smaller of what the client may start and the server answers. */
static int fit_reads(struct plan *plan, const struct port *client,
		     const struct port *server, struct error *err)
{
	uint64_t most = smaller(client->limits.max_qp_init_rd_atom,
				server->limits.max_qp_rd_atom);
	uint32_t *asked = &plan->outstanding_reads;

	most = smaller(most, OUTSTANDING_READS_MAX);
	if (plan->op != OP_READ) {
		*asked = 0;
		return 0;
	}
	if (!most)
		return fail(err, -EINVAL, NULL,
			    "RDMA read: the client's %s starts %u at once, "
			    "the server's %s answers %u",
			    client->device, client->limits.max_qp_init_rd_atom,
			    server->device, server->limits.max_qp_rd_atom);
	if (*asked == PLAN_AUTO)
		*asked = (uint32_t)most;
	if (*asked > most)
		return fail(err, -EINVAL, NULL,
			    "--outstanding-reads %u: the client's %s starts at "
			    "most %u at once, the server's %s answers %u",
			    *asked, client->device,
			    client->limits.max_qp_init_rd_atom, server->device,
			    server->limits.max_qp_rd_atom);
	return 0;
}

/* As many receives as both devices and their completion queues hold. */
static uint32_t automatic_rx_depth(const struct plan *plan,
				   const struct port *client,
				   const struct port *server)
{
	uint64_t n = plan_is_pingpong(plan) ? LATENCY_RX_DEPTH :
					      DEFAULT_RX_DEPTH;

	n = smaller(n, server->limits.max_cqe / qps_per_cq(plan));
	n = smaller(n, server->limits.max_qp_wr);
	if (plan_posts_receives(plan, true)) {
		n = smaller(n, client->limits.max_cqe);
		n = smaller(n, client->limits.max_qp_wr);
	}
	return (uint32_t)larger(n, 1);
}

int plan_fit(struct plan *plan, const struct port *client,
	     const struct port *server, struct error *err)
{
	int ret = check_port("client", client, err);

	if (!ret)
		ret = check_port("server", server, err);
	if (!ret)
		ret = plan_check(plan, err);
	if (!ret)
		ret = fit_reads(plan, client, server, err);
	if (ret)
		return ret;
	if (plan->rx_depth == PLAN_AUTO)
		plan->rx_depth = automatic_rx_depth(plan, client, server);
	if (plan->rx_depth < plan_least_rx_depth(plan))
		plan->rx_depth = plan_least_rx_depth(plan);
	ret = fit_end(plan, "client", client, true, err);
	if (!ret)
		ret = fit_end(plan, "server", server, false, err);
	if (!ret && plan->mtu == PLAN_AUTO)
		plan->mtu = (uint32_t)smaller(mtu_bytes(client->active_mtu),
					      mtu_bytes(server->active_mtu));
	return ret;
}
