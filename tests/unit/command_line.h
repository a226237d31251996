/* A line of words as argv, parsed. */
#pragma once

#include <stdio.h>

#include "cli/options.h"
#include "test.h"

#define COMMAND_LINE_WORDS 40
#define COMMAND_LINE_SIZE 200

/* Parse LINE, split at blanks; argv[0] is its first word.  What O keeps by
 * reference is in COPY. */
static inline int parse(const char *line, char copy[COMMAND_LINE_SIZE],
			struct options *o, struct error *err)
{
	char *argv[COMMAND_LINE_WORDS] = { NULL }, *rest = copy;
	int argc = 0;

	assert_true(strlen(line) < COMMAND_LINE_SIZE);
	strcpy(copy, line);
	while (rest && argc < COMMAND_LINE_WORDS - 1)
		argv[argc++] = strsep(&rest, " ");
	memset(err, 0, sizeof(*err));
	memset(o, 0x5a, sizeof(*o));
	return options_parse(argc, argv, o, err);
}

/* The same; LINE must be right. */
static inline void taken(const char *line, char copy[COMMAND_LINE_SIZE],
			 struct options *o)
{
	struct error err;

	if (parse(line, copy, o, &err))
		fail_msg("'%s': %s", line, err.message);
	assert_false(error_is_set(&err));
}
