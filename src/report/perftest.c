/*
 * The table as perftest 6.06 prints it, or a later release that the user names,
 * for scripts that parse it: the same parameters, headings and columns, blank
 * for blank.  Features that perftest has and this program lacks (a second port)
 * are printed as off.
 */
#include "config.h"
#include "report/report.h"

#include <ctype.h>
#include <endian.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/xalloc.h"
#include "report/json_value.h"
#include "report/parts.h"
#include "report/stream.h"
#include "run/recorder.h"

#define RULE \
	"---------------------------------------------------------------" \
	"------------------------\n"
#define BITS_PER_MIB (8.0 * 1048576)
#define TITLE_SIZE 80

/* The versions of perftest since which its table has other units, more on a
 * line of the head, or a line more; 621 is 6.21. */
enum {
	SINCE_MIB = 621,
	SINCE_LOCK_FREE = 623,
	SINCE_DDP = 624,
	SINCE_POLL_BATCH = 625,
	SINCE_REORDER = 627,
	SINCE_NUMA_NODE = 629,
};

/* Completions that a poll of perftest's takes, at most; and the count from
 * which on it takes as many as it likes, unless both ends send. */
#define POLL_BATCH 16
#define POLL_DYNAMIC 3000

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

/* Write the title of R's test, "RDMA_Write Bidirectional BW Test".  Returns
 * TITLE. */
static char *write_title(const struct result *r, char title[TITLE_SIZE])
{
	const struct plan *plan = &r->params.plan;

	snprintf(title, TITLE_SIZE, "%s %s%s%s%s Test",
		 op_table[plan->op].title,
		 plan->bidirectional ? "Bidirectional " : "",
		 plan->post_list > 1 ? "Post List " : "",
		 is_latency(r) ? "Latency" : "BW",
		 plan->mcast.wanted ? " Multicast" : "");
	return title;
}

/* The messages of ROW that this end's line has. */
static uint64_t iterations_of(const struct result *r,
			      const struct result_row *row)
{
	return row->n_directions ? row->directions[r->at_server].iterations :
				   row->total.iterations;
}

/* VALUE, or 0 if it was not measured: perftest prints a number everywhere. */
static double or_zero(double value)
{
	return isfinite(value) ? value : 0;
}

/* GBPS in the unit of the table, Gb/s or MiB/s. */
static double rate_of(const struct result *r, double gbps)
{
	return or_zero(r->params.gbits ? gbps : gbps * 1e9 / BITS_PER_MIB);
}

/* A line of the table's head, and a member of the JSON's test_info. */
struct field {
	bool applies;
	const char *label;	/* with all that stands before the value; NULL:
				 * not in the table */
	const char *key;	/* NULL: not in the JSON */
	const char *value;	/* NULL: it is the number */
	uint64_t number;
	const char *after;	/* what follows it in the table */
};

#define FIELDS 27

struct fields {
	struct field list[FIELDS];
};

static bool is_since(const struct result *r, uint32_t version)
{
	return r->params.perftest_version >= version;
}

/* As perftest says how it polls: of verbsperf's own polls it is no property. */
static const char *polls_of(const struct result *r)
{
	const struct plan *plan = &r->params.plan;
	const bool few = plan->iterations && plan->iterations < POLL_DYNAMIC;
	const bool both = plan->bidirectional && op_table[plan->op].receives;

	return is_since(r, SINCE_REORDER) && !few && !both ? "Dynamic" : NULL;
}

/* What the head of R's table says of the test.  Its texts are R's. */
static struct fields fields_of(const struct result *r)
{
	const struct plan *plan = &r->params.plan;
	const struct op_info *op = &op_table[plan->op];
	const struct memory_choice *memory = &r->params.memory;
	const struct gid *gid = result_gid(r, !r->at_server);
	const bool both = plan->bidirectional, bandwidth = !is_latency(r);

