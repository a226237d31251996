/* How long a run must be so that none of its numbers is too short. */
#include "config.h"
#include "report/longer.h"

#include <math.h>
#include <string.h>

#include "base/numbers.h"
#include "model/limit.h"
#include "model/param.h"

/* The next run may be less exact than this one. */
#define MARGIN 1.2
/* A busy machine makes some intervals longer than planned, ... */
#define SPARE_INTERVALS 1.1
/* ... and may have done so in a run that should have been long enough. */
#define MUCH 1.5
/* A rate that is above what a port carries by less may come from its name: 25
 * Gb/s a lane are 25.78. */
#define PORT_TOLERANCE 1.04

/* VALUE, rounded up to a number that a person would choose, and larger than
 * what was ASKED for. */
static double nice(double value, double asked)
{
	static const double steps[] = { 1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10 };
	const double power = pow(10, floor(log10(fmax(value, asked))));

	for (size_t i = 0; i < sizeof(steps) / sizeof(*steps); i++) {
		const double step = steps[i] * power;

		if (value <= step * (1 + 1e-9) && asked < step * (1 - 1e-9))
			return step;
	}
	return 12 * power;
}

/* What the rows of a table need so that none of them is too short. */
struct need {
	double seconds;		/* of the measurement; 0: it is long enough */
	double iterations;	/* for a plan that counts them */
	double interval;	/* seconds; 0: the usual one will do */
};

static double seconds_of(const struct plan *plan, const struct result_row *row)
{
	return row->total.seconds > 0 ? row->total.seconds :
					(double)plan->duration / 1e9;
}

/* ROW needs SECONDS for one of its numbers. */
static void need_seconds(struct need *need, const struct plan *plan,
			 const struct result_row *row, double seconds)
{
	need->seconds = fmax(need->seconds, seconds);
	need->iterations = fmax(need->iterations, (double)plan->iterations *
				seconds / seconds_of(plan, row));
}

struct percentiles longer_percentiles(const struct result *r)
{
	static const struct percentiles usual = { 2, { 990000, 999000 } };
	const struct percentiles *own = &r->params.percentiles;
	struct percentiles list = usual;

	if (!r->params.plan.control)
		return own->n ? *own : usual;
	for (uint32_t i = 0; i < own->n && list.n < PERCENTILES_MAX; i++)
		if (own->per_million[i] != list.per_million[0] &&
		    own->per_million[i] != list.per_million[1])
			list.per_million[list.n++] = own->per_million[i];
	return list;
}

/* perftest's table of a timed run has none. */
bool longer_has_percentiles(const struct result *r,
			    const struct result_row *row)
{
	return !row->failed && row->latency.samples &&
	       plan_has_latency(&r->params.plan) &&
	       !(r->params.perftest && r->params.timed);
}

uint64_t longer_samples(const struct result *r)
{
	const struct percentiles list = longer_percentiles(r);
	uint64_t most = 0;

	for (uint32_t i = 0; i < list.n; i++)
		most = larger(most, summary_min_samples(list.per_million[i]));
	return most;
}

/* As many samples as a counted run has, another one has, too. */
static void need_samples(struct need *need, const struct result *r,
			 const struct result_row *row)
{
	const struct plan *plan = &r->params.plan;
	const uint64_t wanted = longer_samples(r);
	const double factor = (double)wanted / (double)row->latency.samples;

	if (longer_has_percentiles(r, row) && wanted > row->latency.samples)
		need_seconds(need, plan, row, seconds_of(plan, row) * factor *
			     (plan->iterations ? 1 : MARGIN));
}

/* The length of an interval, in seconds. */
static double interval_of(const struct plan *plan, const struct result_row *row)
{
	const struct result_direction *d = &row->total;

	if (plan->interval)
		return (double)plan->interval / 1e9;
	return d->n_intervals ? d->seconds / d->n_intervals :
				INTERVALS_SHORTEST / 1e9;
}

double longer_interval(const struct plan *plan,
			     const struct result_row *row)
{
	const double message =
		row->total.seconds / (double)row->total.iterations;
	const double length = interval_of(plan, row);

	return fmax(length, ceil(length / message) * message);
}

bool longer_has_peak(const struct plan *plan, const struct result_row *row)
{
	return plan->metric == METRIC_BANDWIDTH && !row->failed &&
	       !row->n_directions && isfinite(row->total.bandwidth.gbps);
}

/* An interval is as long as makes its uncertain edges small.  Where none was
 * measured, those of the window are as uncertain. */
