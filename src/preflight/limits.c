/* Preflight: compares what a plan asks of each end with its device's limits. */
#include "config.h"
#include "preflight/check.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/numbers.h"
#include "model/plan.h"

/* Warn above this fraction of a resource that all users of a device share. */
#define NEARLY_ALL 0.9

/* What a plan asks of a device, as a number: see asked_of(). */
enum asked {
	SIZE, QPS, SENDS, SEND_COMPLETIONS, REQUESTS, RECEIVES, OWN_RECEIVES,
	SHARED_RECEIVES, SHARED_QUEUES, REGIONS, MCAST_GROUPS, MCAST_MEMBERS,
	ENTRIES, READ_ENTRIES, SHARED_ENTRIES,
};

/* One device limit, and what the plan asks of it. */
struct device_limit {
	const char *name;
	size_t offset; /* of a uint32_t in struct port_limits */
	bool wide;     /* it is a uint64_t */
	bool shared;   /* shared by all users of the device */
	enum asked asked;
	const char *option;
	const char *open_option; /* option for an open loop; NULL: the same */
	const char *what;	 /* subject and verb for several; NULL: "is" */
	const char *less;	 /* advice; NULL: "use OPTION with less" */
};

/* 0 for one: every device can do that. */
static uint64_t several(uint64_t n)
{
	return n > 1 ? n : 0;
}

/* What the plan asks of the current check's limit at END; 0: nothing. */
static uint64_t asked_of(const struct end *end)
{
	const struct plan *plan = end->plan;
	const bool client = end->client;
	const bool sends = plan_sends(plan, client);
	const bool takes = plan_posts_receives(plan, client);
	const bool shared = plan_shares_receives(plan);
	const uint64_t qps = plan_qps(plan, client);
	const uint64_t send_entries = plan_send_entries(plan, client);
	const uint64_t receive_entries = plan_receive_entries(plan, client);
	/* an automatic depth is chosen to fit both devices */
	const uint64_t receives = takes && plan->rx_depth != PLAN_AUTO ?
					  plan->rx_depth : 0;
	const uint64_t asked[] = {
		[SIZE] = plan_largest(plan),
		[QPS] = plan_has_targets(plan) ? 2 * qps : qps,
		[SENDS] = sends ? plan_send_capacity(plan) : 0,
		[SEND_COMPLETIONS] = sends ? plan_send_completions(plan) : 0,
		[REQUESTS] = sends && plan->batch.n ?
				     plan_longest_list(plan) : 0,
		[RECEIVES] = receives,
		[OWN_RECEIVES] = shared ? 0 : receives,
		[SHARED_RECEIVES] = shared ? receives : 0,
		[SHARED_QUEUES] = plan_has_targets(plan) ||
				  (plan->srq && receives) ? plan->threads : 0,
		/* plus the small one of verbs/challenge.c */
		[REGIONS] = plan->mr_per_qp ? qps * plan_regions(plan) +
					      plan_is_unreliable(plan) : 0,
		[MCAST_GROUPS] = plan->mcast.wanted && takes,
		[MCAST_MEMBERS] = client ? 0 : several(plan_copies(plan)),
		[ENTRIES] = several(larger(send_entries,
					   shared ? 0 : receive_entries)),
		[READ_ENTRIES] =
			plan->op == OP_READ ? several(send_entries) : 0,
		[SHARED_ENTRIES] = shared ? several(receive_entries) : 0,
	};

	return asked[end->ends->check->limit->asked];
}

static const char *option_of(const struct device_limit *limit,
			     const struct plan *plan)
{
	return limit->open_option && plan_is_open(plan) ? limit->open_option :
							  limit->option;
}

static uint64_t most_of(const struct end *end)
{
	const struct device_limit *limit = end->ends->check->limit;
	const char *at = (const char *)&end->port->limits + limit->offset;

	return limit->wide ? *(const uint64_t *)at : *(const uint32_t *)at;
}

static bool is_asked(const struct end *end)
{
	return asked_of(end);
}

static void show_limit(const struct end *end, char *text)
{
	preflight_print(text, "%" PRIu64, most_of(end));
}

