/* Finds out which options each command takes, by parsing a sample line of
 * each. */
#include "config.h"
#include "cli/options.h"

#include <stdio.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/rules.h"
#include "model/control.h"

/* Longest argument tried. */
#define ARGUMENT_SIZE 96

/* Further arguments without which an option may have no use. */
static const char *const settings[][2] = {
	{ NULL }, { "--qps=2" }, { "--rate=0.1mpps" }, { "--rate=1gbps" },
	{ "--imm" },
	{ "--imm", "--transport=UC" },
	{ "--events" },
	{ "--transport=UD" },
	{ "--transport=UD", "--mcast" },
	{ "--imm", "--events" },
};

/* A value of ROW other than its default; NULL after the last. */
static const char *sample(const struct param *row, size_t index,
			  char text[ARGUMENT_SIZE])
{
	static const char *const numbers[] = { "1", "2", "256",
						"1ms" };
	static const char *const others[] = {
		[PARAM_BYTES] = "1M",
		[PARAM_SIZES] = "64",
		[PARAM_STRING] = "write_bw",
		[PARAM_CPUS] = "0,1",
		[PARAM_RATE] = "0.1mpps",
		[PARAM_PERCENTILES] = "50",
		[PARAM_LABELS] = "1",
		[PARAM_MCAST] = "239.255.1.2",
		[PARAM_NODE] = "0",
		[PARAM_NETWORKS] = "10.0.0.0/8",
		[PARAM_LIMIT] = "1",
		[PARAM_COUNTER_LIMITS] = "link_downed=0",
		[PARAM_MEMORY] = "shared",
		[PARAM_BATCH] = "4K",
	};
	const char *word;
	int length;

	if (row->kind == PARAM_CHOICE) {
		word = param_word(row, index, &length);
		snprintf(text, ARGUMENT_SIZE, "%.*s", word ? length : 0,
			 word ? word : "");
		return word ? text : NULL;
	}
	if (row->kind < sizeof(others) / sizeof(*others) && others[row->kind])
		return index ? NULL : others[row->kind];
	return index < sizeof(numbers) / sizeof(*numbers) ? numbers[index] :
							    NULL;
}

/* Parse COMMAND with SETTING and OPTION; NULL: without. */
static bool parses(const char *command, const char *const setting[2],
		   const char *option, struct options *options)
{
	char *argv[7] = { (char *)PACKAGE_NAME, (char *)command };
	const enum control_test control = control_find(command);
	struct error err = { 0 };
	int argc = 2;

	if (control ? control_has_server(control) : !command_find(command))
		argv[argc++] = (char *)"--loopback";
	for (int i = 0; i < 2 && setting[i]; i++)
		argv[argc++] = (char *)setting[i];
	if (option)
		argv[argc++] = (char *)option;
	return !options_parse(argc, argv, options, &err);
}

static bool parses_somehow(const char *command, const char *option)
{
	struct options options;

	for (size_t i = 0; i < sizeof(settings) / sizeof(*settings); i++)
		if (parses(command, settings[i], option, &options))
			return true;
	return false;
}

/* True when COMMAND has no use for ROW, whatever its value. */
static bool refuses(const char *command, const struct param *row)
{
	struct options options;

	return parses(command, settings[0], NULL, &options) &&
	       !rules_take(&options, row);
}

bool takes_option(const char *command, const struct param *row)
{
	char option[2 * ARGUMENT_SIZE], text[ARGUMENT_SIZE];
	const char *value;

	if (refuses(command, row))
		return false;
	snprintf(option, sizeof(option), "--%s", row->name);
	if (!row->argument)
		return parses_somehow(command, option);
	for (size_t i = 0; (value = sample(row, i, text)); i++) {
		if (row->initial && !strcmp(value, row->initial))
			continue;
		snprintf(option, sizeof(option), "--%s=%s", row->name, value);
		if (parses_somehow(command, option))
			return true;
	}
	return false;
}

bool takes_word(const char *command, const struct param *row,
		const char *word, int length)
{
	char option[2 * ARGUMENT_SIZE];

	if (refuses(command, row))
		return false;
	snprintf(option, sizeof(option), "--%s=%.*s", row->name, length, word);
	return parses_somehow(command, option);
}
