/* Reports whether a result meets the user's limits, as text and as JSON. */
#ifndef REPORT_LIMIT_H
#define REPORT_LIMIT_H

#include <jansson.h>
#include <stdio.h>

#include "model/result.h"

/* Write to OUT, below the table of R, a line with the limits and how many
 * results missed them.  Nothing without a limit or a row. */
void limit_print(FILE *out, const struct result *r);

/* A list with one object per limit and size; null without a limit. */
json_t *limit_json(const struct result *r);

#endif
