#include "config.h"
#include "report/outputs.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "report/lines.h"

struct output {
	size_t path;		/* of a const char * in struct parameters */
	char *(*render)(const struct result *r);	/* NULL: it is written
							 * as it comes */
};

static const struct output outputs[] = {
	{ offsetof(struct parameters, json), report_json },
	{ offsetof(struct parameters, json_lines), NULL },
	{ offsetof(struct parameters, csv), report_csv },
};

#define N_OUTPUTS (sizeof(outputs) / sizeof(*outputs))

static char *(*const tables[TABLES])(const struct result *r) = {
	[TABLE_OWN] = report_text,
	[TABLE_PERFTEST] = report_perftest,
};

/* NULL: not asked for. */
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
						!outputs[i].render, err);
	return ret;
}

struct observer *outputs_observe(const struct parameters *params)
{
	return params->json_lines ? lines_new(params->json_lines) : NULL;
}

void outputs_release(struct observer *observer)
{
	lines_free(observer);
}

/* TEXT, which is freed, for people. */
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
	return write_table(&r->params, tables[r->params.format](r), err);
}

int outputs_write(const struct result *r, struct error *err)
{
	int first = 0;

	for (size_t i = 0; i < N_OUTPUTS; i++) {
		const char *path = path_of(&r->params, i);
		int ret;

		if (!path || (!outputs[i].render && !r->observer))
			continue;
		ret = outputs[i].render ?
			      report_print(path, outputs[i].render(r), err) :
			      lines_end(r->observer, r, err);
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
