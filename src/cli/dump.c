/* Prints what scripts need to know of the options and commands, as JSON
 * (--dump-options). */
#include "config.h"
#include "cli/options.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/perftest_table.h"
#include "model/plan.h"
#include "net/wire.h"
#include "report/json.h"
#include "report/json_value.h"

#define SCHEMA "verbsperf-options/1"

/* What the manual says of options and facts, made of man/descriptions.txt. */
static const struct {
	const char *name;
	const char *text;
} descriptions[] = {
#include "descriptions.h"
};

/* null: NAME has no description. */
static json_t *description(const char *name)
{
	const size_t n = sizeof(descriptions) / sizeof(*descriptions);

	for (size_t i = 0; i < n; i++)
		if (!strcmp(descriptions[i].name, name))
			return json_string(descriptions[i].text);
	return json_null();
}

/* The names of the tests of the control path without a server. */
static json_t *one_end_names(void)
{
	json_t *array = json_array();

	for (enum control_test i = CONTROL_NONE + 1; i < CONTROL_TESTS; i++)
		if (!control_has_server(i))
			json_add(array, json_string(control_table[i].name));
	return array;
}

static json_t *test_names(void)
{
	json_t *array = json_array();

	for (size_t i = 0; !command_find(command_name(i)); i++)
		json_add(array, json_string(command_name(i)));
	return array;
}

static json_t *command_names(void)
{
	json_t *array = json_array();

	for (size_t i = 0; i < command_count; i++)
		json_add(array, json_string(command_table[i].name));
	return array;
}

static json_t *groups(void)
{
	json_t *object = json_object();

	for (int i = 0; i < GROUPS; i++)
		json_put(object, param_groups[i].name,
			 json_string(param_groups[i].heading));
	return object;
}

/* Who may give ROW. */
static json_t *who(const struct param *row)
{
	static const struct {
		unsigned int flag;
		const char *name;
	} names[] = {
		{ PARAM_CLIENT, "client" },
		{ PARAM_SERVER, "server" },
		{ PARAM_DEVICES, "devices" },
		{ PARAM_CHECK, "check" },
		{ PARAM_CALIBRATE, "calibrate" },
		{ PARAM_CONTROL, "control" },
	};
	json_t *array = json_array();

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (row->who & names[i].flag)
			json_add(array, json_string(names[i].name));
	return array;
}

/* A bound of ROW's range, in the unit of ROW; null: there is none. */
static json_t *bound(const struct param *row, uint64_t value)
{
	switch (row->kind) {
	case PARAM_NUMBER:
	case PARAM_AUTO_NUMBER:
	case PARAM_NODE:
	case PARAM_COUNT:
	case PARAM_BYTES:
	case PARAM_SIZES:
	case PARAM_LIMIT:
		return value <= INT64_MAX ? json_count(value) : json_null();
	case PARAM_TIME:
	case PARAM_TIMED_FLAG:
		return json_real((double)value / 1e9);
	default:
		return json_null();
	}
}

/* The tests for which ROW means something, each with "always" or "imm". */
static json_t *tests_of(const struct param *row)
{
	json_t *object = json_object();

	for (enum op op = 0; op <= OP_LAST_TEST; op++)
		for (enum metric metric = 0; metric < METRIC_COUNT; metric++) {
			const char c = param_use(row, op, metric);

			if (c == '-' || row->who == PARAM_CONTROL)
				continue;
			json_put(object, traffic_names[op][metric],
				 json_string(c == 'B' || c == 'L' ? "always" :
								    "imm"));
		}
	for (enum control_test i = CONTROL_NONE + 1; i < CONTROL_TESTS; i++)
		if (param_suits(row, i))
			json_put(object, control_table[i].name,
				 json_string("always"));
	return object;
}

/* The names of the commands that accept ROW. */
static json_t *accepted_by(const struct param *row)
{
	json_t *array = json_array();
	const char *name;

	for (size_t i = 0; (name = command_name(i)); i++)
		if (takes_option(name, row))
			json_add(array, json_string(name));
	return array;
}