	return (struct fields){ {
		{ true, " Dual-port       : ", "Dual_port", "OFF", 0, "\t\t" },
		{ true, "Device         : ", "Device", own_port(r)->device, 0,
		  "\n" },
		{ true, " Number of qps   : ", "Number_of_qps", NULL,
		  plan->qps, "\t\t" },
		{ true, "Transport type : ", "Transport_type",
		  own_port(r)->iwarp ? "IW" : "IB", 0, "\n" },
		{ true, " Connection type : ", "Connection_type",
		  transport_table[plan->transport].name, 0, "\t\t" },
		{ true, "Using SRQ      : ", "Using_SRQ",
		  on(plan_shares_receives(plan)), 0, "\n" },
		{ true, " PCIe relax order: ", "PCIe_relax_order",
		  on(plan->relaxed_ordering), 0,
		  is_since(r, SINCE_LOCK_FREE) ? "\t\t" : "\n" },
		{ is_since(r, SINCE_LOCK_FREE), "Lock-free      : ", NULL,
		  "OFF", 0, "\n" },
		{ true, " ibv_wr* API     : ", "ibv_wr_API",
		  on(r->method == POST_WR), 0,
		  is_since(r, SINCE_DDP) ? "\t\t" : "\n" },
		{ is_since(r, SINCE_DDP) && !is_since(r, SINCE_REORDER),
		  "Using DDP      : ", NULL, "OFF", 0, "\n" },
		{ is_since(r, SINCE_REORDER),
		  "Using Enhanced Reorder      : ", NULL, "OFF", 0, "\n" },
		{ !r->at_server || both, " TX depth        : ", "TX_depth",
		  NULL, plan_send_queue(plan), "\n" },
		{ plan->post_list > 1, " Post List       : ", "Post_List",
		  NULL, plan->post_list, "\n" },
		{ plan->recv_post_list > 1 && !op->access,
		  " Recv Post List  : ", "Recv_Post_List", NULL,
		  plan->recv_post_list, "\n" },
		{ !op->access && (r->at_server || both),
		  " RX depth        : ", "RX_depth", NULL, plan->rx_depth,
		  "\n" },
		{ bandwidth, " CQ Moderation   : ", "CQ_Moderation", NULL,
		  plan_cq_mod(plan, plan->sizes.bytes[0]), "\n" },
		{ bandwidth && is_since(r, SINCE_POLL_BATCH),
		  " CQE Poll Batch  : ", NULL, polls_of(r), POLL_BATCH, "\n" },
		{ true, " Mtu             : ", "Mtu", NULL, plan->mtu,
		  "[B]\n" },
		{ true, " Link type       : ", "Link_type",
		  port_is_ethernet(own_port(r)) ? "Ethernet" : "IB", 0, "\n" },
		{ gid, " GID index       : ", "GID_index", NULL,
		  gid ? gid->index : 0, "\n" },
		{ op->fetches, " Outstand reads  : ", "Outstand_reads", NULL,
		  plan->outstanding_reads, "\n" },
		{ !op->fetches, " Max inline data : ", "Max_inline_data", NULL,
		  head_inline_size(r), "[B]\n" },
		{ true, " rdma_cm QPs\t : ", "rdma_cm_QPs", on(plan->rdma_cm),
		  0, "\n" },
		{ memory->kind == MEMORY_CUDA, NULL, "cuda_device", NULL,
		  memory->gpu, "" },
		{ true, NULL, "Use_ROCm_memory", on(memory->kind == MEMORY_HIP),
		  0, "" },
		{ true, " Data ex. method : ", "Data_ex_method", "Ethernet", 0,
		  "\n" },
		{ is_since(r, SINCE_NUMA_NODE) &&
			  own_port(r)->numa_node != PORT_NO_NODE,
		  " NUMA node       : ", NULL, NULL, own_port(r)->numa_node,
		  "\n" },
	} };
}

