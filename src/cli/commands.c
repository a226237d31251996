/* The table of the program's commands, by the first word of the command line.
 */
#include "config.h"
#include "cli/commands.h"

#include <string.h>

#include "model/plan.h"

const struct command_row command_table[] = {
	{ "serve", COMMAND_SERVE, PARAM_SERVER },
	{ "devices", COMMAND_DEVICES, PARAM_DEVICES },
	{ "check", COMMAND_CHECK, PARAM_CHECK },
	{ "calibrate", COMMAND_CALIBRATE, PARAM_CALIBRATE },
	{ "faults", COMMAND_FAULTS, 0 },
};

const size_t command_count = sizeof(command_table) / sizeof(*command_table);

const struct command_row *command_find(const char *name)
{
	for (size_t i = 0; i < command_count; i++)
		if (!strcmp(command_table[i].name, name))
			return &command_table[i];
	return NULL;
}

const struct command_row *command_row_of(enum command command)
{
	for (size_t i = 0; i < command_count; i++)
		if (command_table[i].command == command)
			return &command_table[i];
	return NULL;
}

const char *command_name(size_t i)
{
	const size_t traffic = (OP_LAST_TEST + 1) * METRIC_COUNT;
	const size_t tests = traffic + CONTROL_TESTS - 1;

	if (i < traffic)
		return traffic_names[i / METRIC_COUNT][i % METRIC_COUNT];
	if (i < tests)
		return control_table[i - traffic + 1].name;
	return i < tests + command_count ? command_table[i - tests].name : NULL;
}
