#include "config.h"
#include "report/caveats.h"

#include <inttypes.h>
#include <stddef.h>
#include <string.h>

/* A queue that is dry less often has no visible cost. */
#define DRY_PERCENT 1

struct caveat {
	size_t offset;		/* of a double in struct bandwidth_summary */
	double above;		/* threshold for a line */
	void (*print)(FILE *out, const struct plan *plan,
		      const struct result_row *row, double percent);
};

static void print_short_window(FILE *out, const struct plan *plan,
			       const struct result_row *row, double percent)
{
	fprintf(out, "too short to be within %g%%: the window of %.3g s is "
		"known to %.3g%% only; use %smore --iterations\n",
		SUMMARY_ERROR_PERCENT, row->seconds, percent,
		plan->iterations ? "" : "a longer --duration or ");
}

static void print_short_intervals(FILE *out, const struct plan *plan,
				  const struct result_row *row, double percent)
{
	(void)row;
	fprintf(out, "intervals too short to be within %g%%: the peak is "
		"known to %.3g%% only; use %s--interval\n",
		SUMMARY_ERROR_PERCENT, percent, plan->iterations ?
			"more --iterations or a longer " :
			"a longer --duration or ");
}

static void print_dry(FILE *out, const struct plan *plan,
		      const struct result_row *row, double percent)
{
	(void)plan;
	fprintf(out, "the send queue ran dry before %.0f%% of completions: "
		"raise --tx-depth%s\n", percent,
		row->cq_mod > row->tx_depth / 4 ? " or lower --cq-mod" : "");
}

#define PART(field) offsetof(struct bandwidth_summary, field)

static const struct caveat caveats[] = {
	{ PART(error_percent), SUMMARY_ERROR_PERCENT, print_short_window },
	{ PART(peak_error_percent), SUMMARY_ERROR_PERCENT,
	  print_short_intervals },
	{ PART(dry_percent), DRY_PERCENT, print_dry },
};

static double percent_of(const struct caveat *c, const struct result_row *row)
{
	return *(const double *)((const char *)&row->bandwidth + c->offset);
}

/* The worst row; NULL if none is above the threshold. */
static const struct result_row *worst(const struct caveat *c,
				      const struct result *r)
{
	const struct result_row *found = NULL;
	double most = c->above;

	for (uint32_t i = 0; i < r->n_rows; i++) {
		double percent = percent_of(c, &r->rows[i]);

		if (!(percent > most))
			continue;
		most = percent;
		found = &r->rows[i];
	}
	return found;
}

/* Whoever watches a flag byte has it copied, if the host cannot read it. */
static void print_copied(FILE *out, const struct result *r, const char *memory)
{
	const struct plan *plan = &r->params.plan;

	if (!plan_is_pingpong(plan) || op_table[plan->op].receives ||
	    !memory_text_is_copied(memory))
		return;
	fprintf(out, " the latency includes copies: the host cannot read the "
		"memory %s that a message arrives in\n", memory);
}

void caveats_print(FILE *out, const struct result *r)
{
	print_copied(out, r, r->client_memory);
	if (strcmp(r->client_memory, r->server_memory) != 0)
		print_copied(out, r, r->server_memory);
	if (r->params.plan.metric != METRIC_BANDWIDTH)
		return;
	for (size_t i = 0; i < sizeof(caveats) / sizeof(*caveats); i++) {
		const struct result_row *row = worst(&caveats[i], r);

		if (!row)
			continue;
		fputs(" ", out);
		if (r->n_rows > 1)
			fprintf(out, "size %" PRIu64 ": ", row->size);
		caveats[i].print(out, &r->params.plan, row,
				 percent_of(&caveats[i], row));
	}
}
