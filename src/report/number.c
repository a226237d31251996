/* One number for each size and nothing else, for scripts: --format=bandwidth,
 * message-rate or latency.  In the units of perftest's table. */
#include "config.h"
#include "report/stream.h"

#include <math.h>

/* A number on a line of its own; "-" if it was not measured, as in a table. */
static void print_number(FILE *out, const struct result *r,
			 const struct result_row *row)
{
	const struct bandwidth_summary *b = &row->total.bandwidth;
	double value = r->params.gbits ? b->gbps : b->mib_per_s;

	if (r->params.format == TABLE_LATENCY)
		value = row->latency.mean;
	else if (r->params.format == TABLE_MESSAGE_RATE)
		value = b->mpps;
	if (!row->failed && isfinite(value))
		fprintf(out, "%.6f\n", value);
	else if (!row->failed)
		fputs("-\n", out);
}

const struct row_format number_format = { .row = print_number };
