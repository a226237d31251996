/* Where the parts of a result are written. */
#include "config.h"
#include "report/report.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/xalloc.h"
#include "report/stream.h"

/* Those with a path, and the table. */
enum output {
	JSON, JSON_LINES, CSV, OPENMETRICS, PERFTEST_JSON, PATHS,
	TABLE = PATHS, OUTPUTS,
};

/* What is written of a run while it goes on. */
struct outputs {
	struct observer observer;
	struct stream *streams[OUTPUTS];	/* NULL: not wanted, or written
						 * at the end */
};

static struct outputs *outputs_of(struct observer *observer)
{
	return (struct outputs *)((char *)observer -
				  offsetof(struct outputs, observer));
}

/* NULL: the user did not ask for it. */
static const char *path_of(const struct parameters *params, enum output output)
{
	const char *const paths[PATHS] = {
		[JSON] = params->json,
		[JSON_LINES] = params->json_lines,
		[CSV] = params->csv,
		[OPENMETRICS] = params->openmetrics,
		[PERFTEST_JSON] = params->perftest_json,
	};

	return paths[output];
}

/* Write R to PATH, or what the observer has not written of it yet. */
static int write_output(enum output output, const char *path,
			const struct result *r, struct error *err)
{
	struct stream *stream = outputs_of(r->observer)->streams[output];

	if (stream)
		return stream_end(stream, r, err);
	if (output == OPENMETRICS)
		return report_print_shared(path, report_openmetrics(r), err);
	return report_print(path, output == JSON ? report_json(r) :
				  output == CSV ?
					  row_format_render(&csv_format, r) :
					  report_perftest_json(r),
			    err);
}

static const struct row_format *table_of(const struct parameters *params)
{
	if (params->plan.control)
		return &control_format;
	switch (params->format) {
	case TABLE_OWN:
		return &text_format;
	case TABLE_PERFTEST:
		return &perftest_format;
	case TABLE_KEYVALUE:
		return &keyvalue_format;
	default:
		return &number_format;
	}
}

static bool takes_stdout(const struct parameters *params)
{
	for (enum output i = 0; i < PATHS; i++) {
		const char *path = path_of(params, i);

		if (path && !strcmp(path, "-"))
			return true;
	}
	return false;
}

int outputs_check(const struct parameters *params, struct error *err)
{
	int ret = 0;

	for (enum output i = 0; i < PATHS && !ret; i++) {
		const char *path = path_of(params, i);

		/* several runs append to the lines of JSON; what is wrong with
		 * perftest's comes after its row, as with perftest */
		if (path && i != PERFTEST_JSON)
			ret = report_check_path(path, i == JSON_LINES, err);
	}
	return ret;
}

static struct stream *new_table(const struct parameters *params)
{
	return stream_new(table_of(params), takes_stdout(params) ? NULL : "-");
}

static void on_begin(struct observer *observer, const struct result *r)
{
	struct outputs *o = outputs_of(observer);

	/* a server has heard only now which test it is */
	if (o->streams[TABLE]) {
		stream_free(o->streams[TABLE]);
		o->streams[TABLE] = new_table(&r->params);
	}
	for (enum output i = 0; i < OUTPUTS; i++)
		if (o->streams[i])
			stream_begin(o->streams[i], r);
}

static bool on_interval(struct observer *observer, const struct result *r,
			const struct observed *part)
{
	struct outputs *o = outputs_of(observer);
	bool read = true;

	for (enum output i = 0; i < OUTPUTS; i++)
		if (o->streams[i])
			read &= stream_interval(o->streams[i], r, part);
	return read;
}

static void on_row(struct observer *observer, const struct result *r,
		   const struct result_row *row)
{
	struct outputs *o = outputs_of(observer);

	(void)row;
	for (enum output i = 0; i < OUTPUTS; i++)
		if (o->streams[i])
			stream_rows(o->streams[i], r);
}

struct observer *outputs_observe(const struct parameters *params, bool alone)
{
	struct outputs *o = xcalloc(1, sizeof(*o));

	o->observer = (struct observer){ on_begin, on_interval, on_row };
	if (params->json_lines)
		o->streams[JSON_LINES] = stream_new(&lines_format,
						    params->json_lines);
	if (alone)
		o->streams[TABLE] = new_table(params);
	if (alone && params->csv)
		o->streams[CSV] = stream_new(&csv_format, params->csv);
	return &o->observer;
}

void outputs_release(struct observer *observer)
{
	struct outputs *o;

	if (!observer)
		return;
	o = outputs_of(observer);
	for (enum output i = 0; i < OUTPUTS; i++)
		stream_free(o->streams[i]);
	free(o);
}

/* Write TEXT, and free it, for people. */
static int write_table(const struct parameters *params, char *text,
		       struct error *err)
{
	if (!takes_stdout(params))
		return report_print("-", text, err);
	log_text(text);
	free(text);
	return 0;
}

int outputs_write_table(const struct result *r, struct error *err)
{
	struct stream *table = outputs_of(r->observer)->streams[TABLE];
	const int fd = takes_stdout(&r->params) ? STDERR_FILENO : STDOUT_FILENO;
	const struct row_format *format;

	if (table)
		return stream_end(table, r, err);
	format = table_of(&r->params);
	return write_table(&r->params,
			   row_format_name(format, r, fd,
					   row_format_render(format, r)),
			   err);
}

/* perftest's row is complete without its JSON, and its status 0.  No word here
 * is one that scripts take for a failed run. */
static void warn_of_output(const struct error *err)
{
	log_warning("%s; the row is complete", err->message);
}

int outputs_write(const struct result *r, struct error *err)
{
	struct error unwritten = { .stage = "report" };
	int first = 0;

	for (enum output i = 0; i < PATHS; i++) {
		const char *path = path_of(&r->params, i);
		struct error *why = i == PERFTEST_JSON ? &unwritten : err;
		int ret = path ? write_output(i, path, r, why) : 0;

		if (ret && i == PERFTEST_JSON)
			warn_of_output(why);
		else
			first = first ?: ret;
	}
	return first;
}

int outputs_write_calibration(const struct parameters *params,
			      const struct calibration *c, struct error *err)
{
	const int ret = write_table(params, report_calibration_text(c), err);

	if (ret || !params->json)
		return ret;
	return report_print(params->json,
			    report_calibration_json(c, params->title), err);
}
