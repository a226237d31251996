/* One number for each size and nothing else, for scripts: --format=bandwidth,
 * message-rate or latency.  In the units of perftest's table. */
#include "config.h"
#include "report/stream.h"

#include <math.h>

/* VALUE on a line of its own; "-" if it was not measured, as in a table. */
static void print_number(FILE *out, const struct result_row *row, double value)
{
	if (row->failed)
		return;
	if (isfinite(value))
		fprintf(out, "%.6f\n", value);
	else
		fputs("-\n", out);
}

static void print_bandwidth(FILE *out, const struct result *r,
			    const struct result_row *row)
{
	const struct bandwidth_summary *b = &row->total.bandwidth;

	print_number(out, row, r->params.gbits ? b->gbps : b->mib_per_s);
}

static void print_message_rate(FILE *out, const struct result *r,
			       const struct result_row *row)
{
	(void)r;
	print_number(out, row, row->total.bandwidth.mpps);
}

static void print_latency(FILE *out, const struct result *r,
			  const struct result_row *row)
{
	(void)r;
	print_number(out, row, row->latency.mean);
}

static void no_tail(FILE *out, const struct result *r)
{
	(void)out;
	(void)r;
}

const struct row_format bandwidth_format = { .row = print_bandwidth,
					     .tail = no_tail };
const struct row_format message_rate_format = { .row = print_message_rate,
						.tail = no_tail };
const struct row_format latency_format = { .row = print_latency,
					   .tail = no_tail };