static void print_parameters(FILE *out, const struct result *r)
{
	const struct plan *plan = &r->params.plan;
	const struct fields fields = fields_of(r);
	char title[TITLE_SIZE];

	fprintf(out, RULE "                    %s\n", write_title(r, title));
	if (plan->events)
		fprintf(out, " Test with events. Using %s_comp%u\n",
			own_port(r)->device, r->params.vector);
	if (plan->mcast.wanted)
		fputs(" MultiCast runs on UD!\n", out);
	for (size_t i = 0; i < FIELDS; i++) {
		const struct field *f = &fields.list[i];

		if (!f->applies || !f->label)
			continue;
		if (f->value)
			fprintf(out, "%s%s%s", f->label, f->value, f->after);
		else
			fprintf(out, "%s%" PRIu64 "%s", f->label, f->number,
				f->after);
	}
	fputs(RULE, out);
}

/* The addresses of one end: of each queue pair, and what the peer may access
 * there.  perftest has no keys in those of atomics and of rdma_cm. */
static void print_addresses(FILE *out, const struct result *r, bool client,
			    const char *which)
{
	const struct plan *plan = &r->params.plan;
	const struct op_info *op = &op_table[plan->op];
	const struct endpoint *end = &r->ends[client];
	const struct gid *gid = result_gid(r, client);

	for (uint32_t i = 0; i < end->n; i++) {
		fprintf(out, " %s address: LID %#04x QPN %#06x PSN %#06x",
			which, end->lid, end->qps[i].qpn, end->qps[i].psn);
		if (plan->op == OP_READ && !plan->rdma_cm)
			fprintf(out, " OUT %#04x", plan->outstanding_reads);
		if (op->access && !op_is_atomic(plan->op) && !plan->rdma_cm)
			fprintf(out, " RKey %#08x VAddr %#016" PRIx64,
				end->qps[i].rkey, endpoint_va(end, i));
		fputs(gid ? "\n GID: " : "\n", out);
		for (int b = 0; gid && b < 16; b++)
			fprintf(out, "%02d%s", gid->raw.raw[b],
				b < 15 ? ":" : "\n");
	}
}

/* Print this end's GPU buffer, in hexadecimal: some scripts take the first line
 * that has the message size in it for the row. */
static void print_gpu(FILE *out, const struct result *r)
{
	const struct endpoint *own = &r->ends[!r->at_server];
	const enum memory_kind kind = r->params.memory.kind;

	if (kind == MEMORY_CUDA || kind == MEMORY_HIP)
		fprintf(out, "allocated %#" PRIx64 " bytes of GPU buffer at "
			"%#" PRIx64 "\n", own->length, own->va);
}

static double peak_of(const struct bandwidth_summary *b)
{
	return isfinite(b->peak_gbps) ? b->peak_gbps : b->gbps;
}

/*
 * The peak is the best interval's, of two directions their sum.  perftest's own
 * peak, over the shortest gap between any post and any later completion, needs
 * the clock for each message.
 */
static double peak_of_row(const struct result *r, const struct result_row *row)
{
	const struct result_direction *d = row->directions;

	return rate_of(r, row->n_directions ? peak_of(&d[0].bandwidth) +
						peak_of(&d[1].bandwidth) :
					      peak_of(&row->total.bandwidth));
}

/* With less than 0.1 Gb/s perftest takes more decimals, and other columns. */
static void print_rates(FILE *out, const struct result *r, uint64_t size,
			uint64_t iterations, double peak,
			const struct bandwidth_summary *b)
{
	const double average = rate_of(r, b->gbps);

	if (r->params.gbits && average < 0.1)
		fprintf(out, " %-7" PRIu64 "    %" PRIu64 "           %-7.6f"
			"            %-7.6f            %-7.6f", size, iterations,
			peak, average, or_zero(b->mpps));
	else
		fprintf(out, " %-7" PRIu64 "    %-10" PRIu64 "       %-7.2f"
			"            %-7.2f\t\t   %s%-7.6f", size, iterations,
			peak, average, is_since(r, SINCE_MIB) ? "  " : "",
			or_zero(b->mpps));
}

static double least_of(const struct bandwidth_summary *b)
{
	return isfinite(b->least_gbps) ? b->least_gbps : b->gbps;
}

/* Like peak_of_row(), of the worst interval. */
static double least_of_row(const struct result *r, const struct result_row *row)
{
	const struct result_direction *d = row->directions;

	return rate_of(r, row->n_directions ? least_of(&d[0].bandwidth) +
						least_of(&d[1].bandwidth) :
					      least_of(&row->total.bandwidth));
}