static void need_intervals(struct need *need, const struct plan *plan,
			   const struct result_row *row)
{
	const struct bandwidth_summary *b = &row->total.bandwidth;
	double length = longer_interval(plan, row), wanted = 0;

	if (!longer_has_peak(plan, row))
		return;
	if (b->peak_error_percent > SUMMARY_ERROR_PERCENT)
		wanted = interval_of(plan, row) * b->peak_error_percent;
	else if (!isfinite(b->peak_gbps) && b->error_percent > 0)
		wanted = row->total.seconds * b->error_percent;
	else if (isfinite(b->peak_gbps))
		return;
	wanted *= MARGIN / SUMMARY_ERROR_PERCENT;
	if (wanted > interval_of(plan, row)) {
		wanted = nice(wanted, interval_of(plan, row));
		need->interval = fmax(need->interval, wanted);
		length = fmax(length, wanted);
	}
	need_seconds(need, plan, row,
		     fmax(SPARE_INTERVALS * INTERVALS_LEAST * length,
			  isfinite(b->peak_gbps) ? 0 :
						   MUCH * row->total.seconds));
}

/* Messages that may be under way when a window opens complete in it, but were
 * sent before. */
double longer_under_way(const struct plan *plan, const struct result_row *row)
{
	return (double)row->tx_depth * plan->qps;
}

double longer_above_port(const struct result *r, const struct result_row *row)
{
	const double carried = goodput_gbps(r, row->size);
	double fastest = 0;
	uint32_t n;
	const struct result_direction *d = result_directions(row, &n);

	if (r->params.plan.metric != METRIC_BANDWIDTH || row->failed ||
	    port_is_soft_roce(&r->client) || port_is_soft_roce(&r->server))
		return 0;
	for (uint32_t i = 0; i < n; i++)
		fastest = fmax(fastest, d[i].bandwidth.gbps);
	return fastest > carried * PORT_TOLERANCE ? 1 - carried / fastest : 0;
}

/* The window may lose as many at its end, and has not if it gained them. */
bool longer_is_burst(const struct result *r, const struct result_row *row)
{
	const double above = longer_above_port(r, row);
	const double all = longer_under_way(&r->params.plan, row) *
			   (row->n_directions ? 2 : 1);

	return above > 0 && above * (double)row->total.iterations <= all;
}

/* What a table of R needs: an advice fits all of it, so that following it does
 * not lead to the next. */
static struct need need_of(const struct result *r, bool means_only)
{
	const struct plan *plan = &r->params.plan;
	struct need need = { 0 };

	for (uint32_t i = 0; i < r->n_rows; i++) {
		const struct result_row *row = &r->rows[i];
		const double error = row->total.bandwidth.error_percent;
		const double lasted = seconds_of(plan, row);

		if (row->failed)
			continue;
		if (error > SUMMARY_ERROR_PERCENT)
			need_seconds(&need, plan, row,
				     lasted * MARGIN * error /
					     SUMMARY_ERROR_PERCENT);
		if (longer_is_burst(r, row))
			need_seconds(&need, plan, row,
				     lasted * longer_under_way(plan, row) * 100 /
					     SUMMARY_ERROR_PERCENT /
					     (double)row->total.iterations);
		if (!means_only)
			need_intervals(&need, plan, row);
		need_samples(&need, r, row);
	}
	return need;
}

/* The option VALUE of what NAME counts, or that not even the most will do. */
static void print_option(FILE *out, const char *option, const char *name,
			 double unit, double value)
{
	const double most = (double)param_find(name)->max / unit;

	if (value > most)
		fprintf(out, "not even %s %.0f", option, most);
	else
		fprintf(out, "%s %.10g", option, value);
}

/* The options with which no number of the table is too short.  perftest has
 * none for an interval, which is a part of the time. */
void longer_print(FILE *out, const struct result *r, bool means_only)
{
	const struct plan *plan = &r->params.plan;
	const struct need need = need_of(r, means_only);
	const double asked = (double)plan->duration / 1e9;
	double seconds, factor = 1;

	if (r->params.perftest && need.interval > 0)
		factor = fmax(1, need.interval * INTERVALS_USUAL / need.seconds);
	seconds = nice(need.seconds * factor, plan->iterations ? 0 : asked);
	if (!r->params.perftest &&
	    need.interval > fmax(INTERVALS_SHORTEST / 1e9,
				 plan->interval ? 0 :
						  seconds / INTERVALS_USUAL))
		fprintf(out, "--interval %.6g with ", need.interval);
	if (plan->iterations)
		print_option(out, "-n", "iterations", 1,
			     ceil(nice(need.iterations * factor,
				       (double)plan->iterations)));
	else
		print_option(out, "-D", "duration", 1e9, seconds);
}

