/* What came of the limits that the user set, for people and for machines. */
#ifndef REPORT_LIMIT_H
#define REPORT_LIMIT_H

#include <jansson.h>
#include <stdio.h>

#include "model/result.h"

/* A line below the table of R in OUT: which limits there were, and how many
 * were not met.  Nothing without a limit or a row. */
void limit_print(FILE *out, const struct result *r);

/* A list with an object for each limit and size; null without a limit. */
json_t *limit_json(const struct result *r);

#endif
