/*
 * The rows of a result as CSV: one line of headings and one per row, with the
 * line ends of RFC 4180.  The columns are the same for every test, and their
 * names follow the JSON; an empty cell means not measured.
 */
#include "config.h"
#include "report/stream.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/plain.h"
#include "base/xalloc.h"
#include "report/json.h"
#include "report/json_value.h"

/* A column, and the path of its value in the JSON: keys and indices separated
 * by dots. */
// clang-format off
static const struct {
	const char *name;
	const char *path;
} columns[] = {
	{ "started", "started" },
	{ "title", "title" },
	{ "test", "test.name" },
	{ "transport", "test.transport" },
	{ "direction", "test.direction" },
	{ "load", "test.load" },
	{ "client_hostname", "client.hostname" },
	{ "client_device", "client.device" },
	{ "server_hostname", "server.hostname" },
	{ "server_device", "server.device" },
	{ "size", "size" },
	{ "qps", "qps" },
	{ "iterations", "iterations" },
	{ "seconds", "seconds" },
	{ "bandwidth_gbps", "bandwidth.gbps" },
	{ "bandwidth_mib_per_s", "bandwidth.mib_per_s" },
	{ "bandwidth_mpps", "bandwidth.mpps" },
	{ "bandwidth_peak_gbps", "bandwidth.peak_gbps" },
	{ "bandwidth_ci95_low_gbps", "bandwidth.ci95_gbps.0" },
	{ "bandwidth_ci95_high_gbps", "bandwidth.ci95_gbps.1" },
	{ "bandwidth_sent", "bandwidth.sent" },
	{ "bandwidth_received", "bandwidth.received" },
	{ "bandwidth_lost", "bandwidth.lost" },
	{ "bandwidth_error_percent", "bandwidth.error_percent" },
	{ "bandwidth_peak_error_percent", "bandwidth.peak_error_percent" },
	{ "bandwidth_dry_percent", "bandwidth.dry_percent" },
	{ "client_to_server_gbps", "directions.0.bandwidth.gbps" },
	{ "client_to_server_mpps", "directions.0.bandwidth.mpps" },
	{ "server_to_client_gbps", "directions.1.bandwidth.gbps" },
	{ "server_to_client_mpps", "directions.1.bandwidth.mpps" },
	{ "latency_definition", "latency.definition" },
	{ "latency_samples", "latency.samples" },
	{ "latency_min_us", "latency.min" },
	{ "latency_mean_us", "latency.mean" },
	{ "latency_stddev_us", "latency.stddev" },
#define X(field, key, per_million) \
	{ "latency_" key "_us", "latency." key },
	PERCENTILE_LIST(X)
#undef X
	{ "latency_max_us", "latency.max" },
	{ "latency_lost", "latency.lost" },
	{ "latency_requested_mpps", "latency.requested_mpps" },
	{ "latency_achieved_mpps", "latency.achieved_mpps" },
	{ "latency_late", "latency.late" },
	{ "latency_saturated", "latency.saturated" },
	{ "batch_requests", "batch.requests" },
	{ "batch_per_second", "batch.per_second" },
#define CPU(end) \
	{ end "_cpu_percent", "cpu." end ".utilization_percent" }, \
	{ end "_cpu_ns_per_message", "cpu." end ".ns_per_message" }, \
	{ end "_cpu_ns_per_gb", "cpu." end ".ns_per_gb" }, \
	{ end "_host_cpu_percent", "cpu." end ".host_utilization_percent" },
	CPU("client") CPU("server")
#undef CPU
	{ "tx_depth", "tx_depth" },
	{ "cq_mod", "cq_mod" },
	{ "post_list", "post_list" },
	{ "post", "post" },
	{ "inline", "inline" },
	{ "verified", "verified" },
	{ "control_pattern", "control.pattern" },
	{ "control_most", "control.most" },
	{ "control_per_second", "control.per_second" },
	{ "control_pinned_gb_per_s", "control.pinned_gb_per_s" },
#define PART(number, index) \
	{ "control_part_" number, "control.parts." index ".name" }, \
	{ "control_part_" number "_p50_us", "control.parts." index ".p50" },
	PART("1", "0") PART("2", "1") PART("3", "2") PART("4", "3")
	PART("5", "4") PART("6", "5") PART("7", "6") PART("8", "7")
	PART("9", "8")	/* CONTROL_PARTS_MAX */
#undef PART
	{ "control_cpu_ns", "control.time.cpu_ns" },
	{ "control_user_ns", "control.time.user_ns" },
	{ "control_system_ns", "control.time.system_ns" },
	{ "control_waiting_ns", "control.time.waiting_ns" },
	{ "control_system_calls", "control.system_calls.per_operation" },
	{ "control_firmware_commands",
	  "control.firmware_commands.per_operation" },
	{ "control_limit", "control.limit.code" },
	{ "failed", "failed" },
	{ "error_code", "error.code" },
	{ "error", "error.message" },
	{ "outcome", "outcome.verdict" },
	{ "exit_status", "outcome.exit_status" },
};
// clang-format on

