/* Makes the JSON of the effective options. */
#include "config.h"
#include "report/json.h"

#include <inttypes.h>

#include "report/json_value.h"

static json_t *sizes(const struct sizes *list)
{
	json_t *array = json_array();

	for (uint32_t i = 0; i < list->n; i++)
		json_add(array, json_count(list->bytes[i]));
	return array;
}

static json_t *percentile_list(const struct percentiles *list)
{
	json_t *array = list->n ? json_array() : json_null();

	for (uint32_t i = 0; i < list->n; i++)
		json_add(array, json_real(list->per_million[i] / 1e4));
	return array;
}

/* CPUs or flow labels. */
static json_t *numbers(const uint32_t *list, uint32_t n)
{
	json_t *array = n ? json_array() : json_null();

	for (uint32_t i = 0; i < n; i++)
		json_add(array, json_count(list[i]));
	return array;
}

/* True when ROW means nothing in this test, such as a duration beside a count
 * of messages. */
static bool does_not_apply(const struct plan *plan, const struct param *row)
{
	if (plan->control && !param_suits(row, plan->control))
		return true;
	if (!plan->control && row->who == PARAM_CONTROL)
		return true;
	if (row->offset == offsetof(struct parameters, plan.duration))
		return plan->iterations;
	if (row->offset == offsetof(struct parameters, plan.rx_depth))
		return !plan_counts_received(plan);
	if (row->offset == offsetof(struct parameters, plan.atomic))
		return !op_is_atomic(plan->op);
	if (row->offset == offsetof(struct parameters, plan.recv_post_list))
		return !plan_counts_received(plan);
	if (row->offset == offsetof(struct parameters, plan.outstanding_reads))
		return !op_table[plan->op].fetches;
	return false;
}

static json_t *limit_value(const struct limit *limit)
{
	if (!limit->given)
		return json_null();
	return limit->percent ? json_sprintf("%.15g%%", limit->value) :
				json_real(limit->value);
}

static json_t *rate(uint64_t value)
{
	if (!value)
		return json_null();
	return json_pack("{s:f, s:s}", "value", rate_number(value), "unit",
			 rate_unit(value));
}

static json_t *group(const struct mcast *mcast)
{
	char text[GID_TEXT_SIZE];

	if (!mcast->wanted)
		return json_null();
	return json_text(mcast->given ? gid_format(&mcast->gid, text) : "auto");
}

static json_t *batch(const struct batch *list)
{
	char text[BATCH_TEXT_SIZE];

	return list->n ? json_text(units_format_batch(list, text)) :
			 json_null();
}

static json_t *memory(const struct memory_choice *choice)
{
	char text[MEMORY_PATH_SIZE + MEMORY_TEXT_SIZE];

	return json_text(memory_choice_format(choice, text, sizeof(text)));
}

static json_t *numeric_parameter(const struct param *row, uint64_t value)
{
	bool absent = value == 0 && !row->initial;
	const char *word;
	int length;

	switch (row->kind) {
	case PARAM_FLAG:
		return json_boolean(value);
	case PARAM_CHOICE:
		word = param_word(row, value, &length);
		return word ? json_stringn(word, (size_t)length) : json_null();
	case PARAM_TIMED_FLAG:
		return value && value != PARAM_FOREVER ?
			       json_real((double)value / 1e9) :
			       json_boolean(value);
	case PARAM_TIME:
		/* where 0 is allowed it is a time like any other */
		if (absent && row->min)
			return json_null();
		return json_real((double)value / 1e9);
	case PARAM_RATE:
		return rate(value);
	case PARAM_NODE:
		if (value == PARAM_NONE)
			return json_string("none");
		/* fall through */
	case PARAM_AUTO_NUMBER:
		return value == PLAN_AUTO ? json_null() : json_count(value);
	default:
		return absent ? json_null() : json_count(value);
	}
}

static json_t *counter_choice(const struct counter_choice *choice)
{
	return json_string(choice->names ? choice->names :
					   counter_scope_words[choice->shown]);
}

/* The limits as on a command line: "link_downed=0,out_of_sequence=10". */
static json_t *counter_limits(const struct counter_limits *limits)
{
	/* each name with its number and the characters around it */
	char text[COUNTER_LIMITS_MAX * (COUNTER_NAME_SIZE + 24)] = "";

	for (uint32_t i = 0; i < limits->n; i++)
		text_append(text, sizeof(text), "%s%s=%" PRIu64, i ? "," : "",
			    limits->list[i].name, limits->list[i].most);
	return json_text(text);
}

json_t *json_parameter(const struct parameters *params, const struct param *row)
{
	if (does_not_apply(&params->plan, row))
		return json_null();
	switch (row->kind) {
	case PARAM_STRING:
		return json_text(param_get_string(params, row));
	case PARAM_NETWORKS:
		return json_text(((const struct networks *)
				  param_field(params, row))->text);
	case PARAM_SIZES:
		return sizes(&params->plan.sizes);
	case PARAM_PERCENTILES:
		return percentile_list(&params->percentiles);
	case PARAM_CPUS:
		return numbers(params->cpus.id, params->cpus.n);
	case PARAM_MEMORY:
		return memory(&params->memory);
	case PARAM_LIMIT:
		return limit_value(param_field(params, row));
	case PARAM_MCAST:
		return group(&params->plan.mcast);
	case PARAM_BATCH:
		return batch(&params->plan.batch);
	case PARAM_LABELS:
		return numbers(params->plan.flow_labels.value,
			       params->plan.flow_labels.n);
	case PARAM_COUNTER_LIMITS:
		return counter_limits(&params->counter_limits);
	case PARAM_COUNTERS:
		return counter_choice(&params->plan.counters);
	default:
		return numeric_parameter(row, param_get(params, row));
	}
}

json_t *json_parameters(const struct parameters *params)
{
	json_t *object = json_object();

	for (size_t i = 0; i < param_count; i++)
		json_put(object, param_table[i].name,
			 json_parameter(params, &param_table[i]));
	return object;
}