static void need_limit(const struct ends *ends, char *text)
{
	uint64_t client = asked_of(&ends->end[true]);
	uint64_t server = asked_of(&ends->end[false]);

	if (client == server)
		preflight_print(text, "%" PRIu64, client);
	else if (!client || !server)
		preflight_print(text, "%" PRIu64 " at the %s",
				client ? client : server,
				client ? "client" : "server");
	else
		preflight_print(text, "%" PRIu64 ", %" PRIu64, client, server);
}

static bool is_short(const struct end *end)
{
	return end->port && asked_of(end) > most_of(end);
}

/* When both ends fall short, the one with less is reported: what fits it fits
 * both. */
static bool is_worse(const struct end *end, const struct end *other)
{
	return is_short(end) && most_of(end) < most_of(other);
}

static int refuse_limit(const struct end *end, struct error *err)
{
	const struct device_limit *limit = end->ends->check->limit;
	uint64_t most = most_of(end);
	const char *option = option_of(limit, end->plan);
	char less[80];

	if (!is_short(end) || is_worse(&end->ends->end[!end->client], end))
		return 0;
	snprintf(less, sizeof(less), "use %s %" PRIu64 " or less", option,
		 most);
	return fail_advise(err, -EINVAL,
			   "%s: %" PRIu64 " %s above what the %s's %s allows "
			   "(%s %" PRIu64 ")\n"
			   "%s, or choose another device at the %s with -d",
			   option, asked_of(end),
			   limit->what ? limit->what : "is", end->name,
			   end->port->device, limit->name, most,
			   limit->less ? limit->less : less, end->name);
}

static void warn_limit(const struct ends *ends, struct error *err)
{
	const struct device_limit *limit = ends->check->limit;

	for (int client = 1; client >= 0 && limit->shared; client--) {
		const struct end *end = &ends->end[client];
		uint64_t asked = asked_of(end), most = most_of(end);

		if ((double)asked <= NEARLY_ALL * (double)most)
			continue;
		fail(err, -EINVAL,
		     "other programs use some of them, too: use fewer if they "
		     "cannot be created",
		     "%s: %" PRIu64 " %s nearly all that the %s's %s has (%s "
		     "%" PRIu64 ")",
		     option_of(limit, ends->plan), asked,
		     limit->what ? limit->what : "is", end->name,
		     end->port->device, limit->name, most);
		return;
	}
}

/* Bytes of a block of mlx5's send queue, in which its max_qp_wr counts. */
#define MLX5_BLOCK 64
/* Bytes of a send of mlx5: what each begins with, what an RDMA operation or an
 * atomic adds, what an address takes, and an entry; and what ibv_create_qp(3),
 * which does not say the operation, leaves for one that binds a memory window
 * (sq_overhead() in rdma-core's providers/mlx5/verbs.c). */
#define MLX5_SEND 16
#define MLX5_RDMA 32
#define MLX5_ATOMIC 48
#define MLX5_BIND 192
#define MLX5_XRC 16
#define MLX5_DATAGRAM 48
#define MLX5_ENTRY 16

/* Bytes of a send of PLAN without inline data on mlx5, before its entries. */
static uint32_t mlx5_overhead(const struct plan *plan)
{
	const struct op_info *op = &op_table[plan->op];
	/* as resources_create() chooses the method */
	const bool legacy = plan->post == POST_LEGACY ||
			    (plan->post == POST_AUTO && plan->sge > 1);

	if (plan_is_datagram(plan))
		return MLX5_SEND + MLX5_DATAGRAM;
	return (plan->transport == TRANSPORT_XRC ? MLX5_XRC : 0) +
	       (legacy ? MLX5_BIND : op_is_atomic(plan->op) ? MLX5_ATOMIC :
		op->access ? MLX5_RDMA : MLX5_SEND);
}

/* Blocks of the send queue at END, which is a power of two; 0: not mlx5's. */
static uint64_t mlx5_blocks(const struct end *end)
{
	const struct plan *plan = end->plan;
	uint64_t bytes, blocks = 1, needed;

	if (strcmp(facts_text(end->facts, FACT_DRIVER), "mlx5_core") != 0 ||
	    !plan_sends(plan, end->client))
		return 0;
	bytes = mlx5_overhead(plan) +
		larger(plan_send_entries(plan, end->client), 1) * MLX5_ENTRY;
	needed = plan_send_capacity(plan) * round_up(bytes, MLX5_BLOCK) /
		 MLX5_BLOCK;
	while (blocks < needed)
		blocks *= 2;
	return blocks;
}

