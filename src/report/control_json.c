#include "config.h"
#include "report/control.h"

#include <math.h>

#include "report/json_value.h"

static json_t *summary(const struct latency_summary *l)
{
	json_t *object = json_object();

	json_set_summary(object, l);
	return object;
}

static json_t *parts(const struct control_row *c)
{
	json_t *array = json_array();

	for (uint32_t i = 0; i < c->n_parts; i++) {
		json_t *part = summary(&c->parts[i].latency);

		json_put(part, "name", json_string(c->parts[i].name));
		json_put(part, "in_latency", json_boolean(!c->parts[i].aside));
		json_add(array, part);
	}
	return array;
}

/* The summaries of a span, by the names of the parts. */
static json_t *parts_of_span(const struct control_row *c,
			     const struct control_span *span)
{
	json_t *object = json_object();

	for (uint32_t i = 0; i < c->n_parts; i++)
		json_put(object, c->parts[i].name, summary(&span->parts[i]));
	return object;
}

static json_t *spans(const struct control_row *c)
{
	json_t *array = c->n_spans ? json_array() : json_null();

	for (uint32_t i = 0; i < c->n_spans; i++)
		json_add(array,
			 json_pack("{s:o, s:o, s:o, s:o}", "from",
				   json_count(c->spans[i].from), "to",
				   json_count(c->spans[i].to), "latency",
				   summary(&c->spans[i].latency), "parts",
				   parts_of_span(c, &c->spans[i])));
	return array;
}

/* What the time of one operation was used for. */
static json_t *use(const struct control_row *c)
{
	/* rounding must not make the rest negative */
	const double rest = fmax(c->wall_ns - c->cpu_ns, 0);
	const bool known = isfinite(c->cpu_ns);

	return json_pack("{s:o, s:o, s:o, s:o, s:o}", "wall_ns",
			 json_measured(c->wall_ns), "cpu_ns",
			 json_measured(c->cpu_ns), "user_ns",
			 json_measured(c->user_ns), "system_ns",
			 json_measured(c->system_ns), "waiting_ns",
			 json_measured(known ? rest : NAN));
}

static json_t *calls(const struct control_calls *list)
{
	json_t *names = json_object();
	double ns = list->ns ? (double)list->ns / (double)list->calls : NAN;

	if (!list->operations) {
		json_decref(names);
		return json_null();
	}
	for (uint32_t i = 0; i < list->n; i++)
		json_put(names, list->named[i].name,
			 json_real(control_per_operation(
				 list, list->named[i].calls)));
	return json_pack("{s:f, s:o, s:o, s:o}", "per_operation",
			 control_per_operation(list, list->calls),
			 "operations", json_count(list->operations),
			 "mean_ns", json_measured(ns), "names", names);
}

static json_t *limit(const struct error *err)
{
	if (!error_is_set(err))
		return json_null();
	return json_pack("{s:o, s:o, s:o}", "code", json_text(err->code),
			 "message", json_text(err->message), "advice",
			 json_text(err->advice));
}

json_t *control_json(const struct parameters *params,
		     const struct result_row *row)
{
	const struct control_row *c = row->control;

	if (!c)
		return json_null();
	return json_pack(
		"{s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}",
		"pattern",
		control_pattern_name((enum control_pattern)params->pattern),
		"most", json_count(c->most),
		"per_second", json_measured(c->per_second),
		"pinned_gb_per_s", json_measured(c->pinned_gbps),
		"parts", parts(c), "existing", spans(c), "time", use(c),
		"system_calls", calls(&c->system_calls),
		"firmware_commands", calls(&c->firmware),
		"limit", limit(&c->limit));
}
