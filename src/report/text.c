/* The table for people. */
#include "config.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/parts.h"
#include "report/stream.h"
#include "traffic/batch.h"

/* More decimals than these are written as a power of ten. */
#define DECIMALS_MOST 9

/*
 * A number, right-aligned in a column; "-" if it was not measured.  A value too
 * small for the decimals keeps three digits, so that it does not read as zero;
 * a message rate, which has six decimals, keeps four: 0.0001132 Mpps.
 */
static void print_cell(FILE *out, int width, int decimals, double value)
{
	const int digits = decimals > 3 ? 4 : 3;
	const double least = pow(10, (decimals > 3 ? 3 : 1) - decimals);

	if (!isfinite(value))
		fprintf(out, " %*s", width, "-");
	else if (value > 0 && value < least)
		decimals = digits - 1 - (int)floor(log10(value));
	if (isfinite(value))
		fprintf(out, decimals > DECIMALS_MOST ? " %*.*g" : " %*.*f",
			width, decimals > DECIMALS_MOST ? digits : decimals,
			value);
}

struct column {
	char heading[24];
	int width;
	int decimals;
	size_t offset;		/* of a double in struct result_row */
};

/* Marks the confidence interval, which is computed from two fields. */
#define HALF_WIDTH SIZE_MAX

#define BANDWIDTH(field) offsetof(struct result_row, total.bandwidth.field)
#define LATENCY(field) offsetof(struct result_row, latency.field)

// clang-format off
static const struct column bandwidth_columns[] = {
	{ "BW peak[Gb/s]", 13, 3, BANDWIDTH(peak_gbps) },
	{ "BW average[Gb/s]", 16, 3, BANDWIDTH(gbps) },
	{ "+-95%[Gb/s]", 11, 3, HALF_WIDTH },
	{ "BW average[MiB/s]", 17, 2, BANDWIDTH(mib_per_s) },
	{ "MsgRate[Mpps]", 13, 6, BANDWIDTH(mpps) },
};

static const struct column latency_columns[] = {
	{ "t_min[us]", 9, 2, LATENCY(min) },
	{ "t_max[us]", 9, 2, LATENCY(max) },
	{ "t_typical[us]", 13, 2, LATENCY(p50) },
	{ "t_avg[us]", 9, 2, LATENCY(mean) },
	{ "t_stdev[us]", 11, 2, LATENCY(stddev) },
};

static const struct column percentile_columns[] = {
	{ "99%[us]", 9, 2, LATENCY(p99) },
	{ "99.9%[us]", 9, 2, LATENCY(p99_9) },
};
// clang-format on

/* Those of a batch: four of bandwidth, and five of latency. */
#define COLUMNS_MAX (9 + PERCENTILES_MAX)
/* Greatest width of a table in characters, even with a failed row. */
#define TABLE_WIDTH 112

struct table {
	struct column columns[COLUMNS_MAX];
	uint32_t n;
	uint32_t beside;	/* the first so many; the others are printed
				 * below each row: percentiles that do not fit,
				 * or the time of a batch */
};

static void add_columns(struct table *table, const struct column *columns,
			size_t n)
{
	memcpy(&table->columns[table->n], columns, n * sizeof(*columns));
	table->n += (uint32_t)n;
}

static int table_width(const struct table *table)
{
	int width = 23;

	for (uint32_t i = 0; i < table->n; i++)
		width += 1 + table->columns[i].width;
	return width;
}

/* Add the requested percentiles. */
static void add_percentiles(struct table *table, const struct percentiles *list)
{
	for (uint32_t i = 0; i < list->n; i++) {
		char text[PERCENTILE_TEXT_SIZE];
		struct column *c = &table->columns[table->n++];
		int length = snprintf(
			c->heading, sizeof(c->heading), "%s%%[us]",
			units_format_percentile(list->per_million[i], text));

		c->width = length < 9 ? 9 : length;
		c->decimals = 2;
		c->offset = offsetof(struct result_row, percentiles) +
			    i * sizeof(double);
	}
}

