/* Preflight: the host and the device of each end, and whether its link is up.
 */
#include "config.h"
#include "preflight/check.h"

#include <errno.h>
#include <string.h>

static void show_host(const struct end *end, char *text)
{
	preflight_print(text, "%s", end->port->hostname);
}

static void show_device(const struct end *end, char *text)
{
	preflight_print(text, "%s port %u", end->port->device,
			end->port->number);
}

static void show_firmware(const struct end *end, char *text)
{
	preflight_print(text, "%s", end->port->firmware);
}

/* True when both names begin with the same driver name: mlx5_0 and mlx5_1. */
static bool same_kind(const char *a, const char *b)
{
	size_t n = strcspn(a, "0123456789_");

	return n == strcspn(b, "0123456789_") && !strncmp(a, b, n);
}

static void warn_firmware(const struct ends *ends, struct error *err)
{
	const struct port *client = ends->client, *server = ends->server;

	if (!client->firmware[0] || !server->firmware[0] ||
	    !strcmp(client->firmware, server->firmware) ||
	    !same_kind(client->device, server->device))
		return;
	fail(err, -EINVAL,
	     "give both ends the same firmware before comparing results",
	     "the client's %s has firmware %s, the server's %s has %s",
	     client->device, client->firmware, server->device,
	     server->firmware);
}

static void show_state(const struct end *end, char *text)
{
	preflight_print(text, "%s", port_state_name(end->port));
}

static int refuse_state(const struct end *end, struct error *err)
{
	const char *where = end->ends->alone ? "" :
			    end->client ? " on the client" : " on the server";

	if (end->port->state == IBV_PORT_ACTIVE)
		return 0;
	return fail_advise(err, -ENETDOWN, "port %u of %s %s is %s\n"
			   "bring its link up%s (ip link set ... up), or choose "
			   "another port%s with -d and -i", end->port->number,
			   end->whose, end->port->device,
			   port_state_name(end->port), where,
			   end->ends->alone ? "" : " there");
}

static void show_link_layer(const struct end *end, char *text)
{
	preflight_print(text, "%s", port_kind_name(end->port));
}

/* The kinds of ports that lack something. */
enum { IWARP = 1, EFA = 2, OTHERS = 4 };

static unsigned int kind_of(const struct port *port)
{
	if (port->iwarp)
		return IWARP;
	if (port_is_efa(port))
		return EFA;
	return port->transport ? OTHERS : 0;
}

/* Many sends, each signaled, are what EFA has. */
static bool leaves_unsignaled(const struct plan *plan)
{
	return plan->batch.n ||
	       (plan->cq_mod != PLAN_AUTO && plan->cq_mod > 1);
}

/* What a plan may ask for, and not every kind of port has. */
static int refuse_lacking(const struct end *end, struct error *err)
{
	const struct plan *plan = end->plan;
	const unsigned int kind = kind_of(end->port);
	const struct {
		bool asked;
		unsigned int lacking;
		const char *what;
	} lacks[] = {
		{ op_is_atomic(plan->op), IWARP | EFA, "atomics" },
		{ plan->mcast.wanted, IWARP | EFA | OTHERS, "multicast" },
		{ plan->rdma_cm && !port_has_rdma_cm(end->port),
		  IWARP | EFA | OTHERS, "connections by rdma_cm (--rdma-cm)" },
		{ plan->imm, IWARP, "immediate data (--imm)" },
		{ plan->sl, IWARP | EFA, "service levels (--sl)" },
		{ addressing_traffic_class(plan), EFA,
		  "traffic classes (--tclass, --dscp)" },
		{ plan->flow_labels.n, IWARP | EFA,
		  "flow labels (--flow-label)" },
		{ plan->hop_limit != ADDRESSING_HOP_LIMIT, IWARP | EFA,
		  "hop limit of a path (--hop-limit)" },
		{ plan->srq, EFA, "shared receive queues (--srq)" },
		{ plan->pacing == PACING_DEVICE, EFA | OTHERS,
		  "rate limits (--pacing device)" },
		{ leaves_unsignaled(plan), EFA,
		  "sends without a completion (--cq-mod, --batch)" },
	};

	/* of one end alone no test is asked for */
	if (end->ends->alone)
		return 0;
	for (size_t i = 0; i < sizeof(lacks) / sizeof(*lacks); i++)
		if (lacks[i].asked && (lacks[i].lacking & kind))
			return port_lacks(end->port, lacks[i].what, err);
	return port_check_transport(end->port, plan->transport, err);
}

static int refuse_link_layers(const struct ends *ends, struct error *err)
{
	if (port_kinds_fit(ends->client, ends->server))
		return 0;
	return fail(err, -EPROTOTYPE, ends->no_path.advice, "%s",
		    ends->no_path.message);
}

static bool has_lid(const struct end *end)
{
	return port_has_lids(end->port);
}

static void show_lid(const struct end *end, char *text)
{
	if (has_lid(end))
		preflight_print(text, "%u", end->port->lid);
}

/* A port that always sends a GRH may lack a LID. */
static int refuse_lid(const struct end *end, struct error *err)
{
	if (!has_lid(end) || end->port->lid || end->port->grh_required)
		return 0;
	return fail_advise(err, -ENETUNREACH,
			   "port %u of %s %s has LID 0: no subnet manager has "
			   "assigned one\n"
			   "start %s, in %s fabric",
			   end->port->number, end->whose, end->port->device,
			   port_manager_name(end->port), end->whose);
}

static void show_rate(const struct end *end, char *text)
{
	if (end->port->rate_mbps)
		preflight_print(text, "%g Gb/s", end->port->rate_mbps / 1000.0);
}

static void warn_rate(const struct ends *ends, struct error *err)
{
	uint32_t mine = ends->client->rate_mbps;
	uint32_t theirs = ends->server->rate_mbps;

	if (!mine || !theirs || mine == theirs)
		return;
	fail_advise(err, -EINVAL,
		    "the client's link runs at %g Gb/s, the server's at %g "
		    "Gb/s\n"
		    "if both ends should run at the same speed, check the %s "
		    "cable and settings", mine / 1000.0, theirs / 1000.0,
		    mine < theirs ? "client's" : "server's");
}

static void show_node(const struct end *end, char *text)
{
	if (end->port->numa_node != PORT_NO_NODE)
		preflight_print(text, "%u", end->port->numa_node);
}

// clang-format off
const struct check port_checks[] = {
	{ .label = "host", .show = show_host },
	{ .label = "device", .show = show_device },
	{ .label = "firmware", .show = show_firmware, .warn = warn_firmware },
	{ .label = "state", .show = show_state, .needed = "ACTIVE",
	  .refuse = refuse_state },
	{ .label = "link layer", .show = show_link_layer,
	  .refuse = refuse_lacking, .refuse_pair = refuse_link_layers },
	{ .label = "LID", .applies = has_lid, .show = show_lid,
	  .refuse = refuse_lid },
	{ .label = "rate", .show = show_rate, .warn = warn_rate },
	{ .label = "NUMA node", .show = show_node },
	{ .label = NULL },
};
// clang-format on
