/* A run as lines of JSON, each written when the event it describes happens. */
#include "config.h"
#include "report/stream.h"

#include <stdlib.h>
#include <time.h>

#include "report/json.h"
#include "report/json_value.h"

/* The members of every line, which make it understandable alone: the first line
 * of the run describes both ends in full. */
static json_t *make_line(const char *type, const struct result *r)
{
	json_t *identity = report_identity(r), *line;
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	line = json_pack("{s:s, s:s, s:o}", "schema", "verbsperf-lines/1",
			 "type", type, "time", json_time(&now));
	json_object_update(line, identity);
	json_decref(identity);
	return line;
}

/* Print and release LINE. */
static void print(FILE *out, json_t *line)
{
	char *text = json_to_line(line);

	fputs(text, out);
	free(text);
}

static void print_start(FILE *out, const struct result *r)
{
	static const char *const keys[] = { "tool", "parameters", "client",
					    "server", "environment" };
	json_t *line = make_line("start", r);
	json_t *document = report_document(r);

	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		json_object_set(line, keys[i],
				json_object_get(document, keys[i]));
	json_decref(document);
	print(out, line);
}

static void print_interval(FILE *out, const struct result *r,
			   const struct observed *part)
{
	const struct plan *plan = &r->params.plan;
	json_t *line;

	if (r->params.no_intervals)
		return;
	line = make_line("interval", r);
	json_put(line, "size", json_size(plan, part->size));
	json_put(line, "qps", json_qps(plan));
	json_put(line, "from",
		 json_string(part->from_client ? "client" : "server"));
	json_put(line, "counted",
		 json_string(part->received	      ? "received" :
			     plan_is_unreliable(plan) ? "sent" : "completed"));
	json_put(line, "interval",
		 json_interval(plan, &part->interval, part->size));
	print(out, line);
}

static void print_result(FILE *out, const struct result *r,
			 const struct result_row *row)
{
	json_t *line = make_line("result", r);

	json_put(line, "result", json_row(&r->params, row));
	print(out, line);
}

/* The last line has everything in the document that no earlier line had. */
static void print_end(FILE *out, const struct result *r)
{
	json_t *line = make_line("end", r), *document = report_document(r);

	json_object_update_missing(line, document);
	json_object_del(line, "tool");
	json_object_del(line, "parameters");
	json_object_del(line, "environment");
	json_object_del(line, "results");
	json_decref(document);
	print(out, line);
}

const struct row_format lines_format = {
	.lines = true,
	.head = print_start,
	.row = print_result,
	.interval = print_interval,
	.tail = print_end,
};
