/*
 * The table as perftest 6.06 prints it, for scripts that parse it: the same
 * parameters, headings and columns, blank for blank.  Features that perftest
 * has and this program lacks (a second port) are printed as off; the
 * addresses leave out QPNs, PSNs and keys.
 */
#include "config.h"
#include "report/report.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "report/counters.h"
#include "report/cpu.h"
#include "report/perftest.h"
#include "report/preflight.h"
#include "report/stream.h"

#define RULE \
	"---------------------------------------------------------------" \
	"------------------------\n"
#define BITS_PER_MIB (8.0 * 1048576)

/* An operation without a name here does not compile. */
#define NAME_SEND "Send"
#define NAME_WRITE "RDMA_Write"
#define NAME_READ "RDMA_Read"
#define NAME_FETCH_ADD "Atomic FETCH_AND_ADD"
#define NAME_SEND_IMM "Send"
#define NAME_WRITE_IMM "RDMA_Write"
#define NAME_CMP_SWAP "Atomic CMP_AND_SWAP"

static const char *const names[OP_COUNT] = {
#define X(id, ...) [OP_##id] = NAME_##id,
	OP_LIST(X)
#undef X
};

static const char *on(bool value)
{
	return value ? "ON" : "OFF";
}

static bool is_latency(const struct result *r)
{
	return r->params.plan.metric == METRIC_LATENCY;
}

static const struct port *own_port(const struct result *r)
{
	return r->at_server ? &r->server : &r->client;
}

const char perftest_waiting[] =
	"\n************************************\n"
	"* Waiting for client to connect... *\n"
	"************************************\n";

const char *perftest_title(const struct result *r,
			   char title[PERFTEST_TITLE_SIZE])
{
	const struct plan *plan = &r->params.plan;

	snprintf(title, PERFTEST_TITLE_SIZE, "%s %s%s%s Test",
		 names[plan->op], plan->bidirectional ? "Bidirectional " : "",
		 plan->post_list > 1 ? "Post List " : "",
		 is_latency(r) ? "Latency" : "BW");
	return title;
}

uint64_t perftest_iterations(const struct result *r,
			     const struct result_row *row)
{
	return row->n_directions ? row->directions[r->at_server].iterations :
				   row->iterations;
}

double perftest_rate(const struct result *r, double gbps)
{
	return r->params.gbits ? gbps : gbps * 1e9 / BITS_PER_MIB;
}

static void print_title(FILE *out, const struct result *r)
{
	char title[PERFTEST_TITLE_SIZE];

	fprintf(out, RULE "                    %s\n",
		perftest_title(r, title));
}

/* Print the depths of the queues that this end has. */
static void print_depths(FILE *out, const struct result *r)
{
	const struct plan *plan = &r->params.plan;
	const bool send = !op_table[plan->op].access;

	if (!r->at_server || plan->bidirectional)
		fprintf(out, " TX depth        : %u\n",
			plan_send_queue(plan));
	if (plan->post_list > 1)
		fprintf(out, " Post List       : %u\n", plan->post_list);
	if (plan->recv_post_list > 1 && send)
		fprintf(out, " Recv Post List  : %u\n",
			plan->recv_post_list);
	if (send && (r->at_server || plan->bidirectional))
		fprintf(out, " RX depth        : %u\n", plan->rx_depth);
	if (!is_latency(r))
		fprintf(out, " CQ Moderation   : %u\n", r->rows[0].cq_mod);
}

static void print_parameters(FILE *out, const struct result *r)
{
	const struct plan *plan = &r->params.plan;
	const struct gid *gid = result_gid(r, !r->at_server);

	fprintf(out, " Dual-port       : OFF\t\tDevice         : %s\n",
		own_port(r)->device);
	fprintf(out, " Number of qps   : %u\t\tTransport type : IB\n",
		plan->qps);
	fprintf(out, " Connection type : %s\t\tUsing SRQ      : %s\n",
		result_transport_name(plan), on(plan_shares_receives(plan)));
	fprintf(out, " PCIe relax order: %s\n", on(plan->relaxed_ordering));
	fprintf(out, " ibv_wr* API     : %s\n",
		on(r->rows[0].method == POST_WR));
	print_depths(out, r);
	fprintf(out, " Mtu             : %u[B]\n", plan->mtu);
	fprintf(out, " Link type       : %s\n",
		port_is_ethernet(own_port(r)) ? "Ethernet" : "IB");
	if (gid)
		fprintf(out, " GID index       : %u\n", gid->index);
	if (op_table[plan->op].fetches)
		fprintf(out, " Outstand reads  : %u\n",
			plan->outstanding_reads);
	else
		fprintf(out, " Max inline data : %u[B]\n",
			r->rows[0].inline_size);
	fprintf(out, " rdma_cm QPs\t : %s\n Data ex. method : Ethernet\n" RULE,
		plan->rdma_cm ? "ON" : "OFF");
}

static void print_address(FILE *out, const char *which,
			  const struct port *port, const struct gid *gid)
{
	fprintf(out, " %s address: LID %#04x\n", which, port->lid);
	if (!gid)
		return;
	fputs(" GID: ", out);
	for (int i = 0; i < 16; i++)
		fprintf(out, "%02d%s", gid->raw.raw[i], i < 15 ? ":" : "\n");
}

static void print_addresses(FILE *out, const struct result *r)
{
	print_address(out, "local", own_port(r),
		      result_gid(r, !r->at_server));
	print_address(out, "remote", r->at_server ? &r->client : &r->server,
		      result_gid(r, r->at_server));
	fputs(RULE, out);
}

/* A double has up to 309 digits before the point. */
#define CELL_SIZE 400