/* A batch is one message, whose time is below the row; its rate is printed with
 * that, in a better unit. */
static struct table make_table(const struct parameters *params)
{
	const bool bandwidth = params->plan.metric == METRIC_BANDWIDTH;
	struct table table = { .n = 0 };

	if (bandwidth)
		add_columns(&table, bandwidth_columns,
			    params->plan.batch.n ? 4 : 5);
	table.beside = table.n;
	if (!plan_has_latency(&params->plan))
		return table;
	add_columns(&table, latency_columns, 5);
	if (!bandwidth)
		table.beside = table.n;
	if (params->percentiles.n)
		add_percentiles(&table, &params->percentiles);
	else
		add_columns(&table, percentile_columns, 2);
	if (!bandwidth && table_width(&table) <= TABLE_WIDTH)
		table.beside = table.n;
	return table;
}

static double value_of(const struct column *c, const struct result_row *row)
{
	const double *ci = row->total.bandwidth.ci95_gbps;

	if (c->offset == HALF_WIDTH)
		return (ci[1] - ci[0]) / 2;
	return *(const double *)((const char *)row + c->offset);
}

static void print_batch(FILE *out, const struct plan *plan,
			const struct result_row *row)
{
	const uint64_t n = batch_requests(&plan->batch);

	fprintf(out, "   batches of %" PRIu64 " request%s,", n,
		n == 1 ? "" : "s");
	print_cell(out, 0, 1, result_message_rate(row));
	fprintf(out, " a second; time from %s:\n",
		result_latency_definition(plan));
}

static void print_below(FILE *out, const struct table *table,
			const struct result_row *row)
{
	const struct column *below = &table->columns[table->beside];
	const uint32_t n = table->n - table->beside;

	for (uint32_t i = 0; i < n; i++) {
		const struct column *c = &below[i];

		if (i % 5 == 0)
			fputs(i ? "\n  " : "  ", out);
		fprintf(out, " %12s", c->heading);
		print_cell(out, 8, c->decimals, value_of(c, row));
	}
	if (n)
		fputs("\n", out);
}

static void print_rates(FILE *out, uint64_t messages,
			const struct bandwidth_summary *b)
{
	fprintf(out, " %" PRIu64 " messages,", messages);
	print_cell(out, 0, 3, b->gbps);
	fputs(" Gb/s,", out);
	print_cell(out, 0, 6, b->mpps);
	fputs(" Mpps\n", out);
}

static void print_thread(FILE *out, uint32_t i, const struct thread_row *t,
			 uint64_t size)
{
	struct bandwidth_summary b = summary_bandwidth(
		t->iterations, size, (double)t->window_ns / 1e9);
	char cpu[24] = "";

	if (t->cpu != PLAN_AUTO)
		snprintf(cpu, sizeof(cpu), " on CPU %u", t->cpu);
	fprintf(out, "   thread %u%s: %u QP%s,", i, cpu, t->qps,
		t->qps == 1 ? "" : "s");
	print_rates(out, t->iterations, &b);
}

static void print_directions(FILE *out, const struct result_row *row)
{
	for (uint32_t i = 0; i < row->n_directions; i++) {
		const struct result_direction *d = &row->directions[i];

		fprintf(out, "   %s:", d->from_client ? "client to server" :
							"server to client");
		print_rates(out, d->iterations, &d->bandwidth);
	}
}

