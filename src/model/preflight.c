/* The list of findings of a preflight, as data. */
#include "config.h"
#include "model/preflight.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/xalloc.h"

void preflight_free(struct preflight *preflight)
{
	free(preflight->rows);
	*preflight = (struct preflight){ .n = 0 };
}

struct preflight_row *preflight_row(struct preflight *preflight,
				    const char *label)
{
	struct preflight_row *row;

	preflight->rows = xrealloc(preflight->rows, preflight->n + 1,
				   sizeof(*preflight->rows));
	row = &preflight->rows[preflight->n++];
	*row = (struct preflight_row){ .verdict = VERDICT_OK };
	snprintf(row->check, sizeof(row->check), "%s", label);
	return row;
}

void preflight_add(struct preflight *preflight, const struct error *err)
{
	struct preflight_row *row = preflight_row(preflight, err->stage);

	row->verdict = VERDICT_ERROR;
	row->error = *err;
}

uint32_t preflight_count(const struct preflight *preflight,
			 enum verdict verdict)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < preflight->n; i++)
		n += preflight->rows[i].verdict == verdict;
	return n;
}

const struct preflight_row *preflight_first(const struct preflight *preflight)
{
	for (uint32_t i = 0; i < preflight->n; i++)
		if (preflight->rows[i].verdict == VERDICT_ERROR)
			return &preflight->rows[i];
	return NULL;
}

const char *const verdict_names[] = {
	[VERDICT_OK] = "ok",
	[VERDICT_WARNING] = "warning",
	[VERDICT_ERROR] = "error",
};
