#include "config.h"
#include "report/percentiles.h"

#include <inttypes.h>

#include "stats/summary.h"

const struct percentiles percentiles_usual = { 2, { 990000, 999000 } };

/* The fewest samples of any row that did not fail. */
static uint64_t least_samples(const struct result *r)
{
	uint64_t least = UINT64_MAX;

	for (uint32_t i = 0; i < r->n_rows; i++)
		if (!r->rows[i].failed && r->rows[i].latency.samples < least)
			least = r->rows[i].latency.samples;
	return least;
}

void percentiles_explain(FILE *out, const struct percentiles *list,
			 const struct result *r)
{
	const uint64_t least = least_samples(r);
	char text[PERCENTILE_TEXT_SIZE];
	uint32_t n = 0;

	for (uint32_t i = 0; least && i < list->n; i++) {
		uint64_t needed = summary_min_samples(list->per_million[i]);

		if (needed <= least)
			continue;
		fprintf(out, "%s%s%% needs %" PRIu64, n++ ? ", " : " -: ",
			units_format_percentile(list->per_million[i], text),
			needed);
	}
	if (n)
		fputs(" samples\n", out);
}
