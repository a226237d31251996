/* The document of a result. */
#include "config.h"
#include "report/report.h"

#include <stdio.h>

#include "model/plan.h"
#include "report/json.h"
#include "report/json_value.h"
#include "report/parts.h"

/* All members are null at a server whose client sent no PLAN, and where only
 * this end is examined.  A test of the control path has no direction and no
 * load, and perhaps no transport. */
static json_t *test_of(const struct result *r)
{
	const struct plan *plan = &r->params.plan;
	const bool traffic = !plan->control;
	const bool sent = traffic || control_table[plan->control].transports;
	const char *name = test_name_of(plan);

	if (traffic && (r->alone || (!r->connected && r->at_server)))
		return json_pack("{s:n, s:n, s:n, s:n, s:n, s:n}", "name",
				 "operation", "metric", "transport",
				 "direction", "load");
	return json_pack("{s:s, s:s, s:s, s:s?, s:s?, s:s?}", "name",
			 name, "operation",
			 traffic ? op_table[plan->op].name : name, "metric",
			 plan->metric == METRIC_LATENCY ? "latency" :
							  "bandwidth",
			 "transport",
			 sent ? transport_table[plan->transport].name : NULL,
			 "direction", !traffic ? NULL :
				      plan->bidirectional ? "bi" : "uni",
			 "load", !traffic ? NULL :
				 plan_is_open(plan) ? "open" : "closed");
}

/* The attributes of an end's first queue pair; null for those it lacks. */
static json_t *queue_pair(const struct effective *qp)
{
	json_t *object = json_object();

#define X(name, ...) \
	json_put(object, #name, json_number(qp->name));
	EFFECTIVE_LIST(X)
#undef X
	return object;
}

static json_t *pkey(uint16_t value)
{
	char text[8];

	snprintf(text, sizeof(text), "0x%04x", value);
	return json_string(text);
}

/* One end; unknown members are null. */
static json_t *end(const struct result *r, bool client)
{
	const struct port *port = client ? &r->client : &r->server;
	const struct effective *qp = client ? &r->client_qp : &r->server_qp;
	const struct gid *gid = result_gid(r, client);
	/* a quiet server does not say which device it has */
	const bool named = port->device[0] ||
			   (!client && r->params.plan.quiet);
	const bool known = named && (r->connected || client != r->at_server);
	const bool global = known && gid;
	char text[GID_TEXT_SIZE];
	json_t *object = json_object();

#define SET(key, condition, value) \
	json_put(object, key, (condition) ? (value) : json_null())
	SET("hostname", true, json_text(port->hostname));
	SET("device", true, json_text(port->device));
	SET("port", known && port->number, json_count(port->number));
	SET("link_layer", known, json_string(port_link_layer_name(port)));
	SET("gid_index", global, json_number(gid->index));
	SET("gid", global, json_string(gid_format(&gid->raw, text)));
	SET("gid_type", global, json_string(gid_type_name(gid->type)));
	SET("port_kind", known, json_string(port_kind_name(port)));
	SET("lid", known && port_has_lids(port), json_count(port->lid));
	SET("pkey", known && port->pkey, pkey(port->pkey));
	SET("mtu", known, json_number(r->params.plan.mtu));
	SET("firmware", true, json_text(port->firmware));
	SET("rate_gbps", known && port->rate_mbps,
	    json_real(port->rate_mbps / 1000.0));
	SET("numa_node", known, json_number(port->numa_node));
	SET("memory", true, json_text(r->ends[client].memory));
	SET("qp", qp->known, queue_pair(qp));
#undef SET
	return object;
}

static json_t *fact_json(const struct facts *facts, enum fact fact)
{
	const uint64_t count = facts_count(facts, fact);

	if (!facts_known(facts, fact))
		return json_null();
	switch (fact_table[fact].kind) {
	case FACT_TEXT:
		return json_text(facts_text(facts, fact));
	case FACT_REAL:
		return json_measured(facts_real(facts, fact));
	case FACT_FLAG:
		return json_boolean(count);
	case FACT_LIMIT:
		return count > INT64_MAX ? json_string("unlimited") :
						 json_count(count);
	default:
		return json_count(count);
	}
}

static json_t *facts_json(const struct facts *facts)
{
	json_t *object = facts_any(facts) ? json_object() : json_null();

	for (enum fact i = 0; i < FACTS && json_is_object(object); i++)
		json_put(object, fact_table[i].key, fact_json(facts, i));
	return object;
}

static json_t *clock_of(const struct clock_description *clock)
{
	if (!clock->source[0])
		return json_null();
	return json_pack("{s:s, s:o, s:o}", "source", clock->source, "kernel",
			 json_text(clock->kernel), "drift_ppm",
			 json_measured(clock->drift * 1e6));
}

/* Both ends' clocks beside each other, and each beside its kernel's. */
static json_t *clocks(const struct result *r)
{
	const double *ratio = r->clock_ratio;

	return json_pack("{s:o, s:o, s:o}", "client", clock_of(&r->clocks[1]),
			 "server", clock_of(&r->clocks[0]), "server_to_client",
			 ratio[0] > 0 ?
				 json_pack("[f, f]", ratio[0], ratio[1]) :
				 json_null());
}

static json_t *results(const struct result *r)
{
	json_t *array = json_array();

	for (uint32_t i = 0; i < r->n_rows; i++)
		json_add(array, json_row(&r->params, &r->rows[i]));
	return array;
}

/* Why the run failed here, and the other end's report of its own failure. */
static json_t *errors(const struct result *r)
{
	json_t *object = json_error(&r->error);

	if (json_is_object(object))
		json_put(object, "peer", json_error(&r->peer_error));
	return object;
}

static json_t *name_end(const struct port *port)
{
	bool known = port->device[0];

	return json_pack("{s:o, s:o, s:o}", "hostname",
			 json_text(port->hostname), "device",
			 json_text(port->device), "port",
			 known ? json_count(port->number) : json_null());
}

json_t *json_outcome(const struct result *r, enum exit_status status)
{
	return json_pack("{s:s, s:i}", "verdict", exit_status_word(r, status),
			 "exit_status", exit_status_in_shell(r, status));
}

json_t *report_identity(const struct result *r)
{
	return json_pack("{s:o, s:o, s:o, s:o, s:o}", "started",
			 json_time(&r->started), "title",
			 json_text(r->params.title), "test", test_of(r),
			 "client", name_end(&r->client), "server",
			 name_end(&r->server));
}

json_t *report_document(const struct result *r)
{
	const struct parameters *params = &r->params;

	return json_pack(
		"{s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, "
		"s:o, s:o, s:o, s:o, s:o, s:o}",
		"schema", "verbsperf/1", "tool", json_tool(), "started",
		json_time(&r->started), "title", json_text(params->title),
		"test", test_of(r),
		"parameters", json_parameters(params),
		"client", end(r, true), "server", end(r, false),
		"environment",
		json_pack("{s:o, s:o}", "client", facts_json(&r->client.facts),
			  "server", facts_json(&r->server.facts)),
		"clock", json_clock(&r->clock), "clocks", clocks(r),
		"setup_seconds",
		json_measured(r->setup_seconds > 0 ? r->setup_seconds : NAN),
		"preflight", preflight_json(r->preflight),
		"results", results(r), "unmeasured",
		counters_unmeasured_json(r), "limits", limit_json(r),
		"error", errors(r),
		"outcome", json_outcome(r, exit_status_of_run(r)));
}

char *report_json(const struct result *result)
{
	return json_to_text(report_document(result));
}
