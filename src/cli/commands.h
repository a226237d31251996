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

#define COMMAND_WORDS_SIZE 320

/* Write the names of all tests and commands, with blanks between, into WORDS.
 * Returns WORDS. */
const char *command_words(char words[COMMAND_WORDS_SIZE]);
