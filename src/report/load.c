/* Prints how much load was asked for and how much was offered. */
#include "config.h"
#include "report/parts.h"

#include <inttypes.h>
#include <math.h>

void load_print_plan(FILE *out, const struct plan *plan)
{
	char text[RATE_TEXT_SIZE];

	if (!plan->rate)
		return;
	fprintf(out, ", rate %s", rate_format(plan->rate, text));
	if (plan_is_open(plan))
		fprintf(out, " %s, %u outstanding",
			plan->arrival == ARRIVAL_POISSON ? "poisson" : "fixed",
			plan->open_depth);
	else if (plan->pacing == PACING_DEVICE)
		fputs(", kept by the device", out);
	else if (plan->burst > 1)
		fprintf(out, " in bursts of %u", plan->burst);
}

static void print_open(FILE *out, const struct plan *plan,
		       const struct result_row *row)
{
	const struct load *load = &row->load;

	fprintf(out, "   open loop: %.6g Mpps requested, %.6g achieved, "
		"%" PRIu64 " of %" PRIu64 " operations began late\n",
		load->requested_mpps, load->achieved_mpps, load->late,
		row->total.iterations);
	if (load->saturated)
		fprintf(out, "   saturated: %u outstanding operations "
			"(--depth) are too few for the rate requested; the "
			"longer the run, the longer the latency\n",
			plan->open_depth);
}

static void print_paced(FILE *out, const struct plan *plan,
			const struct result_row *row)
{
	char text[RATE_TEXT_SIZE];

	if (row->load.saturated)
		fprintf(out, "   the rate asked for was not reached: "
			"%.1f%% of %s\n",
			100 * row->load.achieved_mpps /
				row->load.requested_mpps,
			rate_format(plan->rate, text));
}

void load_print(FILE *out, const struct plan *plan,
		const struct result_row *row)
{
	if (!plan->rate || !isfinite(row->load.achieved_mpps))
		return;
	if (plan_is_open(plan))
		print_open(out, plan, row);
	else
		print_paced(out, plan, row);
}
