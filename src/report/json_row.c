/* Makes the JSON of one size's results. */
#include "config.h"
#include "report/json.h"

#include "report/json_value.h"
#include "report/parts.h"
#include "traffic/batch.h"

static json_t *confidence(const double ci[2])
{
	if (!isfinite(ci[0]) || !isfinite(ci[1]))
		return json_null();
	return json_pack("[f, f]", ci[0], ci[1]);
}

static json_t *bandwidth(const struct plan *plan,
			 const struct result_direction *d)
{
	const struct bandwidth_summary *b = &d->bandwidth;
	const uint64_t lost = plan_lost(plan, d->sent, d->received);
	json_t *object = json_object();

#define X(field, how) json_put(object, #field, json_measured(b->field));
	BANDWIDTH_RATES(X)
	json_put(object, "ci95_gbps", confidence(b->ci95_gbps));
	BANDWIDTH_ERRORS(X)
#undef X
	json_put(object, "sent",
		 d->sent_unknown ? json_null() : json_count(d->sent));
	json_put(object, "received",
		 d->checked ? json_count(d->received) : json_null());
	json_put(object, "lost", d->checked ? json_count(lost) : json_null());
	json_put(object, "unacknowledged", json_count(d->left));
	return object;
}

/* The percentiles from --percentiles, keyed by their text. */
static json_t *percentiles(const struct percentiles *list,
			   const struct result_row *row)
{
	char text[PERCENTILE_TEXT_SIZE];
	json_t *object;

	if (!list->n)
		return json_null();
	object = json_object();
	for (uint32_t i = 0; i < list->n; i++) {
		units_format_percentile(list->per_million[i], text);
		json_put(object, text, json_measured(row->percentiles[i]));
	}
	return object;
}

/* An open loop's requested and achieved rate; null for other tests. */
static void set_load(json_t *object, const struct plan *plan,
		     const struct load *load)
{
	bool open = plan_is_open(plan);

	json_put(object, "requested_mpps",
		 json_measured(open ? load->requested_mpps : NAN));
	json_put(object, "achieved_mpps",
		 json_measured(open ? load->achieved_mpps : NAN));
	json_put(object, "late", open ? json_count(load->late) : json_null());
	json_put(object, "saturated",
		 open ? json_boolean(load->saturated) : json_null());
}

static json_t *latency(const struct parameters *params,
		       const struct result_row *row)
{
	json_t *object = json_object();

	json_put(object, "definition",
		 json_string(result_latency_definition(&params->plan)));
	json_put(object, "unit", json_string("us"));
	json_set_summary(object, &row->latency);
	json_put(object, "percentiles", percentiles(&params->percentiles, row));
	json_put(object, "lost",
		 plan_is_unreliable(&params->plan) ? json_count(row->lost) :
						     json_null());
	json_put(object, "samples_dropped",
		 params->samples ? json_count(row->samples_dropped) :
				   json_null());
	set_load(object, &params->plan, &row->load);
	return object;
}

/* null but for batches. */
static json_t *batch(const struct plan *plan, const struct result_row *row)
{
	if (!plan->batch.n)
		return json_null();
	return json_pack("{s:o, s:o}", "requests",
			 json_count(batch_requests(&plan->batch)),
			 "per_second",
			 json_measured(result_message_rate(row)));
}

/* null if there are none, or the user wants none. */
static json_t *intervals(const struct parameters *params,
			 const struct result_direction *d, uint64_t size)
{
	const uint32_t n = params->no_intervals ? 0 : d->n_intervals;
	json_t *array = n ? json_array() : json_null();

	for (uint32_t i = 0; i < n; i++)
		json_add(array, json_interval(&params->plan, &d->intervals[i],
					      size));
	return array;
}

static json_t *histogram(const struct result_row *row)
{
	json_t *bins;

	if (!row->n_bins)
		return json_null();
	bins = json_array();
	for (uint32_t i = 0; i < row->n_bins; i++)
		json_add(bins,
			 json_pack("[f, f, o]", row->bins[i].low_ns,
				   row->bins[i].high_ns,
				   json_count(row->bins[i].count)));
	return json_pack("{s:s, s:o}", "unit", "ns", "bins", bins);
}

static json_t *threads(const struct result_direction *d, uint64_t size)
{
	json_t *array = d->n_threads ? json_array() : json_null();

	for (uint32_t i = 0; i < d->n_threads; i++) {
		const struct thread_row *t = &d->threads[i];
		double seconds = t->window_ns ? (double)t->window_ns / 1e9 :
						NAN;
		struct bandwidth_summary b =
			summary_bandwidth(t->iterations, size, seconds);

		json_add(array,
			 json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o}",
				   "thread", json_count(i), "cpu",
				   json_number(t->cpu), "qps",
				   json_count(t->qps), "iterations",
				   json_count(t->iterations), "seconds",
				   json_measured(seconds), "gbps",
				   json_measured(b.gbps), "mpps",
				   json_measured(b.mpps)));
	}
	return array;
}

