/*
 * A result as gauges, for the textfile collector of Prometheus' node exporter:
 * OpenMetrics, which that reads, too.  Names, units and texts of help are those
 * of scripts/verbsperf/forms/reports.py, so that both may lie in one folder.
 */
#include "config.h"
#include "report/report.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "model/exit_status.h"
#include "model/limit.h"
#include "report/json_value.h"

/* Another label than those that all gauges of a row have. */
struct label {
	const char *name;	/* NULL: none */
	const char *value;	/* NULL: empty */
};

/* A character of a label; one that a reader may take for its own is shown as
 * what it is. */
static void put_character(FILE *out, char c)
{
	if (c == '\\' || c == '"')
		fprintf(out, "\\%c", c);
	else if (iscntrl((unsigned char)c))
		fprintf(out, "\\\\x%02x", (unsigned char)c);
	else
		fputc(c, out);
}

static void put_label(FILE *out, const char *name, const char *value)
{
	/* "?" for what is not UTF-8 */
	json_t *text = json_text(value);
	char *plain = json_plain(text);

	fprintf(out, "%s=\"", name);
	for (const char *c = plain; *c; c++)
		put_character(out, *c);
	fputc('"', out);
	free(plain);
	json_decref(text);
}

static void put_count(FILE *out, const char *name, json_t *count)
{
	char *text = json_plain(count);

	fprintf(out, ",%s=\"%s\"", name, text);
	free(text);
	json_decref(count);
}

/* Which run of R it is, and of ROW, unless that is NULL, which size. */
static void put_labels(FILE *out, const struct result *r,
		       const struct result_row *row)
{
	const struct plan *plan = &r->params.plan;
	const struct port *own = r->at_server ? &r->server : &r->client;
	const struct port *peer = r->at_server ? &r->client : &r->server;
	const bool sent = !plan->control ||
			  control_table[plan->control].transports;
	const struct label labels[] = {
		{ "test", test_name_of(plan) },
		{ "transport", sent ? transport_table[plan->transport].name :
				      NULL },
		{ "direction", plan->control ? NULL :
			       plan->bidirectional ? "bi" : "uni" },
		{ "device", own->device },
		{ "peer", peer->hostname },
		{ "title", r->params.title },
	};

	for (size_t i = 0; i < sizeof(labels) / sizeof(*labels); i++) {
		fputs(i ? "," : "", out);
		put_label(out, labels[i].name, labels[i].value);
	}
	put_count(out, "qps", json_qps(plan));
	if (row)
		put_count(out, "size", json_size(plan, row->size));
}

/* A gauge NAME of R and, unless it is NULL, ROW, with N more LABELS.  Nothing
 * if VALUE is NAN: not measured. */
static void put_gauge(FILE *out, const char *name, const struct result *r,
		      const struct result_row *row, const struct label *labels,
		      size_t n, double value)
{
	if (!isfinite(value))
		return;
	fprintf(out, "%s{", name);
	put_labels(out, r, row);
	for (size_t i = 0; i < n; i++) {
		fputc(',', out);
		put_label(out, labels[i].name, labels[i].value);
	}
	fprintf(out, "} %.12g\n", value);
}

static void put_metric(FILE *out, const char *name, const struct result *r,
		       const struct result_row *row, const char *metric,
		       double value)
{
	put_gauge(out, name, r, row, &(struct label){ "metric", metric }, 1,
		  value);
}

static bool has_bandwidth(const struct result *r)
{
	return r->params.plan.metric != METRIC_LATENCY;
}

static void put_bandwidth(FILE *out, const char *name, const struct result *r)
{
	for (uint32_t i = 0; has_bandwidth(r) && i < r->n_rows; i++) {
		const struct result_row *row = &r->rows[i];
		const struct bandwidth_summary *b = &row->total.bandwidth;

		put_metric(out, name, r, row, "gbps", b->gbps * 1e9 / 8);
		put_metric(out, name, r, row, "peak_gbps",
			   b->peak_gbps * 1e9 / 8);
	}
}

static void put_messages(FILE *out, const char *name, const struct result *r)
{
	for (uint32_t i = 0; i < r->n_rows; i++)
		put_metric(out, name, r, &r->rows[i], "mpps",
			   has_bandwidth(r) ?
				   r->rows[i].total.bandwidth.mpps * 1e6 :
				   NAN);
}

static void put_latency(FILE *out, const char *name, const struct result *r)
{
	const bool any = plan_has_latency(&r->params.plan);

	for (uint32_t i = 0; any && i < r->n_rows; i++) {
		const struct result_row *row = &r->rows[i];
		const struct latency_summary *l = &row->latency;

		put_metric(out, name, r, row, "min", l->min / 1e6);
		put_metric(out, name, r, row, "mean", l->mean / 1e6);
#define X(field, key, per_million) \
		put_metric(out, name, r, row, key, l->field / 1e6);
		PERCENTILE_LIST(X)
#undef X
		put_metric(out, name, r, row, "max", l->max / 1e6);
	}
}

