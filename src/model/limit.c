/* Judges a result by the limits that the user set (--min-gbps, --max-p99,
 * ...). */
#include "config.h"
#include "model/limit.h"

#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>

#include "base/xalloc.h"

/* Mark values that are computed from several fields of a row. */
#define LOST_PERCENT SIZE_MAX
#define SLOWEST_INTERVAL (SIZE_MAX - 1)

static const struct rule {
	bool least;		/* the value must be at least the limit */
	size_t offset;		/* of a double in struct result_row */
	uint32_t per_million;	/* percentile, in millionths */
} rules[LIMITS] = {
#define OF(field) offsetof(struct result_row, field)
	[LIMIT_MIN_GBPS] = { true, OF(total.bandwidth.gbps), 0 },
	[LIMIT_MIN_MPPS] = { true, OF(total.bandwidth.mpps), 0 },
	[LIMIT_MIN_INTERVAL_GBPS] = { true, SLOWEST_INTERVAL, 0 },
	[LIMIT_MAX_MEAN] = { false, OF(latency.mean), 0 },
	[LIMIT_MAX_P50] = { false, OF(latency.p50), 500000 },
	[LIMIT_MAX_P90] = { false, OF(latency.p90), 900000 },
	[LIMIT_MAX_P99] = { false, OF(latency.p99), 990000 },
	[LIMIT_MAX_P99_9] = { false, OF(latency.p99_9), 999000 },
	[LIMIT_MAX_P99_99] = { false, OF(latency.p99_99), 999900 },
	[LIMIT_MAX_LATENCY] = { false, OF(latency.max), 0 },
	[LIMIT_MAX_LOST] = { false, LOST_PERCENT, 0 },
};

static double unknown(struct limit_verdict *v, const char *reason)
{
	snprintf(v->reason, sizeof(v->reason), "%s", reason);
	return NAN;
}

static double percent_lost(const struct plan *plan,
			   const struct result_row *row,
			   struct limit_verdict *v)
{
	bool pings = plan->metric == METRIC_LATENCY;
	uint64_t sent = pings ? row->total.iterations + row->lost :
				plan_due(plan, row->total.sent);
	uint64_t lost = pings ? row->lost :
				plan_lost(plan, row->total.sent,
					  row->total.received);

	if (!pings && row->total.sent_unknown)
		return unknown(v, "the number sent is not known");
	if (!pings && !row->total.checked)
		return unknown(v, "the number received is not known");
	if (!sent)
		return unknown(v, "nothing was sent");
	return 100.0 * (double)lost / (double)sent;
}

static double slowest_interval(const struct result_row *row,
			       struct limit_verdict *v)
{
	uint32_t n;
	const struct result_direction *directions = result_directions(row, &n);
	double least = INFINITY;

	for (uint32_t i = 0; i < n; i++)
		for (uint32_t k = 0; k < directions[i].n_intervals; k++) {
			const struct interval *one =
				&directions[i].intervals[k];
			double gbps = interval_bandwidth(one, row->size).gbps;

			if (gbps >= least)
				continue;
			least = gbps;
			v->interval = one;
			v->timeline = &row->timeline;
		}
	return v->interval ? least :
			     unknown(v, "the run was too short for intervals; "
				     "-D 1 has some");
}

static double measured(const struct rule *rule, const struct result_row *row,
		       struct limit_verdict *v)
{
	double value = *(const double *)((const char *)row + rule->offset);

	if (isfinite(value))
		return value;
	if (!rule->per_million)
		return unknown(v, "it was not measured");
	snprintf(v->reason, sizeof(v->reason),
		 "%" PRIu64 " of the %" PRIu64 " samples that it needs",
		 row->latency.samples, summary_min_samples(rule->per_million));
	return NAN;
}

/* A counter that is known at one end may be above the limit at the other. */
static double counter_value(const struct result_row *row,
			    struct limit_verdict *v)
{
	const struct counter *most = NULL;
	bool unknown_too = false;

