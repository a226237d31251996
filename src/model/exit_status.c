/* How a run ended, from its errors and its limits. */
#include "config.h"
#include "model/exit_status.h"

#include <stdlib.h>
#include <string.h>

#include "model/limit.h"

static const char *const words[] = {
	[EXIT_MEASURED] = "ok",
	[EXIT_FAILED] = "failed",
	[EXIT_USAGE] = "usage",
	[EXIT_LIMIT] = "limit",
	[EXIT_WRONG_DATA] = "data",
};

bool exit_status_is_stop(const struct result *r)
{
	return r->params.perftest && plan_is_endless(&r->params.plan) &&
	       !strcmp(r->error.code, "ECANCELED");
}

/* Did R miss a limit, at the size of ROW or, if that is NULL, at any? */
static bool misses_limit(const struct result *r, const struct result_row *row)
{
	struct limit_verdict *list;
	uint32_t n = limit_judge(r, &list);
	bool missed = false;

	for (uint32_t i = 0; i < n; i++)
		if (!row || list[i].row == row - r->rows)
			missed = missed || !list[i].met;
	free(list);
	return missed;
}

enum exit_status exit_status_of_run(const struct result *r)
{
	if (!strcmp(r->error.code, VERIFICATION_CODE))
		return EXIT_WRONG_DATA;
	if (error_is_set(&r->error) && !exit_status_is_stop(r))
		return EXIT_FAILED;
	return misses_limit(r, NULL) ? EXIT_LIMIT : EXIT_MEASURED;
}

enum exit_status exit_status_of_row(const struct result *r,
				    const struct result_row *row)
{
	if (row->failed)
		return exit_status_of_run(r);
	return misses_limit(r, row) ? EXIT_LIMIT : EXIT_MEASURED;
}

/* Only a run that failed ends by the signal. */
static bool is_interrupted(const struct result *r, enum exit_status status)
{
	return r->ended_by && status == EXIT_FAILED;
}

int exit_status_in_shell(const struct result *r, enum exit_status status)
{
	return is_interrupted(r, status) ? 128 + r->ended_by : (int)status;
}

const char *exit_status_word(const struct result *r, enum exit_status status)
{
	return is_interrupted(r, status) ? "interrupted" : words[status];
}
