/* A plan against what both ends' devices can do. */
#include "config.h"
#include "model/plan.h"

#include <errno.h>

#include "model/addressing.h"
#include "model/plan_rate.h"

#define LATENCY_RX_DEPTH 16
#define DEFAULT_RX_DEPTH 512
/* Thousands of QPs get by with less, each. */
#define RECEIVES_IN_ALL (1 << 17)
#define LEAST_RX_DEPTH 16
#define SHARED_RX_DEPTH 4096
/* Where each receive has a buffer of its own. */
#define RECEIVE_BYTES (8 << 20)
#define OUTSTANDING_READS_MAX 255	/* the field has 8 bits */

static uint64_t smaller(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static uint64_t larger(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* Send completions that one QP can have outstanding. */
static uint64_t send_completions(const struct plan *plan)
{
	uint64_t most = 1;

	for (uint32_t i = 0; i < plan->sizes.n; i++) {
		uint64_t size = plan->sizes.bytes[i];

		most = larger(most, plan_depth(plan, size) /
					    plan_cq_mod(plan, size) + 1);
	}
	if (plan_is_fenced(plan))
		most = plan_send_capacity(plan);
	return most;
}

uint32_t plan_qps_per_cq(const struct plan *plan, bool client,
			 const struct port_limits *limits)
{
	uint64_t threads = larger(plan->threads, 1);
	uint64_t all = (plan->qps + threads - 1) / threads;
	uint64_t each = 1;

	if (plan_sends(plan, client) || plan_is_fenced(plan))
		each = send_completions(plan);
	if (plan_posts_receives(plan, client) && !plan->srq)
		each = larger(each, plan->rx_depth);
	return (uint32_t)larger(smaller(all, limits->max_cqe / each), 1);
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
	const bool sends = plan_sends(plan, client);
	const bool receives = plan_posts_receives(plan, client) &&
			      plan->rx_depth != PLAN_AUTO;
	const bool srq = receives && plan->srq, open = plan_is_open(plan);
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
		  plan_send_capacity(plan), "max_qp_wr", max->max_qp_wr },
		{ sends, "--tx-depth / --cq-mod", send_completions(plan),
		  "max_cqe", max->max_cqe },
		{ receives && !srq, open ? "--depth" : "--rx-depth",
		  plan->rx_depth, "max_qp_wr", max->max_qp_wr },
		{ receives, "--rx-depth", plan->rx_depth, "max_cqe",
		  max->max_cqe },
		{ srq, "--srq, of each of --threads", plan->threads, "max_srq",
		  max->max_srq },
		{ srq, "--rx-depth", plan->rx_depth, "max_srq_wr",
		  max->max_srq_wr },
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
	return plan_fit_memory(plan, end, port, client, err);
}

/* A UD message is one packet. */
static int check_datagram(const struct plan *plan, uint32_t mtu,
			  const char *which, struct error *err)
{
	if (plan->transport != TRANSPORT_UD || plan_largest(plan) <= mtu)
		return 0;
	return fail(err, -EINVAL, NULL,
		    "--size %llu: over UD a message is at most the %s MTU, "
		    "which is %u", (unsigned long long)plan_largest(plan),
		    which, mtu);
}

int plan_fit_client(const struct plan *plan, const struct port *port,
		    struct error *err)
{
	uint32_t mtu = plan->mtu == PLAN_AUTO ? mtu_bytes(port->active_mtu) :
						plan->mtu;
	int ret = fit_end(plan, "client", port, true, err);

	if (!ret && !plan->all)
		ret = check_datagram(plan, mtu, "client's", err);
	return ret;
}

/* How many reads or atomics FROM may start at once and TO answers. */
static int fit_reads_from(uint32_t *asked, const struct port *from,
			  const char *from_name, const struct port *to,
			  const char *to_name, struct error *err)
{
	uint64_t most = smaller(from->limits.max_qp_init_rd_atom,
				to->limits.max_qp_rd_atom);

	most = smaller(most, OUTSTANDING_READS_MAX);
	if (!most)
		return fail(err, -EINVAL, NULL,
			    "RDMA read: the %s's %s starts %u at once, the "
			    "%s's %s answers %u", from_name, from->device,
			    from->limits.max_qp_init_rd_atom, to_name,
			    to->device, to->limits.max_qp_rd_atom);
	if (*asked == PLAN_AUTO)
		*asked = (uint32_t)most;
	if (*asked <= most)
		return 0;
	return fail(err, -EINVAL, NULL,
		    "--outstanding-reads %u: the %s's %s starts at most %u at "
		    "once, the %s's %s answers %u", *asked, from_name,
		    from->device, from->limits.max_qp_init_rd_atom, to_name,
		    to->device, to->limits.max_qp_rd_atom);
}

/* Left open it is the most that both directions can. */
static int fit_reads(struct plan *plan, const struct port *client,
		     const struct port *server, struct error *err)
{
	uint32_t out = plan->outstanding_reads, in = out;
	int ret = 0;

	if (!op_table[plan->op].fetches) {
		plan->outstanding_reads = 0;
		return 0;
	}
	if (plan_sends(plan, true))
		ret = fit_reads_from(&out, client, "client", server, "server",
				     err);
	if (!ret && plan_sends(plan, false))
		ret = fit_reads_from(&in, server, "server", client, "client",
				     err);
	if (!ret)
		plan->outstanding_reads = (uint32_t)smaller(out, in);
	return ret;
}

/* As many receives as a device holds. */
static uint64_t most_receives(const struct plan *plan, bool client,
			      const struct port_limits *limits)
{
	if (!plan_posts_receives(plan, client))
		return UINT64_MAX;
	return smaller(limits->max_cqe, plan->srq ? limits->max_srq_wr :
						    limits->max_qp_wr);
}

static uint32_t automatic_rx_depth(const struct plan *plan,
				   const struct port *client,
				   const struct port *server)
{
	uint64_t n = smaller(DEFAULT_RX_DEPTH,
			     larger(RECEIVES_IN_ALL / plan->qps,
				    LEAST_RX_DEPTH));

	if (plan->srq)
		n = SHARED_RX_DEPTH;
	if (plan_is_pingpong(plan))
		n = LATENCY_RX_DEPTH;
	if (plan->verify)
		n = smaller(n, RECEIVE_BYTES / plan_receive_size(plan));
	n = smaller(n, most_receives(plan, true, &client->limits));
	n = smaller(n, most_receives(plan, false, &server->limits));
	return (uint32_t)larger(n, larger(plan->recv_post_list, 1));
}

/* Sizes that nobody named stop at one packet. */
static int fit_datagrams(struct plan *plan, struct error *err)
{
	struct sizes *sizes = &plan->sizes;

	if (plan->transport != TRANSPORT_UD)
		return 0;
	while (plan->all && sizes->n > 1 &&
	       sizes->bytes[sizes->n - 1] > plan->mtu)
		sizes->n--;
	return check_datagram(plan, plan->mtu, "path", err);
}

int plan_fit(struct plan *plan, const struct port *client,
	     const struct port *server, struct error *err)
{
	int ret = check_port("client", client, err);

	if (!ret)
		ret = check_port("server", server, err);
	if (!ret)
		ret = addressing_check_pkeys(client, server, err);
	if (!ret)
		ret = plan_check(plan, err);
	if (!ret)
		ret = fit_reads(plan, client, server, err);
	if (!ret && plan->mtu == PLAN_AUTO)
		plan->mtu = (uint32_t)smaller(mtu_bytes(client->active_mtu),
					      mtu_bytes(server->active_mtu));
	if (!ret)
		ret = fit_datagrams(plan, err);
	if (ret)
		return ret;
	if (plan->rx_depth == PLAN_AUTO)
		plan->rx_depth = automatic_rx_depth(plan, client, server);
	if (plan->rx_depth < plan_least_rx_depth(plan))
		plan->rx_depth = plan_least_rx_depth(plan);
	ret = fit_end(plan, "client", client, true, err);
	return ret ? ret : fit_end(plan, "server", server, false, err);
}
