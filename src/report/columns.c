/*
 * The columns of forms that have a line for each size: the same for every test,
 * with names that follow the JSON.
 */
#include "config.h"
#include "report/columns.h"

#include <stdlib.h>
#include <string.h>

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

/* The members of the line of ROW; NULL: of a failure outside of all rows.  The
 * error of R belongs to the row that failed: those before are written. */
static json_t *make_line(const struct result *r, const struct result_row *row)
{
	json_t *line = row ? json_row(&r->params, row) :
			     json_pack("{s:b}", "failed", true);
	json_t *run = report_identity(r);

	json_object_update(line, run);
	json_decref(run);
	if (!row || row->failed)
		json_put(line, "error", json_error(&r->error));
	json_put(line, "outcome",
		 json_outcome(r, row ? exit_status_of_row(r, row) :
				       exit_status_of_run(r)));
	return line;
}

static void write_one(FILE *out, size_t i, const char *name,
		      const json_t *value, column_writer write)
{
	char *text = json_plain(value);

	write(out, i, name, text, json_is_string(value));
	free(text);
}

/* The percentiles from --percentiles have columns of their own, at the end:
 * latency_percentiles_99.5_us. */
static void write_percentiles(FILE *out, const struct percentiles *list,
			      const json_t *line, column_writer write)
{
	const json_t *values = at(line, "latency.percentiles");
	char text[PERCENTILE_TEXT_SIZE], name[PERCENTILE_TEXT_SIZE + 40];

	for (uint32_t i = 0; i < list->n; i++) {
		units_format_percentile(list->per_million[i], text);
		snprintf(name, sizeof(name), "latency_percentiles_%s_us", text);
		write_one(out, COLUMNS + i, name, json_object_get(values, text),
			  write);
	}
}

static void write_all(FILE *out, const struct result *r, const json_t *line,
		      column_writer write)
{
	for (size_t i = 0; i < COLUMNS; i++)
		write_one(out, i, columns[i].name, at(line, columns[i].path),
			  write);
	write_percentiles(out, &r->params.percentiles, line, write);
}

void columns_write(FILE *out, const struct result *r,
		   const struct result_row *row, column_writer write)
{
	json_t *line = make_line(r, row);

	write_all(out, r, line, write);
	json_decref(line);
}

void columns_write_names(FILE *out, const struct result *r, column_writer write)
{
	write_all(out, r, NULL, write);
}

bool columns_lack_error(const struct result *r)
{
	return error_is_set(&r->error) &&
	       (!r->n_rows || !r->rows[r->n_rows - 1].failed);
}