/* The column of a fork of perftest's (--report-min-bw). */
static void print_least(FILE *out, const struct result *r, double least)
{
	if (r->params.perftest_min_bw)
		fprintf(out, "\t\t  %-7.2f", least);
}

static void print_bandwidth(FILE *out, const struct result *r,
			    const struct result_row *row)
{
	print_rates(out, r, row->size, iterations_of(r, row),
		    peak_of_row(r, row), &row->total.bandwidth);
	print_least(out, r, least_of_row(r, row));
}

static void print_latency(FILE *out, const struct result *r,
			  const struct result_row *row)
{
	const struct latency_summary *l = &row->latency;

	(void)r;
	fprintf(out, " %-7" PRIu64 " %" PRIu64 "          %-7.2f        %-7.2f"
		"      %-7.2f  \t       %-7.2f     \t%-7.2f\t\t%-7.2f "
		"\t\t%-7.2f", row->size, row->total.iterations,
		or_zero(l->min), or_zero(l->max), or_zero(l->empirical_p50),
		or_zero(l->mean), or_zero(l->stddev),
		or_zero(l->empirical_p99), or_zero(l->empirical_p99_9));
}

static void print_timed_latency(FILE *out, const struct result *r,
				const struct result_row *row)
{
	const struct result_direction *d = &row->total;

	(void)r;
	fprintf(out, " %-7" PRIu64 "       %" PRIu64 "            %-7.2f"
		"        %-7.2f", row->size, d->iterations,
		or_zero(row->latency.mean),
		or_zero((double)d->iterations / d->seconds));
}

/* Tables: bandwidth in two units; latency by count or by duration. */
static const struct {
	const char *headings;
	const char *newer;	/* since SINCE_MIB; NULL: the same */
	void (*print)(FILE *out, const struct result *r,
		      const struct result_row *row);
} tables[METRIC_COUNT][2] = {
	[METRIC_BANDWIDTH] = {
		{ " #bytes     #iterations    BW peak[MB/sec]    "
		  "BW average[MB/sec]   MsgRate[Mpps]",
		  " #bytes     #iterations    BW peak[MiB/sec]    "
		  "BW average[MiB/sec]   MsgRate[Mpps]", print_bandwidth },
		{ " #bytes     #iterations    BW peak[Gb/sec]    "
		  "BW average[Gb/sec]   MsgRate[Mpps]", NULL,
		  print_bandwidth },
	},
	[METRIC_LATENCY] = {
		{ " #bytes #iterations    t_min[usec]    t_max[usec]  "
		  "t_typical[usec]    t_avg[usec]    t_stdev[usec]   "
		  "99% percentile[usec]   99.9% percentile[usec] ", NULL,
		  print_latency },
		{ " #bytes        #iterations       t_avg[usec]    "
		  "tps average", NULL, print_timed_latency },
	},
};

/* The column of --cpu_util is the last, if it is wanted at all. */
static void print_headings(FILE *out, const struct result *r)
{
	const bool other = is_latency(r) ? r->params.timed : r->params.gbits;
	const char *usual = tables[r->params.plan.metric][other].headings;
	const char *newer = tables[r->params.plan.metric][other].newer;

	fprintf(out, RULE "%s",
		newer && is_since(r, SINCE_MIB) ? newer : usual);
	if (r->params.perftest_min_bw)
		fprintf(out, "        BW min[%s/sec]", r->params.gbits ? "Gb" :
			is_since(r, SINCE_MIB) ? "MiB" : "MB");
	fprintf(out, "%s\n", r->params.cpu ? "    CPU_Util[%]" : "");
}