/* Print what an unreliable transport did with the messages. */
static void print_lost(FILE *out, const struct plan *plan,
		       const struct result_row *row)
{
	const struct result_direction *d = &row->total;
	const uint64_t due = plan_due(plan, d->sent);
	const uint64_t lost = plan_lost(plan, d->sent, d->received);

	if (plan->metric == METRIC_LATENCY)
		fprintf(out, "   %" PRIu64 " pings, %" PRIu64
			" without an answer\n", d->iterations + row->lost,
			row->lost);
	else if (d->sent_unknown)
		return;		/* below the table, once */
	else if (!d->checked)
		fprintf(out, "   sent %" PRIu64 "; the number received is not "
			"known%s\n", d->sent, plan_counts_received(plan) ?
			"" : ": --imm or --verify counts it");
	else
		fprintf(out, "   sent %" PRIu64 ", received %" PRIu64
			", lost %" PRIu64 " (%.3g%%)%s\n", d->sent,
			d->received, lost,
			due ? 100.0 * (double)lost / (double)due : 0,
			plan->warmup && !plan_warms_up_apart(plan) ?
				", warm-up included" : "");
}

/* Print how often one end was woken, and by what. */
static void print_events(FILE *out, const struct plan *plan, bool client,
			 const struct result_row *row)
{
	const struct event_counts *e = &row->at[client].events;
	/* nothing solicits the completion of a send */
	const bool sends = e->sends ||
			   (plan_sends(plan, client) && !plan->solicited);
	const bool receives = plan_posts_receives(plan, client);

	if (!e->known || (!sends && !receives))
		return;
	fprintf(out, "   %s: ", client ? "client" : "server");
	if (sends)
		fprintf(out, "%" PRIu64 " events of sends", e->sends);
	if (receives)
		fprintf(out, "%s%" PRIu64 " %sof receives", sends ? ", " : "",
			e->receives, sends ? "" : "events ");
	if (receives && row->total.checked && !row->n_directions &&
	    plan->metric == METRIC_BANDWIDTH && plan_sends(plan, !client))
		fprintf(out, ", for %" PRIu64 " messages", row->total.received);
	fputs("\n", out);
}

static void print_receivers(FILE *out, const struct result_row *row)
{
	const struct result_direction *d = &row->total;

	for (uint32_t i = 0; i < row->n_receivers; i++) {
		const uint64_t got = row->receivers[i];

		fprintf(out, "   receiver %u: %" PRIu64 " received", i, got);
		if (!d->sent_unknown && d->sent >= got)
			fprintf(out, ", %" PRIu64 " lost", d->sent - got);
		fputs("\n", out);
	}
}

static void print_row(FILE *out, const struct result *r,
		      const struct result_row *row)
{
	const struct table table = make_table(&r->params);
	const struct plan *plan = &r->params.plan;

	fprintf(out, " %-9" PRIu64 " %12" PRIu64, row->size,
		row->total.iterations);
	for (uint32_t i = 0; i < table.beside; i++)
		print_cell(out, table.columns[i].width,
			   table.columns[i].decimals,
			   value_of(&table.columns[i], row));
	fputs(row->failed ? " failed\n" : "\n", out);
	if (plan->batch.n)
		print_batch(out, plan, row);
	print_below(out, &table, row);
	for (uint32_t i = 0; i < row->total.n_threads; i++)
		print_thread(out, i, &row->total.threads[i], row->size);
	print_directions(out, row);
	if (plan_is_unreliable(plan))
		print_lost(out, plan, row);
	print_receivers(out, row);
	for (int client = 1; plan->events && client >= 0; client--)
		print_events(out, plan, client, row);
	load_print(out, plan, row);
	if (r->params.cpu)
		cpu_print(out, row, plan->metric == METRIC_BANDWIDTH);
}

/* The mean, in ns: intervals end at completions, so each differs a little. */
static uint64_t mean_interval(const struct result_direction *d)
{
	const struct interval *last = &d->intervals[d->n_intervals - 1];

	return (last->start_ns + last->length_ns) / d->n_intervals;
}