	for (int client = 1; client >= 0; client--) {
		const struct counter *counter =
			counters_find(&row->at[client].counters, v->counter);

		if (!counter || !counter->known) {
			unknown_too = unknown_too || counter;
			continue;
		}
		if (most && most->value >= counter->value)
			continue;
		most = counter;
		v->end = client ? "client" : "server";
	}
	if (most && (!unknown_too || (double)most->value > v->asked))
		return (double)most->value;
	v->end = NULL;
	return unknown(v, unknown_too ? "by how much it rose is not known" :
					"neither end has that counter");
}

static double value_of(const struct plan *plan, const struct rule *rule,
		       const struct result_row *row, struct limit_verdict *v)
{
	if (!v->reached)
		return unknown(v, "the run ended before that size");
	if (row->failed)
		return unknown(v, "the run failed before that size was done");
	if (v->counter)
		return counter_value(row, v);
	if (rule->offset == LOST_PERCENT)
		return percent_lost(plan, row, v);
	if (rule->offset == SLOWEST_INTERVAL)
		return slowest_interval(row, v);
	return measured(rule, row, v);
}

/* What V asks in Gb/s, of one direction or, but of an interval, of both. */
static void ask_percent(const struct result *r, const struct rule *rule,
			struct limit_verdict *v)
{
	double gbps = goodput_gbps(r, v->size);

	if (r->params.plan.bidirectional && rule->offset != SLOWEST_INTERVAL)
		gbps *= 2;
	v->asked = gbps * v->percent / 100;
	if (isnan(gbps) && v->reached)
		v->seen = unknown(v, r->client.iwarp ?
				  "the packets of iWARP are not known" :
				  "the port's rate is not known");
}

/* Complete V, which has name, unit and what is asked of the size SIZE. */
static struct limit_verdict judge(const struct result *r,
				  struct limit_verdict v,
				  const struct rule *rule, uint32_t size)
{
	const struct plan *plan = &r->params.plan;

	v.row = size;
	v.size = plan->sizes.bytes[size];
	v.qps = plan->control ? 0 : plan->qps;
	v.reached = size < r->n_rows;
	v.seen = value_of(plan, rule, &r->rows[size], &v);
	if (!isnan(v.percent))
		ask_percent(r, rule, &v);
	/* NAN fails both comparisons */
	v.met = rule->least ? v.seen >= v.asked : v.seen <= v.asked;
	return v;
}

uint32_t limit_judge(const struct result *r, struct limit_verdict **list)
{
	static const struct rule counter_rule = { .least = false };
	const struct counter_limits *limits = &r->params.counter_limits;
	const struct plan *plan = &r->params.plan;
	uint32_t n = 0;

	*list = NULL;
	if (r->at_server || plan->check)
		return 0;
	*list = xcalloc((LIMITS + COUNTER_LIMITS_MAX) * SIZES_MAX,
			sizeof(**list));
	for (enum limit_kind i = 0; i < LIMITS; i++) {
		const struct limit *limit = &r->params.limits[i];
		const struct param *row = param_of_limit(i);

		for (uint32_t k = 0; limit->given && k < plan->sizes.n; k++)
			(*list)[n++] = judge(r, (struct limit_verdict){
				.name = row->name, .unit = row->unit,
				.percent = limit->percent ? limit->value : NAN,
				.asked = limit->value,
			}, &rules[i], k);
	}
	for (uint32_t i = 0; i < limits->n; i++)
		for (uint32_t k = 0; k < plan->sizes.n; k++)
			(*list)[n++] = judge(r, (struct limit_verdict){
				.name = "max-counter", .unit = "",
				.counter = limits->list[i].name,
				.percent = NAN,
				.asked = (double)limits->list[i].most,
			}, &counter_rule, k);
	return n;
}

uint32_t limit_count_unmet(const struct limit_verdict *list, uint32_t n)
{
	uint32_t unmet = 0;

	for (uint32_t i = 0; i < n; i++)
		unmet += !list[i].met;
	return unmet;
}