static void end_row(FILE *out, const struct result *r,
		    const struct result_row *row)
{
	if (r->params.cpu)
		fprintf(out, "\t    %-3.2f",
			or_zero(cpu_host_percent(row, !r->at_server)));
	fputs("\n", out);
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

		fprintf(out, RULE "\n %s results: \n", titles[i]);
		print_headings(out, r);
		print_rates(out, r, row->size, d->iterations,
			    rate_of(r, peak_of(&d->bandwidth)),
			    &d->bandwidth);
		print_least(out, r, rate_of(r, least_of(&d->bandwidth)));
		end_row(out, r, row);
	}
}

static int compare(const void *a, const void *b)
{
	double one = *(const double *)a, other = *(const double *)b;

	return (one > other) - (one < other);
}

static double to_double(uint64_t little_endian)
{
	uint64_t bits = le64toh(little_endian);
	double value;

	memcpy(&value, &bits, sizeof(value));
	return value;
}

/* Read at most MOST samples of SIZE bytes, in us.  Returns their number. */
static uint64_t read_samples(FILE *in, uint64_t size, double *us, uint64_t most)
{
	uint64_t words[RECORD_WORDS], n = 0;

	while (n < most && fread(words, sizeof(words), 1, in) == 1)
		if (le64toh(words[0]) == size)
			us[n++] = to_double(words[2]);
	return n;
}

/* Print every sample of ROW, numbered, one a line (-H, -U).  False if there are
 * none here, or none that can be read, which a warning says. */
static bool print_samples(FILE *out, const struct result *r,
			  const struct result_row *row)
{
	const uint64_t most = row->latency.samples;
	FILE *in = r->params.samples ? fopen(r->params.samples, "r") : NULL;
	double *us;
	uint64_t n;

	/* a server has none */
	if (!r->params.samples)
		return false;
	if (!in) {
		log_warning("cannot read the samples: %s", strerror(errno));
		return false;
	}
	us = xcalloc(most + 1, sizeof(*us));
	n = read_samples(in, row->size, us, most);
	fclose(in);
	if (r->params.perftest_samples == PERFTEST_SORTED)
		qsort(us, n, sizeof(*us), compare);
	fputs("#, usec\n", out);
	for (uint64_t i = 0; i < n; i++)
		fprintf(out, "%llu, %g\n", (unsigned long long)i + 1, us[i]);
	free(us);
	return true;
}

static void print_head(FILE *out, const struct result *r)
{
	print_gpu(out, r);
	print_parameters(out, r);
	print_addresses(out, r, !r->at_server, "local");
	print_addresses(out, r, r->at_server, "remote");
	print_headings(out, r);
}

static void print_row(FILE *out, const struct result *r,
		      const struct result_row *row)
{
	const bool other = is_latency(r) ? r->params.timed : r->params.gbits;

	if (row->failed)
		return;
	if (r->params.perftest_samples && print_samples(out, r, row))
		print_headings(out, r);
	tables[r->params.plan.metric][other].print(out, r, row);
	end_row(out, r, row);
	if (r->params.perftest_both)
		print_both(out, r, row);
	counters_print_perftest(out, r, row);
}

/* What perftest's line of an interval has: with -b both directions.  Of sends
 * this end sees both.  Of the peer's writes, reads and atomics it does not:
 * like perftest, it takes them to be as many as its own, which only the rates
 * have. */
static struct bandwidth_summary both_of(const struct plan *plan,
					const struct observed *part,
					uint64_t *iterations)
{
	const bool both = plan->bidirectional;
	const bool sees = both && op_table[plan->op].receives;
	struct interval all = part->interval;

	*iterations = all.messages + (sees ? part->arrivals : 0);
	all.messages = sees || !both ? *iterations : 2 * all.messages;
	return interval_bandwidth(&all, part->size);
}

/* Print a line for each interval of --run_infinitely.  An interval has no
 * better part, and the one that was interrupted has no line. */
static void print_interval(FILE *out, const struct result *r,
			   const struct observed *part)
{
	const struct plan *plan = &r->params.plan;
	uint64_t iterations;
	const struct bandwidth_summary b = both_of(plan, part, &iterations);

	if (!plan_is_endless(plan) ||
	    part->interval.length_ns < plan->interval / 2)
		return;
	print_rates(out, r, part->size, iterations,
		    rate_of(r, b.gbps), &b);
	print_least(out, r, rate_of(r, b.gbps));
	fputs("\n", out);
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
	.head = print_head,
	.row = print_row,
	.interval = print_interval,
	.tail = print_tail,
};