/* "20 intervals of 0.05 s"; sizes may differ in number and length. */
static void print_intervals(FILE *out, const struct result *r)
{
	uint32_t least = UINT32_MAX, most = 0;
	uint64_t shortest = UINT64_MAX, longest = 0;

	for (uint32_t i = 0; i < r->n_rows; i++) {
		const struct result_direction *d = &r->rows[i].total;
		uint64_t length;

		if (d->n_intervals < INTERVALS_LEAST)
			continue;
		length = mean_interval(d);
		least = d->n_intervals < least ? d->n_intervals : least;
		most = d->n_intervals > most ? d->n_intervals : most;
		shortest = length < shortest ? length : shortest;
		longest = length > longest ? length : longest;
	}
	if (!most)
		return;
	fprintf(out, " peak: best of %u", least);
	if (most > least)
		fprintf(out, " to %u", most);
	fprintf(out, " intervals of %.3g", (double)shortest / 1e9);
	/* edges are at completions, so no two lengths are equal */
	if ((double)longest > 1.1 * (double)shortest)
		fprintf(out, " to %.3g", (double)longest / 1e9);
	fputs(" s; +-95%: confidence of their mean\n", out);
}

/* What an end's environment changes about its provider. */
static void print_variables(FILE *out, const char *end,
			    const struct facts *facts)
{
	const char *set = facts_text(facts, FACT_PROVIDER_VARIABLES);

	if (set[0] && strcmp(set, "none") != 0)
		fprintf(out, " %s: environment of its provider: %s\n", end,
			set);
}

/* Define the table's numbers, below it. */
static void print_definition(FILE *out, const struct result *r)
{
	const struct plan *plan = &r->params.plan;

	if (plan->metric == METRIC_LATENCY)
		fprintf(out, " latency: %s", result_latency_definition(plan));
	else
		fprintf(out, " bandwidth: %s %s%s%s",
			plan->batch.n ? "batches" : "messages",
			plan_receiver_measures(plan) ? "received" :
			plan_is_unreliable(plan) ? "sent, which may be lost" :
						   "completed",
			plan_copies(plan) > 1 ? " by all receivers together" :
						"",
			plan->bidirectional ? ", each direction over its own "
					      "window, and their sum" : "");
	fprintf(out, ", after %.3g s of warm-up; clock %s: resolution "
		"%.3g ns, one read %.3g ns\n", (double)plan->warmup / 1e9,
		r->clock.source, r->clock.resolution_ns,
		r->clock.read_cost_ns);
	print_intervals(out, r);
	print_variables(out, "client", &r->client.facts);
	print_variables(out, "server", &r->server.facts);
	if (r->params.cpu)
		cpu_print_definition(out);
}

static void print_head(FILE *out, const struct result *r)
{
	const struct table table = make_table(&r->params);

	head_print(out, r);
	fprintf(out, "%-10s %12s", " #bytes", "#iterations");
	for (uint32_t i = 0; i < table.beside; i++)
		fprintf(out, " %*s", table.columns[i].width,
			table.columns[i].heading);
	fputs("\n", out);
}

/* Once for all sizes. */
static void print_unknown(FILE *out, const struct result *r)
{
	const struct plan *plan = &r->params.plan;
	uint32_t i = 0;

	while (i < r->n_rows && !r->rows[i].total.sent_unknown)
		i++;
	if (i < r->n_rows && plan_is_unreliable(plan) &&
	    plan->metric == METRIC_BANDWIDTH)
		fputs(" the sender did not tell how many it sent: what was "
		      "lost is not known\n", out);
}

static void print_tail(FILE *out, const struct result *r)
{
	print_unknown(out, r);
	if (r->preflight)
		preflight_text(out, r);
	if (r->n_rows && r->params.verbose)
		print_definition(out, r);
	caveats_print(out, r);
	counters_print(out, r);
	limit_print(out, r);
	charts_print(out, r, r->clock.resolution_ns *
			     result_latency_factor(&r->params.plan));
}

const struct row_format text_format = {
	.table = true,
	.head = print_head,
	.row = print_row,
	.tail = print_tail,
};
