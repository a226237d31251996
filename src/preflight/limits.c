/* Preflight: compares what a plan asks of each end with its device's limits. */
#include "config.h"
#include "preflight/check.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "base/numbers.h"
#include "model/plan.h"

/* Warn above this fraction of a resource that all users of a device share. */
#define NEARLY_ALL 0.9

/* One device limit, and what the plan asks of it. */
struct device_limit {
	const char *name;
	size_t offset; /* of a uint32_t in struct port_limits */
	bool wide;     /* it is a uint64_t */
	bool shared;   /* shared by all users of the device */
	/* number needed at one end; 0: none */
	uint64_t (*asked)(const struct plan *plan, bool client);
	const char *option;
	const char *open_option; /* option for an open loop; NULL: the same */
	const char *what;	 /* subject and verb for several; NULL: "is" */
	const char *less;	 /* advice; NULL: "use OPTION with less" */
};

static uint64_t asked_size(const struct plan *plan, bool client)
{
	(void)client;
	return plan_largest(plan);
}

static uint64_t asked_qps(const struct plan *plan, bool client)
{
	return (uint64_t)plan_qps(plan, client) *
	       (plan_has_targets(plan) ? 2 : 1);
}

static uint64_t asked_sends(const struct plan *plan, bool client)
{
	return plan_sends(plan, client) ? plan_send_capacity(plan) : 0;
}

static uint64_t asked_requests(const struct plan *plan, bool client)
{
	return plan->batch.n && plan_sends(plan, client) ?
		       plan_longest_list(plan) : 0;
}

static uint64_t asked_send_completions(const struct plan *plan, bool client)
{
	return plan_sends(plan, client) ? plan_send_completions(plan) : 0;
}

/* Receives that this end posts.  0 while automatic, because the depth is then
 * chosen to fit both devices. */
static uint64_t all_receives(const struct plan *plan, bool client)
{
	return plan_posts_receives(plan, client) &&
	       plan->rx_depth != PLAN_AUTO ? plan->rx_depth : 0;
}

static uint64_t asked_receives(const struct plan *plan, bool client)
{
	return plan_shares_receives(plan) ? 0 : all_receives(plan, client);
}

static uint64_t asked_shared_queues(const struct plan *plan, bool client)
{
	if (plan_has_targets(plan))
		return plan->threads;
	return plan->srq && all_receives(plan, client) ? plan->threads : 0;
}

static uint64_t asked_shared_receives(const struct plan *plan, bool client)
{
	return plan_shares_receives(plan) ? all_receives(plan, client) : 0;
}

static uint64_t asked_regions(const struct plan *plan, bool client)
{
	if (!plan->mr_per_qp)
		return 0;
	/* plus the small one of verbs/challenge.c */
	return (uint64_t)plan_qps(plan, client) * plan_regions(plan) +
	       plan_is_unreliable(plan);
}

/* Multicast groups of the end that is attached to one. */
static uint64_t asked_groups(const struct plan *plan, bool client)
{
	return plan->mcast.wanted && plan_posts_receives(plan, client);
}

/* Queue pairs in one group, if there are several; a single one is never too
 * many. */
static uint64_t asked_members(const struct plan *plan, bool client)
{
	return !client && plan_copies(plan) > 1 ? plan_copies(plan) : 0;
}

static uint64_t asked_entries(const struct plan *plan, bool client)
{
	uint32_t sends = plan_send_entries(plan, client);
	uint32_t receives = plan_receive_entries(plan, client);
	uint64_t n = larger(sends, plan_shares_receives(plan) ? 0 : receives);

	return n > 1 ? n : 0;
}

static uint64_t asked_read_entries(const struct plan *plan, bool client)
{
	uint32_t n = plan_send_entries(plan, client);

	return plan->op == OP_READ && n > 1 ? n : 0;
}

static uint64_t asked_shared_entries(const struct plan *plan, bool client)
{
	uint32_t n = plan_receive_entries(plan, client);

	return plan_shares_receives(plan) && n > 1 ? n : 0;
}