/* perftest's JSON (--out_json): its keys and nesting, with values under them
 * that were measured.  It has no list of results, so that of several sizes the
 * last is in it. */

/* "RDMA_Write_BW_Test": the title with underscores. */
static json_t *test_of(const struct result *r)
{
	char title[TITLE_SIZE];

	for (char *c = write_title(r, title); *c; c++)
		if (isspace((unsigned char)*c))
			*c = '_';
	return json_string(title);
}

static json_t *test_info(const struct result *r)
{
	const struct fields fields = fields_of(r);
	json_t *info = json_pack("{s:o}", "test", test_of(r));

	for (size_t i = 0; i < FIELDS; i++) {
		const struct field *f = &fields.list[i];

		if (f->applies && f->key)
			json_put(info, f->key,
				 f->value ? json_text(f->value) :
					    json_count(f->number));
	}
	return info;
}

static json_t *number(double value)
{
	return json_real(or_zero(value));
}

static json_t *bandwidth_of(const struct result *r,
			    const struct result_row *row)
{
	const struct bandwidth_summary *b = &row->total.bandwidth;
	const double average = rate_of(r, b->gbps);

	if (r->params.format == TABLE_BANDWIDTH)
		return json_pack("{s:f}", "bw_avg", average);
	if (r->params.format == TABLE_MESSAGE_RATE)
		return json_pack("{s:o}", "msgRate_avg", number(b->mpps));
	return json_pack("{s:I, s:I, s:f, s:f, s:o}", "MsgSize",
			 (json_int_t)row->size, "n_iterations",
			 (json_int_t)iterations_of(r, row), "BW_peak",
			 peak_of_row(r, row), "BW_average", average,
			 "MsgRate", number(b->mpps));
}

static json_t *latency_of(const struct result *r, const struct result_row *row)
{
	const struct latency_summary *l = &row->latency;
	const json_int_t size = (json_int_t)row->size;
	const json_int_t n = (json_int_t)row->total.iterations;

	if (r->params.format == TABLE_LATENCY)
		return json_pack("{s:o}", "avg_lat", number(l->mean));
	if (r->params.timed)
		return json_pack("{s:I, s:I, s:o, s:o}", "MsgSize", size,
				 "n_iterations", n, "t_avg", number(l->mean),
				 "tps_average", number((double)n /
						       row->total.seconds));
	return json_pack("{s:I, s:I, s:o, s:o, s:o, s:o, s:o, s:o, s:o}",
			 "MsgSize", size, "n_iterations", n, "t_min",
			 number(l->min), "t_max", number(l->max), "t_typical",
			 number(l->empirical_p50), "t_avg", number(l->mean),
			 "t_stdev", number(l->stddev), "percentile_99",
			 number(l->empirical_p99), "percentile_99.9",
			 number(l->empirical_p99_9));
}

static json_t *results_of(const struct result *r, const struct result_row *row)
{
	json_t *results = r->params.plan.metric == METRIC_LATENCY ?
				  latency_of(r, row) : bandwidth_of(r, row);

	if (r->params.perftest_min_bw && !is_latency(r))
		json_put(results, "BW_min", number(least_of_row(r, row)));
	if (r->params.cpu)
		json_put(results, "CPU_util",
			 number(cpu_host_percent(row, !r->at_server)));
	return results;
}

char *report_perftest_json(const struct result *r)
{
	const struct result_row *row = r->n_rows ? &r->rows[r->n_rows - 1] :
						   NULL;

	/* one without an end is always interrupted */
	if (!row || (row->failed && !plan_is_endless(&r->params.plan)))
		return json_to_text(json_pack("{s:n, s:n, s:o}", "test_info",
					      "results", "error",
					      json_text(r->error.message)));
	return json_to_text(json_pack(
		"{s:o, s:o}", "test_info", test_info(r), "results",
		results_of(r, row)));
}