/* What became of a size, in the words of verbsperf-sweep. */
static const char *verdict_of(const struct result *r,
			      const struct result_row *row, bool limited)
{
	if (row->failed)
		return "failed";
	if (exit_status_of_row(r, row) != EXIT_MEASURED)
		return "missed";
	return limited ? "met" : "measured";
}

static void put_verdicts(FILE *out, const char *name, const struct result *r)
{
	static const char *const words[] = { "failed", "missed", "met",
					     "measured" };
	struct limit_verdict *list;
	const bool limited = limit_judge(r, &list);

	free(list);
	for (uint32_t i = 0; i < r->n_rows; i++) {
		const char *found = verdict_of(r, &r->rows[i], limited);

		for (size_t k = 0; k < sizeof(words) / sizeof(*words); k++)
			put_gauge(out, name, r, &r->rows[i],
				  &(struct label){ "verdict", words[k] }, 1,
				  !strcmp(words[k], found));
	}
}

/* GET of each limit of R at each size that it reached. */
static void put_limits(FILE *out, const char *name, const struct result *r,
		       double (*get)(const struct limit_verdict *v))
{
	struct limit_verdict *list;
	uint32_t n = limit_judge(r, &list);

	for (uint32_t i = 0; i < n; i++) {
		const struct limit_verdict *v = &list[i];
		const struct label labels[] = {
			{ "limit", v->name }, { "unit", v->unit },
			{ "counter", v->counter }, { "end", v->end },
		};

		if (v->reached)
			put_gauge(out, name, r, &r->rows[v->row], labels,
				  sizeof(labels) / sizeof(*labels), get(v));
	}
	free(list);
}

static double get_asked(const struct limit_verdict *v)
{
	return v->asked;
}

static double get_seen(const struct limit_verdict *v)
{
	return v->seen;
}

static double get_missed(const struct limit_verdict *v)
{
	return !v->met;
}

static void put_asked(FILE *out, const char *name, const struct result *r)
{
	put_limits(out, name, r, get_asked);
}

static void put_seen(FILE *out, const char *name, const struct result *r)
{
	put_limits(out, name, r, get_seen);
}

static void put_missed(FILE *out, const char *name, const struct result *r)
{
	put_limits(out, name, r, get_missed);
}

static void put_up(FILE *out, const char *name, const struct result *r)
{
	const enum exit_status status = exit_status_of_run(r);

	put_gauge(out, name, r, NULL, NULL, 0,
		  status == EXIT_MEASURED || status == EXIT_LIMIT);
}

static void put_outcomes(FILE *out, const char *name, const struct result *r)
{
	static const char *const words[] = { "ok", "limit", "data",
					     "interrupted", "failed" };
	const char *found = exit_status_word(r, exit_status_of_run(r));

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		put_gauge(out, name, r, NULL,
			  &(struct label){ "verdict", words[i] }, 1,
			  !strcmp(words[i], found));
}

static void put_start(FILE *out, const char *name, const struct result *r)
{
	put_gauge(out, name, r, NULL, NULL, 0, (double)r->started.tv_sec);
}

static const struct {
	const char *name, *help;
	void (*put)(FILE *out, const char *name, const struct result *r);
} families[] = {
	{ "verbsperf_up", "1 if the run was measured, else 0.", put_up },
	{ "verbsperf_outcome", "1 for how the run ended, else 0.",
	  put_outcomes },
	{ "verbsperf_start_time_seconds", "When the run began, since 1970.",
	  put_start },
	{ "verbsperf_bandwidth_bytes_per_second",
	  "Bandwidth; of several rounds the median.", put_bandwidth },
	{ "verbsperf_messages_per_second",
	  "Message rate; of several rounds the median.", put_messages },
	{ "verbsperf_latency_seconds",
	  "A statistic of latency; of several rounds the median.",
	  put_latency },
	{ "verbsperf_limit_verdict",
	  "1 for what became of the point, else 0.", put_verdicts },
	{ "verbsperf_limit_asked",
	  "What the limit asks for, in its own unit.", put_asked },
	{ "verbsperf_limit_worst",
	  "The worst that was measured, in the limit's unit.", put_seen },
	{ "verbsperf_limit_missed_rounds", "Rounds that missed the limit.",
	  put_missed },
};

/* A family has a head only if it has a gauge. */
static void put_family(FILE *out, const struct result *r, size_t i)
{
	char *text = NULL;
	FILE *gauges = xmemstream(&text);

	families[i].put(gauges, families[i].name, r);
	fclose(gauges);
	if (text[0])
		fprintf(out, "# HELP %s %s\n# TYPE %s gauge\n%s",
			families[i].name, families[i].help, families[i].name,
			text);
	free(text);
}

char *report_openmetrics(const struct result *r)
{
	char *text = NULL;
	FILE *out = xmemstream(&text);

	for (size_t i = 0; i < sizeof(families) / sizeof(*families); i++)
		put_family(out, r, i);
	fputs("# EOF\n", out);
	fclose(out);
	return text;
}
