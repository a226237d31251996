#include "config.h"
#include "report/report.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "model/tests.h"

/* A number right-aligned in a column; "-" for what was not measured.  One too
 * small for the decimals keeps three digits: it is not nothing. */
static void print_cell(FILE *out, int width, int decimals, double value)
{
	if (!isfinite(value))
		fprintf(out, " %*s", width, "-");
	else if (value > 0 && value < 10 * pow(10, -decimals))
		fprintf(out, " %*.3g", width, value);
	else
		fprintf(out, " %*.*f", width, decimals, value);
}

struct column {
	const char *heading;
	int width;
	int decimals;
	size_t offset;		/* of a double in struct result_row */
};

#define BANDWIDTH(field) offsetof(struct result_row, bandwidth.field)
#define LATENCY(field) offsetof(struct result_row, latency.field)

// clang-format off
static const struct column bandwidth_columns[] = {
	{ "BW average[Gb/s]", 16, 3, BANDWIDTH(gbps) },
	{ "BW average[MiB/s]", 17, 2, BANDWIDTH(mib_per_s) },
	{ "MsgRate[Mpps]", 13, 6, BANDWIDTH(mpps) },
	{ NULL, 0, 0, 0 },
};

static const struct column latency_columns[] = {
	{ "t_min[us]", 10, 2, LATENCY(min) },
	{ "t_max[us]", 10, 2, LATENCY(max) },
	{ "t_typical[us]", 13, 2, LATENCY(p50) },
	{ "t_avg[us]", 10, 2, LATENCY(mean) },
	{ "t_stdev[us]", 11, 2, LATENCY(stddev) },
	{ "99%[us]", 10, 2, LATENCY(p99) },
	{ "99.9%[us]", 10, 2, LATENCY(p99_9) },
	{ NULL, 0, 0, 0 },
};
// clang-format on

static void print_headings(FILE *out, const struct column *columns)
{
	fprintf(out, "%-10s %12s", " #bytes", "#iterations");
	for (const struct column *c = columns; c->heading; c++)
		fprintf(out, " %*s", c->width, c->heading);
	fputs("\n", out);
}

static void print_row(FILE *out, const struct column *columns,
		      const struct result_row *row)
{
	fprintf(out, " %-9" PRIu64 " %12" PRIu64, row->size, row->iterations);
	for (const struct column *c = columns; c->heading; c++)
		print_cell(out, c->width, c->decimals,
			   *(const double *)((const char *)row + c->offset));
	fputs(row->failed ? "  failed\n" : "\n", out);
}

static void print_end(FILE *out, const char *end, const struct port *port,
		      const struct gid *gid)
{
	char text[GID_TEXT_SIZE];

	fprintf(out, " %s: %s %s port %u, %s", end, port->hostname,
		port->device, port->number, port_link_layer_name(port));
	if (!port_is_ethernet(port))
		fprintf(out, ", LID %u", port->lid);
	if (gid)
		fprintf(out, ", GID %u %s (%s)", gid->index,
			gid_format(&gid->raw, text), gid_type_name(gid->type));
	fputs("\n", out);
}

static void print_head(FILE *out, const struct result *r)
{
	const struct plan *plan = &r->params.plan;
	char name[TEST_NAME_SIZE];

	fprintf(out, " %s: RC, %u QP%s, MTU %u, tx depth %u",
		test_name(plan->op, plan->metric, name), plan->qps,
		plan->qps == 1 ? "" : "s", plan->mtu, plan_send_queue(plan));
	if (op_table[plan->op].receives)
		fprintf(out, ", rx depth %u", plan->rx_depth);
	if (plan->op == OP_READ)
		fprintf(out, ", outstanding reads %u",
			plan->outstanding_reads);
	fputs("\n", out);
	print_end(out, "client", &r->client, result_gid(r, true));
	print_end(out, "server", &r->server, result_gid(r, false));
}

/* Below the table: what its numbers are. */
static void print_definition(FILE *out, const struct result *r)
{
	const struct plan *plan = &r->params.plan;

	if (plan->metric == METRIC_LATENCY)
		fprintf(out, " latency: %s",
			result_latency_definition(plan));
	else
		fprintf(out, " bandwidth: messages completed");
	fprintf(out, ", after %.3g s of warm-up; clock %s: resolution "
		"%.3g ns, one read %.3g ns\n", (double)plan->warmup / 1e9,
		r->clock.source, r->clock.resolution_ns,
		r->clock.read_cost_ns);
}

char *report_text(const struct result *r)
{
	const struct column *columns =
		r->params.plan.metric == METRIC_LATENCY ? latency_columns :
							  bandwidth_columns;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	if (r->n_rows) {
		print_head(out, r);
		print_headings(out, columns);
	}
	for (uint32_t i = 0; i < r->n_rows; i++)
		print_row(out, columns, &r->rows[i]);
	if (r->n_rows)
		print_definition(out, r);
	fclose(out);
	return text;
}