/* VALUE as perftest prints it; "-" if it was not measured. */
static const char *cell(char text[CELL_SIZE], int decimals, double value)
{
	if (isfinite(value))
		snprintf(text, CELL_SIZE, "%-7.*f", decimals, value);
	else
		snprintf(text, CELL_SIZE, "%-7s", "-");
	return text;
}

/*
 * The peak is the best interval's.  perftest's own peak, over the shortest gap
 * between any post and any later completion, needs the clock for each message.
 */
static void print_rates(FILE *out, const struct result *r, uint64_t size,
			uint64_t iterations, const struct bandwidth_summary *b)
{
	double average = r->params.gbits ? b->gbps : b->mib_per_s;
	int decimals = r->params.gbits && average < 0.1 ? 6 : 2;
	char cells[3][CELL_SIZE];

	fprintf(out, " %-7" PRIu64 "    %-10" PRIu64 "       %s            "
		"%s\t\t   %s", size, iterations,
		cell(cells[0], decimals, perftest_rate(r, b->peak_gbps)),
		cell(cells[1], decimals, average), cell(cells[2], 6, b->mpps));
}

static void print_bandwidth(FILE *out, const struct result *r,
			    const struct result_row *row)
{
	print_rates(out, r, row->size, perftest_iterations(r, row),
		    &row->bandwidth);
}

static void print_latency(FILE *out, const struct result *r,
			  const struct result_row *row)
{
	const struct latency_summary *l = &row->latency;
	char c[7][CELL_SIZE];

	(void)r;
	fprintf(out, " %-7" PRIu64 " %" PRIu64 "          %s        %s      "
		"%s  \t       %s     \t%s\t\t%s \t\t%s", row->size,
		row->iterations, cell(c[0], 2, l->min), cell(c[1], 2, l->max),
		cell(c[2], 2, l->p50), cell(c[3], 2, l->mean),
		cell(c[4], 2, l->stddev), cell(c[5], 2, l->p99),
		cell(c[6], 2, l->p99_9));
}

static void print_timed_latency(FILE *out, const struct result *r,
				const struct result_row *row)
{
	char c[2][CELL_SIZE];

	(void)r;
	fprintf(out, " %-7" PRIu64 "       %" PRIu64 "            %s        "
		"%s", row->size, row->iterations,
		cell(c[0], 2, row->latency.mean),
		cell(c[1], 2, (double)row->iterations / row->seconds));
}

/* Tables: bandwidth in two units; latency by count or by duration. */
static const struct {
	const char *headings;
	void (*print)(FILE *out, const struct result *r,
		      const struct result_row *row);
} tables[METRIC_COUNT][2] = {
	[METRIC_BANDWIDTH] = {
		{ " #bytes     #iterations    BW peak[MB/sec]    "
		  "BW average[MB/sec]   MsgRate[Mpps]", print_bandwidth },
		{ " #bytes     #iterations    BW peak[Gb/sec]    "
		  "BW average[Gb/sec]   MsgRate[Mpps]", print_bandwidth },
	},
	[METRIC_LATENCY] = {
		{ " #bytes #iterations    t_min[usec]    t_max[usec]  "
		  "t_typical[usec]    t_avg[usec]    t_stdev[usec]   "
		  "99% percentile[usec]   99.9% percentile[usec] ",
		  print_latency },
		{ " #bytes        #iterations       t_avg[usec]    "
		  "tps average", print_timed_latency },
	},
};

/* The column of --cpu_util is the last, if it is wanted at all. */
static void end_headings(FILE *out, const struct result *r)
{
	fputs(r->params.cpu ? "    CPU_Util[%]\n" : "\n", out);
}

static void end_row(FILE *out, const struct result *r,
		    const struct result_row *row)
{
	double busy = cpu_host_percent(row, !r->at_server);

	if (!r->params.cpu)
		fputs("\n", out);
	else if (isfinite(busy))
		fprintf(out, "\t    %-3.2f\n", busy);
	else
		fputs("\t    -\n", out);
}

/* Print each direction of ROW, with --report-both: "local" is what this end
 * sends. */
static void print_both(FILE *out, const struct result *r,
		       const struct result_row *row)
{
	static const char *const titles[] = { "Local", "Remote" };

	for (uint32_t i = 0; i < row->n_directions; i++) {
		const struct result_direction *d =
			&row->directions[i ^ r->at_server];

		fprintf(out, RULE "\n %s results: \n" RULE "%s", titles[i],
			tables[METRIC_BANDWIDTH][r->params.gbits].headings);
		end_headings(out, r);
		print_rates(out, r, row->size, d->iterations, &d->bandwidth);
		end_row(out, r, row);
	}
}

/* The head is printed with the first row, because it depends on that. */
static void print_row(FILE *out, const struct result *r,
		      const struct result_row *row)
{
	bool other = is_latency(r) ? r->params.timed : r->params.gbits;
	enum metric metric = r->params.plan.metric;

	if (row == r->rows) {
		print_title(out, r);
		print_parameters(out, r);
		print_addresses(out, r);
		fputs(tables[metric][other].headings, out);
		end_headings(out, r);
	}
	if (r->params.perftest_samples && !row->failed)
		perftest_print_samples(out, r, row);
	if (row->failed)
		return;
	tables[metric][other].print(out, r, row);
	end_row(out, r, row);
	if (r->params.perftest_both)
		print_both(out, r, row);
	counters_print_perftest(out, r, row);
}

static void print_tail(FILE *out, const struct result *r)
{
	/* perftest has no such check */
	if (r->preflight)
		preflight_text(out, r);
	if (r->n_rows)
		fputs(RULE, out);
}

const struct row_format perftest_format = {
	.row = print_row,
	.tail = print_tail,
};