static bool has_blocks(const struct end *end)
{
	return end->port && mlx5_blocks(end);
}

static void show_blocks(const struct end *end, char *text)
{
	if (has_blocks(end))
		preflight_print(text, "%u", end->port->limits.max_qp_wr);
}

static void need_blocks(const struct ends *ends, char *text)
{
	const struct end *end = &ends->end[has_blocks(&ends->end[true])];

	preflight_print(text, "%" PRIu64 " at the %s", mlx5_blocks(end),
			end->name);
}

/* Only for --check: a run learns it from the device. */
static int inspect_blocks(const struct end *end, struct error *err)
{
	const uint64_t blocks = has_blocks(end) ? mlx5_blocks(end) : 0;
	const uint32_t most = end->port->limits.max_qp_wr;

	if (blocks <= most)
		return 0;
	return fail(err, -EINVAL, end->plan->sge > 1 ?
		    "use a smaller --tx-depth or --sge" :
		    "use a smaller --tx-depth",
		    "%s %s needs %" PRIu64 " blocks of %u bytes for a send "
		    "queue of %u with %u entries each, and has %u (max_qp_wr)",
		    end->whose, end->port->device, blocks, MLX5_BLOCK,
		    plan_send_capacity(end->plan), end->plan->sge, most);
}

static bool has_reads(const struct end *end)
{
	return op_table[end->plan->op].fetches;
}

static void show_reads(const struct end *end, char *text)
{
	const struct port_limits *limits = &end->port->limits;

	preflight_print(text, "starts %u, answers %u",
			limits->max_qp_init_rd_atom, limits->max_qp_rd_atom);
}

static void need_reads(const struct ends *ends, char *text)
{
	uint32_t client = plan_reads(ends->plan, true);
	uint32_t server = plan_reads(ends->plan, false);

	if (ends->plan->outstanding_reads == PLAN_AUTO)
		return;
	if (client && server && client != server)
		preflight_print(text, "%u, %u", client, server);
	else
		preflight_print(text, "%u", client ? client : server);
}

/* Check the reads or atomics that FROM starts. */
static int refuse_reads_of(const struct end *from, struct error *err)
{
	const struct end *to = &from->ends->end[!from->client];
	uint32_t asked = plan_reads(from->plan, from->client);
	uint32_t most = plan_most_reads(from->port, to->port);

	if (!plan_sends(from->plan, from->client))
		return 0;
	if (!most)
		return fail(err, -EINVAL,
			    "choose other devices with -d: one of these "
			    "supports neither reads nor atomics in this "
			    "direction",
			    "RDMA read: the %s's %s starts %u at once, the "
			    "%s's %s answers %u",
			    from->name, from->port->device,
			    from->port->limits.max_qp_init_rd_atom, to->name,
			    to->port->device, to->port->limits.max_qp_rd_atom);
	if (asked <= most)
		return 0;
	return fail(err, -EINVAL, "ask for no more than both support, or leave "
		    "--outstanding-reads out",
		    "--outstanding-reads %u: the %s's %s starts at most %u at "
		    "once, the %s's %s answers %u",
		    asked, from->name, from->port->device,
		    from->port->limits.max_qp_init_rd_atom, to->name,
		    to->port->device, to->port->limits.max_qp_rd_atom);
}

static int refuse_reads(const struct ends *ends, struct error *err)
{
	return refuse_reads_of(&ends->end[true], err) ?:
	       refuse_reads_of(&ends->end[false], err);
}

static bool wants_xrc(const struct end *end)
{
	return plan_has_targets(end->plan);
}

static void show_xrc(const struct end *end, char *text)
{
	preflight_print(text, "%s", end->port->limits.xrc ? "yes" : "no");
}

