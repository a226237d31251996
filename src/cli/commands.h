/* The program's first word, if it is not a test. */
#pragma once

#include "cli/options.h"

struct command_row {
	const char *name;
	enum command command;
	unsigned int who;	/* enum param_who of the options it takes */
};

/* In the order in which they are named to the user. */
extern const struct command_row command_table[];
extern const size_t command_count;

/* The row of NAME, or of COMMAND; NULL when there is none. */
const struct command_row *command_find(const char *name);
const struct command_row *command_row_of(enum command command);

/* The name of number I of all first words, which are tests of traffic, those of
 * the control path and then the commands; NULL after the last. */
const char *command_name(size_t i);