/* null for a window that was not measured. */
static json_t *window(double seconds)
{
	return json_measured(seconds > 0 ? seconds : NAN);
}

/* Both directions; null if only one end sent. */
static json_t *directions(const struct parameters *params,
			  const struct result_row *row)
{
	json_t *array = row->n_directions ? json_array() : json_null();

	for (uint32_t i = 0; i < row->n_directions; i++) {
		const struct result_direction *d = &row->directions[i];

		json_add(array,
			 json_pack("{s:s, s:o, s:o, s:o, s:o, s:o}", "from",
				   d->from_client ? "client" : "server",
				   "iterations", json_count(d->iterations),
				   "seconds", window(d->seconds), "bandwidth",
				   bandwidth(&params->plan, d), "intervals",
				   intervals(params, d, row->size), "threads",
				   threads(d, row->size)));
	}
	return array;
}

static json_t *method(enum post_method method)
{
	if (method == POST_AUTO)
		return json_null();
	return json_string(method == POST_WR ? "wr" : "legacy");
}

/* What messages were sent with; null for a test that sends none. */
static void set_traffic(json_t *object, const struct parameters *params,
			const struct result_row *row)
{
	const bool sends = !params->plan.control;

#define SET(key, value) json_put(object, key, sends ? (value) : json_null())
	SET("tx_depth", json_count(row->tx_depth));
	SET("cq_mod", json_count(row->cq_mod));
	SET("post_list", json_count(row->post_list));
	SET("post", method(row->method));
	SET("inline", json_count(row->inline_size));
	SET("verified", json_boolean(params->plan.verify && !row->failed));
#undef SET
}

static json_t *events_of(const struct event_counts *e)
{
	if (!e->known)
		return json_null();
	return json_pack("{s:o, s:o}", "sends", json_count(e->sends),
			 "receives", json_count(e->receives));
}

/* null unless a group has several. */
static json_t *receivers(const struct result_row *row)
{
	const struct result_direction *d = &row->total;
	json_t *array = row->n_receivers ? json_array() : json_null();

	for (uint32_t i = 0; i < row->n_receivers; i++) {
		const uint64_t got = row->receivers[i];
		const bool known = !d->sent_unknown && d->sent >= got;

		json_add(array,
			 json_pack("{s:o, s:o, s:o}", "receiver", json_count(i),
				   "received", json_count(got), "lost",
				   known ? json_count(d->sent - got) :
					   json_null()));
	}
	return array;
}

/* null when both ends poll. */
static json_t *events(const struct plan *plan, const struct result_row *row)
{
	if (!plan->events)
		return json_null();
	return json_pack("{s:o, s:o}", "client", events_of(&row->at[1].events),
			 "server", events_of(&row->at[0].events));
}

json_t *json_row(const struct parameters *params, const struct result_row *row)
{
	bool is_latency = params->plan.metric == METRIC_LATENCY;
	json_t *object = json_object();

	json_put(object, "size", json_size(&params->plan, row->size));
	json_put(object, "qps", json_qps(&params->plan));
	json_put(object, "iterations", json_count(row->total.iterations));
	json_put(object, "opened",
		 row->opened.tv_sec ? json_time(&row->opened) : json_null());
	json_put(object, "seconds", window(row->total.seconds));
	json_put(object, "drain_seconds",
		 is_latency ? json_null() : window(row->drain_seconds));
	json_put(object, "bandwidth",
		 is_latency ? json_null() :
			      bandwidth(&params->plan, &row->total));
	json_put(object, "latency",
		 plan_has_latency(&params->plan) ? latency(params, row) :
						   json_null());
	json_put(object, "batch", batch(&params->plan, row));
	json_put(object, "directions", directions(params, row));
	json_put(object, "intervals",
		 intervals(params, &row->total, row->size));
	json_put(object, "histogram", histogram(row));
	json_put(object, "threads", threads(&row->total, row->size));
	json_put(object, "receivers", receivers(row));
	json_put(object, "other_senders",
		 params->plan.mcast.wanted ? json_count(row->others) :
					     json_null());
	json_put(object, "counters", counters_json(params, row));
	json_put(object, "cpu", cpu_json(row));
	json_put(object, "events", events(&params->plan, row));
	set_traffic(object, params, row);
	json_put(object, "control", control_json(params, row));
	json_put(object, "failed", json_boolean(row->failed));
	return object;
}
