#include "config.h"
#include "report/outputs.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/xalloc.h"
#include "report/lines.h"
#include "report/stream.h"

/* The observers of a run while it goes on. */
struct outputs {
	struct observer observer;
	/* NULL: not wanted, or written at the end */
	struct observer *lines;
	struct stream *table, *csv;
};

static struct outputs *outputs_of(struct observer *observer)
{
	return (struct outputs *)((char *)observer -
				  offsetof(struct outputs, observer));
}

static int write_json(const char *path, const struct result *r,
		      struct error *err)
{
	return report_print(path, report_json(r), err);
}

static int write_lines(const char *path, const struct result *r,
		       struct error *err)
{
	(void)path;
	return lines_end(outputs_of(r->observer)->lines, r, err);
}

static int write_csv(const char *path, const struct result *r,
		     struct error *err)
{
	struct stream *csv = outputs_of(r->observer)->csv;

	return csv ? stream_end(csv, r, err) :
		     report_print(path, report_csv(r), err);
}

static int write_perftest_json(const char *path, const struct result *r,
			       struct error *err)
{
	return report_print(path, report_perftest_json(r), err);
}

static const struct output {
	size_t path;		/* of a const char * in struct parameters */
	bool begun_anew;	/* truncated before the run, because several
				 * runs append to it */
	int (*write)(const char *path, const struct result *r,
		     struct error *err);
} outputs[] = {
	{ offsetof(struct parameters, json), false, write_json },
	{ offsetof(struct parameters, json_lines), true, write_lines },
	{ offsetof(struct parameters, csv), false, write_csv },
	{ offsetof(struct parameters, perftest_json), false,
	  write_perftest_json },
};

#define N_OUTPUTS (sizeof(outputs) / sizeof(*outputs))

static const struct row_format *const tables[TABLES] = {
	[TABLE_OWN] = &text_format,
	[TABLE_PERFTEST] = &perftest_format,
	[TABLE_BANDWIDTH] = &bandwidth_format,
	[TABLE_MESSAGE_RATE] = &message_rate_format,
	[TABLE_LATENCY] = &latency_format,
};

static const struct row_format *table_of(const struct parameters *params)
{
	return params->plan.control ? &control_format :
				      tables[params->format];
}

/* NULL: the user did not ask for it. */
static const char *path_of(const struct parameters *params, size_t i)
{
	return *(const char *const *)((const char *)params + outputs[i].path);
}

static bool takes_stdout(const struct parameters *params)
{
	for (size_t i = 0; i < N_OUTPUTS; i++) {
		const char *path = path_of(params, i);

		if (path && !strcmp(path, "-"))
			return true;
	}
	return false;
}

int outputs_check(const struct parameters *params, struct error *err)
{
	int ret = 0;

	for (size_t i = 0; i < N_OUTPUTS && !ret; i++)
		if (path_of(params, i))
			ret = report_check_path(path_of(params, i),
						outputs[i].begun_anew, err);
	return ret;
}

static struct stream *new_table(const struct parameters *params)
{
	return stream_new(table_of(params), takes_stdout(params) ? NULL : "-");
}

static void on_begin(struct observer *observer, const struct result *r)
{
	struct outputs *o = outputs_of(observer);

	if (o->lines)
		o->lines->begin(o->lines, r);
	if (o->table) {
		/* a server has heard only now which test it is */
		stream_free(o->table);
		o->table = new_table(&r->params);
		stream_begin(o->table, r);
	}
	if (o->csv)
		stream_begin(o->csv, r);
}

static void on_interval(struct observer *observer, const struct result *r,
			const struct observed *part)
{
	struct outputs *o = outputs_of(observer);

	if (o->lines)
		o->lines->interval(o->lines, r, part);
	if (o->table)
		stream_interval(o->table, r, part);
}

static void on_row(struct observer *observer, const struct result *r,
		   const struct result_row *row)
{
	struct outputs *o = outputs_of(observer);

	if (o->lines)
		o->lines->row(o->lines, r, row);
	if (o->table)
		stream_rows(o->table, r);
	if (o->csv)
		stream_rows(o->csv, r);
}

struct observer *outputs_observe(const struct parameters *params, bool alone)
{
	struct outputs *o = xcalloc(1, sizeof(*o));

	o->observer = (struct observer){ on_begin, on_interval, on_row };
	if (params->json_lines)
		o->lines = lines_new(params->json_lines);
	if (alone)
		o->table = new_table(params);
	if (alone && params->csv)
		o->csv = stream_new(&csv_format, params->csv);
	return &o->observer;
}

void outputs_release(struct observer *observer)
{
	struct outputs *o;

	if (!observer)
		return;
	o = outputs_of(observer);
	lines_free(o->lines);
	stream_free(o->table);
	stream_free(o->csv);
	free(o);
}

/* Write TEXT, and free it, for people. */
static int write_table(const struct parameters *params, char *text,
		       struct error *err)
{
	if (!text || !takes_stdout(params))
		return report_print("-", text, err);
	log_text(text);
	free(text);
	return 0;
}

int outputs_write_table(const struct result *r, struct error *err)
{
	struct stream *table = outputs_of(r->observer)->table;

	if (table)
		return stream_end(table, r, err);
	return write_table(&r->params,
			   row_format_render(table_of(&r->params), r),
			   err);
}

int outputs_write(const struct result *r, struct error *err)
{
	int first = 0;

	for (size_t i = 0; i < N_OUTPUTS; i++) {
		const char *path = path_of(&r->params, i);
		int ret = path ? outputs[i].write(path, r, err) : 0;

		first = first ? first : ret;
	}
	return first;
}

int outputs_write_calibration(const struct parameters *params,
			      const struct calibration *c, struct error *err)
{
	int ret = write_table(params, report_calibration_text(c), err);

	if (!ret && params->json)
		ret = report_print(params->json,
				   report_calibration_json(c, params->title),
				   err);
	return ret;
}
