/* The result of a run: what is derived of it, and freeing it. */
#include "config.h"
#include "model/result.h"

#include <math.h>
#include <stdlib.h>

void result_free(struct result *result)
{
	if (!result)
		return;
	for (uint32_t i = 0; i < SIZES_MAX; i++) {
		free(result->rows[i].total.intervals);
		free(result->rows[i].total.threads);
		free(result->rows[i].receivers);
		free(result->rows[i].bins);
		free(result->rows[i].control);
		timeline_free(&result->rows[i].timeline);
		for (int d = 0; d < 2; d++) {
			counters_free(&result->rows[i].at[d].counters);
			cpu_cost_free(&result->rows[i].at[d].cpu);
			free(result->rows[i].directions[d].intervals);
			free(result->rows[i].directions[d].threads);
		}
	}
	counters_free(&result->unmeasured);
	free(result->ends[0].qps);
	free(result->ends[1].qps);
	if (result->preflight)
		preflight_free(result->preflight);
	free(result->preflight);
	free(result);
}

void result_note_effective(struct result *result, const struct port *own)
{
	const struct gid *gid = result_gid(result, !result->at_server);

	result->params.device = own->device;
	result->params.ib_port = own->number;
	if (gid)
		result->params.gid_index = gid->index;
}

const struct result_direction *result_directions(const struct result_row *row,
						 uint32_t *n)
{
	*n = row->n_directions ? row->n_directions : 1;
	return row->n_directions ? row->directions : &row->total;
}

double result_message_rate(const struct result_row *row)
{
	const struct result_direction *d = &row->total;

	/* each direction has its own window */
	if (row->n_directions)
		return d->bandwidth.mpps * 1e6;
	return d->seconds > 0 ? (double)d->iterations / d->seconds : NAN;
}

void result_set_samples(const struct parameters *params,
			const struct histogram *h, double ns,
			struct result_row *row)
{
	row->latency = summary_latency(h, ns);
	for (uint32_t i = 0; i < params->percentiles.n; i++)
		row->percentiles[i] = summary_percentile(
			h, params->percentiles.per_million[i], ns);
	if (params->histogram && h->count)
		row->bins = summary_bins(h, ns, &row->n_bins);
}

static bool is_halved(const struct plan *plan)
{
	return plan_is_pingpong(plan) && !plan->round_trip &&
	       !plan_is_open(plan);
}

double result_latency_factor(const struct plan *plan)
{
	return is_halved(plan) ? 0.5 : 1;
}

const char *result_latency_definition(const struct plan *plan)
{
	if (plan->control)
		return "time of the calls";
	if (plan->batch.n)
		return "first post to last completion of a batch";
	if (plan_is_open(plan))
		return "round trip from the intended start";
	return is_halved(plan) ? "half round trip" : "round trip";
}

const struct gid *result_gid(const struct result *result, bool client)
{
	if (!result->has_path || !result->path.global)
		return NULL;
	return client == result->at_server ? &result->path.remote :
					     &result->path.local;
}

/* Below this fraction of the requested rate the load is saturated. */
#define ENOUGH 0.99

struct load load_summarise(const struct plan *plan, uint64_t size,
			   uint64_t counted, double seconds, uint64_t late)
{
	double wanted = rate_messages(plan->rate, size) / 1e6;
	double edges = (double)plan->threads * plan->burst;
	struct load load = {
		.requested_mpps = plan->rate ? wanted : NAN,
		.achieved_mpps = seconds > 0 ? (double)counted / seconds / 1e6 :
					       NAN,
		.late = late,
	};

	if (!plan->rate || !(seconds > 0))
		return load;
	if (plan_is_open(plan))
		load.saturated = load.achieved_mpps < ENOUGH * wanted &&
				 late > counted / 2;
	else
		load.saturated = (double)counted + edges <
				 ENOUGH * wanted * 1e6 * seconds;
	return load;
}