/* The words that COMMAND accepts; NULL: all. */
static json_t *words_for(const struct param *row, const char *command)
{
	json_t *array = json_array();
	const char *word;
	int length;

	for (uint64_t i = 0; (word = param_word(row, i, &length)); i++)
		if (!command || takes_word(command, row, word, length))
			json_add(array, json_stringn(word, (size_t)length));
	return array;
}

/* The words that each command accepts; null where ROW is no choice. */
static json_t *words_by_command(const struct param *row)
{
	const char *name;
	json_t *object;

	if (row->kind != PARAM_CHOICE)
		return json_null();
	object = json_object();
	for (size_t i = 0; (name = command_name(i)); i++)
		json_put(object, name, words_for(row, name));
	return object;
}

static json_t *perftest_names(const struct param *row)
{
	json_t *array = json_array();

	for (size_t i = 0; i < perftest_option_count; i++) {
		const struct perftest_option *o = &perftest_options[i];

		if (o->ours && !strcmp(o->ours, row->name))
			json_add(array, json_string(o->name));
	}
	return array;
}

static json_t *perftest(void)
{
	json_t *array = json_array();

	for (size_t i = 0; i < perftest_option_count; i++) {
		const struct perftest_option *o = &perftest_options[i];
		char letter[2] = { o->letter, 0 };

		json_add(array, json_pack(
			"{s:s, s:o, s:o, s:s, s:o, s:o, s:o}", "name", o->name,
			"letter", json_text(letter),
			"argument", json_text(o->argument),
			"class", perftest_class_names[o->class],
			"ours", json_text(o->ours),
			"value", json_text(o->value),
			"note", json_text(o->note)));
	}
	return array;
}

static json_t *facts(void)
{
	json_t *array = json_array();

	for (int i = 0; i < FACTS; i++) {
		const struct fact_row *row = &fact_table[i];

		json_add(array,
			 json_pack("{s:s, s:s, s:s, s:b, s:o}", "name",
				   row->key, "kind", fact_kind_names[row->kind],
				   "group", fact_headings[row->group],
				   "compared", row->compared, "description",
				   description(row->key)));
	}
	return array;
}

/* What ROW is, whatever the command line. */
static json_t *describe(const struct param *row)
{
	char letter[2] = { row->letter, 0 }, name[64];

	snprintf(name, sizeof(name), "--%s", row->name);
	return json_pack(
		"{s:s, s:o, s:o, s:o, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o,"
		" s:b, s:s, s:b, s:o, s:s, s:o}",
		"name", row->name,
		"letter", json_text(letter),
		"perftest", perftest_names(row),
		"argument", json_text(row->argument),
		"kind", param_kind_name(row->kind),
		"words", row->kind == PARAM_CHOICE ? words_for(row, NULL) :
						     json_null(),
		"unit", json_text(param_unit(row)),
		"minimum", bound(row, row->min),
		"maximum", bound(row, row->max),
		"default", json_text(row->initial),
		"implied", json_text(row->implied),
		"who", who(row),
		"plan", !!(row->who & PARAM_PLAN),
		"group", param_groups[row->group].name,
		"hidden", !!(row->who & PARAM_HIDDEN),
		"tests", tests_of(row),
		"help", row->help,
		"description", description(name));
}

static json_t *dump_option(const struct options *options,
			   const struct param *row)
{
	json_t *object = describe(row);

	if (options->command != COMMAND_NONE) {
		json_put(object, "value",
			 json_parameter(&options->params, row));
		return object;
	}
	json_put(object, "commands", accepted_by(row));
	json_put(object, "words_by_command", words_by_command(row));
	return object;
}

char *options_dump(const struct options *options)
{
	json_t *array = json_array();

	for (size_t i = 0; i < param_count; i++)
		json_add(array, dump_option(options, &param_table[i]));
	return json_to_text(json_pack(
		"{s:s, s:s, s:i, s:o, s:o, s:o, s:o, s:o, s:o, s:o}",
		"schema", SCHEMA,
		"version", PACKAGE_VERSION, "protocol", WIRE_PROTOCOL,
		"tests", test_names(), "one_end", one_end_names(),
		"commands", command_names(), "groups", groups(),
		"options", array, "perftest", perftest(), "facts", facts()));
}