static int refuse_xrc(const struct end *end, struct error *err)
{
	if (end->port->limits.xrc)
		return 0;
	return fail(err, -EOPNOTSUPP,
		    "use -c RC, or choose another device with -d",
		    "--transport XRC: the %s's %s has no XRC",
		    end->name, end->port->device);
}

static void show_paging(const struct end *end, char *text)
{
	static const char *const names[] = { "send", "receive", "write",
					     "read", "atomic",	"SRQ" };
	const struct port_limits *limits = &end->port->limits;
	uint32_t can = limits->odp[end->plan->transport];
	char list[PREFLIGHT_CELL] = "";

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (can >> i & 1)
			text_append(list, sizeof(list), "%s%s",
				    *list ? " " : "", names[i]);
	preflight_print(text, "%s", *list ? list : "none");
}

/* Demand that the device pages WHAT, which is BIT of enum
 * ibv_odp_transport_cap_bits. */
static int require_paging(const struct end *end, uint32_t bit, const char *what,
			  struct error *err)
{
	const uint32_t *can = end->port->limits.odp;
	const enum transport transport = end->plan->transport;
	uint32_t any = 0;

	if (can[transport] & bit)
		return 0;
	for (int i = 0; i < TRANSPORTS; i++)
		any |= can[i];
	return fail(err, -EINVAL, "leave --odp out", any ?
		    "--odp: the %s's %s does not support on-demand paging for "
		    "%s over %s" :
		    "--odp: the %s's %s does not support on-demand paging",
		    end->name, end->port->device, what,
		    transport_table[transport].name);
}

/* The memory of both the requester and the responder is paged; for sends, the
 * responder's memory is that of its receives. */
int refuse_paging(const struct end *end, struct error *err)
{
	const struct op_info *info = &op_table[end->plan->op];
	/* the receives of a write take only its immediate data */
	const bool into_memory = plan_posts_receives(end->plan, end->client) &&
				 !info->access;
	char what[16];
	int ret = 0;

	snprintf(what, sizeof(what), "%ss", info->name);
	if (plan_sends(end->plan, end->client) ||
	    info->paging != IBV_ODP_SUPPORT_SEND)
		ret = require_paging(end, info->paging, what, err);
	if (ret || !into_memory)
		return ret;
	return plan_shares_receives(end->plan) ?
		       require_paging(end, IBV_ODP_SUPPORT_SRQ_RECV,
				      "receives of a shared queue", err) :
		       require_paging(end, IBV_ODP_SUPPORT_RECV, "receives",
				      err);
}

static bool wants_pacing(const struct end *end)
{
	return end->plan->pacing == PACING_DEVICE;
}

static void show_pacing(const struct end *end, char *text)
{
	const struct port_limits *limits = &end->port->limits;

	if (port_has_lids(end->port))
		preflight_print(text, "static rates");
	else if (limits->pacing_known && !limits->max_kbps)
		preflight_print(text, "none");
	else if (limits->pacing_known)
		preflight_print(text, "%u to %u kb/s", limits->min_kbps,
				limits->max_kbps);
}

static void need_pacing(const struct ends *ends, char *text)
{
	preflight_print(text, "%" PRIu64 " kb/s per QP",
			pacing_share(ends->plan));
}

static int refuse_static_rate(const struct end *end, struct error *err)
{
	if (pacing_static_rate(end->plan))
		return 0;
	return fail(err, -EINVAL, "use --pacing loop, which keeps any rate",
		    "--pacing device: the %s's %s is an InfiniBand port, where "
		    "each queue pair sends at %s, not at %" PRIu64 " kb/s",
		    end->name, end->port->device, pacing_static_rates,
		    pacing_share(end->plan));
}

/* What a peer's device can do is not known here; the peer checks it itself. */
static int refuse_pacing(const struct end *end, struct error *err)
{
	const struct port_limits *limits = &end->port->limits;
	const uint64_t share = pacing_share(end->plan);
	const struct transport_info *info =
		&transport_table[end->plan->transport];

	if (!plan_sends(end->plan, end->client))
		return 0;
	if (port_has_lids(end->port))
		return refuse_static_rate(end, err);
	if (!limits->pacing_known)
		return 0;
	if (!limits->max_kbps || !(limits->paced_types >> info->qp_type & 1))
		return fail(err, -EINVAL, "use --pacing loop",
			    "--pacing device: the %s's %s has no packet pacing "
			    "for %s", end->name, end->port->device, info->name);
	if (share >= limits->min_kbps && share <= limits->max_kbps)
		return 0;
	return fail(err, -EINVAL,
		    "change --rate or --qps, or use --pacing loop",
		    "--pacing device: the %s's %s paces a queue pair at %u to "
		    "%u kb/s, not at %" PRIu64, end->name, end->port->device,
		    limits->min_kbps, limits->max_kbps, share);
}

