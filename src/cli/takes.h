/* Finds out which options a test or command takes, by trying them. */
#ifndef CLI_TAKES_H
#define CLI_TAKES_H

#include <stdbool.h>

#include "model/param.h"

/* True when COMMAND, a test or another command, accepts some value of ROW,
 * perhaps beside another option. */
bool takes_option(const char *command, const struct param *row);

/* True when COMMAND accepts WORD, of LENGTH bytes, as the value of ROW. */
bool takes_word(const char *command, const struct param *row,
		const char *word, int length);

#endif
