/* The lines above the table: what both ends agreed on, and the host and the
 * device of each. */
#include "config.h"
#include "report/parts.h"

#include <string.h>

#include "model/endpoint.h"
#include "model/plan.h"

/* Most flow labels shown; further ones are only counted. */
#define LABELS_SHOWN 4

/* "," between items, " service:" before the first. */
static const char *before(int *n)
{
	return (*n)++ ? "," : " service:";
}

static void print_labels(FILE *out, const struct labels *labels, int *n)
{
	if (!labels->n)
		return;
	if (labels->n > LABELS_SHOWN) {
		fprintf(out, "%s %u flow labels", before(n), labels->n);
		return;
	}
	fprintf(out, "%s flow label%s", before(n), labels->n > 1 ? "s" : "");
	for (uint32_t i = 0; i < labels->n; i++)
		fprintf(out, "%s0x%05x", i ? "/" : " ", labels->value[i]);
}

/* Print the QP's value where it differs from the plan's: on RoCE the kernel
 * uses the hop limit of the route, and a device without service levels drops
 * them. */
static void print_effective(FILE *out, const struct effective *qp,
			    uint32_t asked, uint32_t got)
{
	if (qp->known && got != EFFECTIVE_NONE && got != asked)
		fprintf(out, " (the QP says %u)", got);
}

/* Write PLAN's service level, traffic class, flow labels and hop limit to OUT,
 * and QP's value where it differs; nothing if all are the defaults. */
static void service_print(FILE *out, const struct plan *plan,
			  const struct effective *qp)
{
	uint8_t class = addressing_traffic_class(plan);
	int n = 0;

	if (plan->sl) {
		fprintf(out, "%s SL %u", before(&n), plan->sl);
		print_effective(out, qp, plan->sl, qp->sl);
	}
	if (class) {
		fprintf(out, "%s traffic class %u, DSCP %u", before(&n),
			class, class >> 2);
		print_effective(out, qp, class, qp->traffic_class);
	}
	print_labels(out, &plan->flow_labels, &n);
	if (plan->hop_limit != ADDRESSING_HOP_LIMIT) {
		fprintf(out, "%s hop limit %u", before(&n), plan->hop_limit);
		print_effective(out, qp, plan->hop_limit, qp->hop_limit);
	}
	if (n)
		fputs("\n", out);
}

/* Full membership of the default partition, which includes every port. */
#define DEFAULT_PKEY 0xffff

/* Print which GPU the messages are in, and how far it is from the device. */
static void print_gpu(FILE *out, const struct facts *facts)
{
	if (facts_known(facts, FACT_GPU))
		fprintf(out, ", GPU %s", facts_text(facts, FACT_GPU));
	if (facts_known(facts, FACT_GPU_DISTANCE))
		fprintf(out, " (%s)", facts_text(facts, FACT_GPU_DISTANCE));
}

static void print_end(FILE *out, const struct result *r, bool client)
{
	const struct port *port = client ? &r->client : &r->server;
	const struct gid *gid = result_gid(r, client);
	const char *memory = r->ends[client].memory;
	char text[GID_TEXT_SIZE];

	fprintf(out, " %s: %s", client ? "client" : "server", port->hostname);
	if (port->device[0])
		fprintf(out, " %s port %u", port->device, port->number);
	fprintf(out, ", %s", port_kind_name(port));
	if (port_has_lids(port))
		fprintf(out, ", LID %u", port->lid);
	if (port->pkey && port->pkey != DEFAULT_PKEY)
		fprintf(out, ", P_Key 0x%04x", port->pkey);
	if (gid && port->iwarp)
		fprintf(out, " %s", gid_show(gid, text));
	else if (gid && gid->index != PLAN_AUTO)
		fprintf(out, ", GID %u", gid->index);
	else if (gid)
		fputs(", GID", out);
	if (gid && !port->iwarp)
		fprintf(out, " %s (%s)", gid_format(&gid->raw, text),
			gid_type_name(gid->type));
	if (port->numa_node != PORT_NO_NODE)
		fprintf(out, ", NUMA node %u", port->numa_node);
	if (*memory && strcmp(memory, memory_kind_name(MEMORY_ANONYMOUS)) != 0)
		fprintf(out, ", memory %s", memory);
	print_gpu(out, &port->facts);
	fputs("\n", out);
}

