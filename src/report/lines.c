#include "config.h"
#include "report/stream.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/xalloc.h"
#include "report/json.h"
#include "report/json_value.h"
#include "report/sink.h"

struct lines {
	struct observer observer;
	struct sink sink;
};

static struct lines *lines_of(struct observer *observer)
{
	return (struct lines *)((char *)observer -
				offsetof(struct lines, observer));
}

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

/* Write and release LINE. */
static void put(struct observer *observer, json_t *line)
{
	char *text = json_to_line(line);

	sink_put(&lines_of(observer)->sink, text, strlen(text));
	free(text);
}

static void on_begin(struct observer *observer, const struct result *r)
{
	static const char *const keys[] = { "tool", "parameters", "client",
					    "server", "environment" };
	json_t *line = make_line("start", r);
	json_t *document = report_document(r);

	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		json_object_set(line, keys[i],
				json_object_get(document, keys[i]));
	json_decref(document);
	put(observer, line);
}

static void on_interval(struct observer *observer, const struct result *r,
			const struct observed *part)
{
	const struct plan *plan = &r->params.plan;
	json_t *line = make_line("interval", r);

	json_put(line, "size", json_size(plan, part->size));
	json_put(line, "qps", json_qps(plan));
	json_put(line, "from",
		 json_string(part->from_client ? "client" : "server"));
	json_put(line, "counted",
		 json_string(part->received	      ? "received" :
			     plan_is_unreliable(plan) ? "sent" : "completed"));
	json_put(line, "interval",
		 json_interval(plan, &part->interval, part->size));
	put(observer, line);
}

static void on_row(struct observer *observer, const struct result *r,
		   const struct result_row *row)
{
	json_t *line = make_line("result", r);

	json_put(line, "result", json_row(&r->params, row));
	put(observer, line);
}

struct observer *lines_new(const char *path)
{
	struct lines *lines = xcalloc(1, sizeof(*lines));

	lines->observer = (struct observer){
		.begin = on_begin,
		.interval = on_interval,
		.row = on_row,
	};
	sink_init(&lines->sink, path);
	lines->sink.lines = true;
	return &lines->observer;
}

void lines_free(struct observer *observer)
{
	struct lines *lines;

	if (!observer)
		return;
	lines = lines_of(observer);
	sink_free(&lines->sink);
	free(lines);
}

/* The last line has everything in the document that no earlier line had. */
int lines_end(struct observer *observer, const struct result *r,
	      struct error *err)
{
	json_t *line = make_line("end", r), *document = report_document(r);

	json_object_update_missing(line, document);
	json_object_del(line, "tool");
	json_object_del(line, "parameters");
	json_object_del(line, "environment");
	json_object_del(line, "results");
	json_decref(document);
	put(observer, line);
	return sink_finish(&lines_of(observer)->sink, err);
}