static const char *option_of(const struct device_limit *limit,
			     const struct plan *plan)
{
	return limit->open_option && plan_is_open(plan) ? limit->open_option :
							  limit->option;
}

/* What the current check's limit is for. */
static uint64_t asked_of(const struct end *end)
{
	return end->ends->check->limit->asked(end->plan, end->client);
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
	char advice[160];

	if (!is_short(end) || is_worse(&end->ends->end[!end->client], end))
		return 0;
	if (limit->less)
		snprintf(advice, sizeof(advice), "%s, or choose another device "
			 "at the %s with -d",
			 limit->less, end->name);
	else
		snprintf(advice, sizeof(advice), "use %s %" PRIu64 " or less, "
			 "or choose another device at the %s with -d",
			 option, most, end->name);
	return fail(err, -EINVAL, advice, "%s: %" PRIu64 " %s above what the "
		    "%s's %s allows (%s %" PRIu64 ")",
		    option, asked_of(end),
		    limit->what ? limit->what : "is", end->name,
		    end->port->device, limit->name, most);
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

static bool wants_paging(const struct end *end)
{
	return end->plan->odp;
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

static bool wants_pacing(const struct end *end)
{
	return end->plan->pacing == PACING_DEVICE;
}

static void show_pacing(const struct end *end, char *text)
{
	const struct port_limits *limits = &end->port->limits;

	if (!port_is_ethernet(end->port))
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

static int refuse_pacing(const struct end *end, struct error *err)
{
	return plan_sends(end->plan, end->client) ? pacing_judge(end, err) : 0;
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
	CHECK("max_msg_sz", max_msg_sz, .wide = true, .asked = asked_size,
	      .option = "--size"),
	CHECK("max_qp", max_qp, .shared = true, .asked = asked_qps,
	      .option = "--qps"),
	CHECK("max_qp_wr, batch", max_qp_wr, .asked = asked_requests,
	      .option = "--batch", .what = "requests on a queue pair are",
	      .less = "use more --qps or fewer requests"),
	CHECK("max_qp_wr, sends", max_qp_wr, .asked = asked_sends,
	      .option = "--tx-depth", .open_option = "--depth",
	      .less = "use a smaller send queue"),
	CHECK("max_cqe, sends", max_cqe, .asked = asked_send_completions,
	      .option = "--tx-depth / --cq-mod",
	      .less = "use a smaller --tx-depth or a larger --cq-mod"),
	CHECK("max_qp_wr, receives", max_qp_wr, .asked = asked_receives,
	      .option = "--rx-depth", .open_option = "--depth"),
	CHECK("max_cqe, receives", max_cqe, .asked = all_receives,
	      .option = "--rx-depth"),
	CHECK("max_srq", max_srq, .shared = true, .asked = asked_shared_queues,
	      .option = "--srq, of each of --threads",
	      .less = "use fewer --threads, or no --srq"),
	CHECK("max_srq_wr", max_srq_wr, .asked = asked_shared_receives,
	      .option = "--rx-depth"),
	CHECK("max_mr", max_mr, .shared = true, .asked = asked_regions,
	      .option = "--mr-per-qp", .what = "memory regions are",
	      .less = "use fewer --qps"),
	CHECK("max_mcast_grp", max_mcast_grp, .asked = asked_groups,
	      .option = "--mcast", .what = "multicast group is",
	      .less = "leave --mcast out"),
	CHECK("max_mcast_qp_attach", max_mcast_qp_attach,
	      .asked = asked_members, .option = "--receivers"),
	CHECK("max_sge", max_sge, .asked = asked_entries, .option = "--sge"),
	CHECK("max_sge_rd", max_sge_rd, .asked = asked_read_entries,
	      .option = "--sge"),
	CHECK("max_srq_sge", max_srq_sge, .asked = asked_shared_entries,
	      .option = "--sge"),
	{ .label = "on-demand paging", .applies = wants_paging,
	  .show = show_paging, .refuse = paging_judge },
	{ .label = "rate by the device", .applies = wants_pacing,
	  .show = show_pacing, .need = need_pacing, .refuse = refuse_pacing },
	{ .label = NULL },
};
// clang-format on