/* Print the settings that shape the traffic, where they are not the
 * defaults. */
static void print_shape(FILE *out, const struct result *r)
{
	const struct plan *plan = &r->params.plan;
	const bool joined = gid_is_multicast(&r->group);
	const struct {
		bool applies;
		const char *text;
	} words[] = {
		{ plan->bidirectional, "both directions" },
		{ plan->reversed, "server to client" },
		{ plan->imm, "immediate data" },
		{ plan->events, "events" },
		{ plan->solicited, "solicited only" },
		{ plan->fence, "fence" },
		{ plan->srq, "SRQ" },
		{ plan->mr_per_qp, "an MR per QP" },
		{ plan->hugepages, "huge pages" },
		{ plan->relaxed_ordering, "relaxed ordering" },
		{ plan->odp, "on-demand paging" },
		{ plan->verify, "verified" },
	};

	char gid[GID_TEXT_SIZE], batch[BATCH_TEXT_SIZE];

	if (plan->batch.n)
		fprintf(out, ", batch %s",
			units_format_batch(&plan->batch, batch));
	if (plan->sge > 1)
		fprintf(out, ", %u entries", plan->sge);
	if (plan->mcast.wanted)
		fprintf(out, ", multicast%s%s", joined ? " " : "",
			joined ? gid_format(&r->group, gid) : "");
	if (plan_copies(plan) > 1)
		fprintf(out, ", %u receivers", plan_copies(plan));
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (words[i].applies)
			fprintf(out, ", %s", words[i].text);
}

static void print_reads(FILE *out, const struct plan *plan)
{
	uint32_t client = plan_reads(plan, true);
	uint32_t server = plan_reads(plan, false);

	if (!op_table[plan->op].fetches)
		return;
	fprintf(out, ", outstanding reads %u", client ? client : server);
	if (client && server && client != server)
		fprintf(out, " (of the server %u)", server);
}

/* The inline size of the queue pair, until a row has the size used. */
uint32_t head_inline_size(const struct result *r)
{
	const struct plan *plan = &r->params.plan;
	const struct effective *sender = plan->reversed ? &r->server_qp :
							  &r->client_qp;
	uint32_t asked = plan_inline(plan);

	if (r->n_rows)
		return r->rows[0].inline_size;
	return sender->max_inline_data < asked ? sender->max_inline_data :
						 asked;
}

void head_print_ends(FILE *out, const struct result *r)
{
	print_end(out, r, true);
	if (!r->alone)
		print_end(out, r, false);
}

void head_print(FILE *out, const struct result *r)
{
	const struct plan *plan = &r->params.plan;
	const uint32_t most_inline = head_inline_size(r);

	fprintf(out, " %s: %s, %u QP%s", test_name_of(plan),
		transport_table[plan->transport].name, plan->qps,
		plan->qps == 1 ? "" : "s");
	if (!r->client.iwarp)
		fprintf(out, ", MTU %u", plan->mtu);
	fprintf(out, ", tx depth %u", plan_send_queue(plan));
	if (plan->post_list > 1)
		fprintf(out, ", post list %u", plan->post_list);
	if (plan->threads > 1)
		fprintf(out, ", %u threads", plan->threads);
	if (plan_counts_received(plan))
		fprintf(out, ", rx depth %u", plan->rx_depth);
	print_reads(out, plan);
	if (most_inline)
		fprintf(out, ", inline %u", most_inline);
	load_print_plan(out, plan);
	print_shape(out, r);
	fputs("\n", out);
	service_print(out, plan, &r->client_qp);
	head_print_ends(out, r);
}