#define COLUMNS (sizeof(columns) / sizeof(*columns))

/* NULL if anything on the path is null or missing. */
static const json_t *at(const json_t *value, const char *path)
{
	while (value && *path) {
		size_t length = strcspn(path, ".");
		char key[32];

		snprintf(key, sizeof(key), "%.*s", (int)length, path);
		value = json_is_array(value) ?
				json_array_get(value, (size_t)atoi(key)) :
				json_object_get(value, key);
		path += path[length] ? length + 1 : length;
	}
	return value;
}

/* Quote text with a comma, a quote or a line end. */
static void print_cell(FILE *out, const char *text)
{
	if (!strpbrk(text, ",\"\r\n")) {
		fputs(text, out);
		return;
	}
	fputc('"', out);
	for (; *text; text++) {
		if (*text == '"')
			fputc('"', out);
		fputc(*text, out);
	}
	fputc('"', out);
}

/* Print VALUE as a cell.  Text that a spreadsheet would take for a formula
 * begins with an apostrophe, which is not shown there. */
static void print_value(FILE *out, const json_t *value)
{
	char *text = json_plain(value), *quoted = NULL;

	if (json_is_string(value) && plain_is_formula(text))
		xcheck(asprintf(&quoted, "'%s", text) < 0 ? NULL : quoted);
	print_cell(out, quoted ? quoted : text);
	free(quoted);
	free(text);
}

/* The percentiles from --percentiles have columns of their own, at the end:
 * latency_percentiles_99.5_us. */
static void print_percentiles(FILE *out, const struct percentiles *list,
			      const json_t *line)
{
	const json_t *values = at(line, "latency.percentiles");
	char text[PERCENTILE_TEXT_SIZE];

	for (uint32_t i = 0; i < list->n; i++) {
		units_format_percentile(list->per_million[i], text);
		fputc(',', out);
		if (line)
			print_value(out, json_object_get(values, text));
		else
			fprintf(out, "latency_percentiles_%s_us", text);
	}
}

static void print_headings(FILE *out, const struct result *r)
{
	for (size_t i = 0; i < COLUMNS; i++)
		fprintf(out, "%s%s", i ? "," : "", columns[i].name);
	print_percentiles(out, &r->params.percentiles, NULL);
	fputs("\r\n", out);
}

/* Print and release LINE, the members of a row that ended with STATUS.  FAILED:
 * the error of R belongs to it. */
static void print_line(FILE *out, const struct result *r, json_t *line,
		       bool failed, enum exit_status status)
{
	json_t *run = report_identity(r);

	json_object_update(line, run);
	json_decref(run);
	if (failed)
		json_put(line, "error", json_error(&r->error));
	json_put(line, "outcome", json_outcome(r, status));
	for (size_t i = 0; i < COLUMNS; i++) {
		fputs(i ? "," : "", out);
		print_value(out, at(line, columns[i].path));
	}
	print_percentiles(out, &r->params.percentiles, line);
	fputs("\r\n", out);
	json_decref(line);
}

/* Rows before a failed one are written already. */
static void print_row(FILE *out, const struct result *r,
		      const struct result_row *row)
{
	if (row == r->rows)
		print_headings(out, r);
	print_line(out, r, json_row(&r->params, row), row->failed,
		   exit_status_of_row(r, row));
}

static void print_tail(FILE *out, const struct result *r)
{
	if (!r->n_rows)
		print_headings(out, r);
	else if (error_is_set(&r->error) && !r->rows[r->n_rows - 1].failed)
		/* between two sizes, so that no row shows the error */
		print_line(out, r, json_pack("{s:b}", "failed", true), true,
			   exit_status_of_run(r));
}

const struct row_format csv_format = {
	.row = print_row,
	.tail = print_tail,
};