// clang-format off
#define CHECK(what, field, ...) \
	{ .label = what, .limit = &(const struct device_limit){ \
		.name = #field, .offset = offsetof(struct port_limits, field), \
		__VA_ARGS__ }, \
	  .applies = is_asked, .show = show_limit, .need = need_limit, \
	  .refuse = refuse_limit, .warn = warn_limit }

const struct check limit_checks[] = {
	{ .label = "XRC", .applies = wants_xrc, .show = show_xrc,
	  .refuse = refuse_xrc },
	{ .label = "outstanding reads", .applies = has_reads,
	  .show = show_reads, .need = need_reads, .refuse_pair = refuse_reads },
	CHECK("max_msg_sz", max_msg_sz, .wide = true, .asked = SIZE,
	      .option = "--size"),
	CHECK("max_qp", max_qp, .shared = true, .asked = QPS,
	      .option = "--qps"),
	CHECK("max_qp_wr, batch", max_qp_wr, .asked = REQUESTS,
	      .option = "--batch", .what = "requests on a queue pair are",
	      .less = "use more --qps or fewer requests"),
	CHECK("max_qp_wr, sends", max_qp_wr, .asked = SENDS,
	      .option = "--tx-depth", .open_option = "--depth",
	      .less = "use a smaller send queue"),
	{ .label = "max_qp_wr, blocks", .applies = has_blocks,
	  .show = show_blocks, .need = need_blocks, .inspect = inspect_blocks,
	  .wrong = true, .cost = "the queue pairs cannot be created" },
	CHECK("max_cqe, sends", max_cqe, .asked = SEND_COMPLETIONS,
	      .option = "--tx-depth / --cq-mod",
	      .less = "use a smaller --tx-depth or a larger --cq-mod"),
	CHECK("max_qp_wr, receives", max_qp_wr, .asked = OWN_RECEIVES,
	      .option = "--rx-depth", .open_option = "--depth"),
	CHECK("max_cqe, receives", max_cqe, .asked = RECEIVES,
	      .option = "--rx-depth"),
	CHECK("max_srq", max_srq, .shared = true, .asked = SHARED_QUEUES,
	      .option = "--srq, of each of --threads",
	      .less = "use fewer --threads, or no --srq"),
	CHECK("max_srq_wr", max_srq_wr, .asked = SHARED_RECEIVES,
	      .option = "--rx-depth"),
	CHECK("max_mr", max_mr, .shared = true, .asked = REGIONS,
	      .option = "--mr-per-qp", .what = "memory regions are",
	      .less = "use fewer --qps"),
	CHECK("max_mcast_grp", max_mcast_grp, .asked = MCAST_GROUPS,
	      .option = "--mcast", .what = "multicast group is",
	      .less = "leave --mcast out"),
	CHECK("max_mcast_qp_attach", max_mcast_qp_attach,
	      .asked = MCAST_MEMBERS, .option = "--receivers"),
	CHECK("max_sge", max_sge, .asked = ENTRIES, .option = "--sge"),
	CHECK("max_sge_rd", max_sge_rd, .asked = READ_ENTRIES,
	      .option = "--sge"),
	CHECK("max_srq_sge", max_srq_sge, .asked = SHARED_ENTRIES,
	      .option = "--sge"),
	{ .label = "on-demand paging", .option = offsetof(struct plan, odp),
	  .show = show_paging, .refuse = refuse_paging },
	{ .label = "rate by the device", .applies = wants_pacing,
	  .show = show_pacing, .need = need_pacing, .refuse = refuse_pacing },
	{ .label = NULL },
};
// clang-format on
