/* What --check found, for people and for machines. */
#ifndef REPORT_PREFLIGHT_H
#define REPORT_PREFLIGHT_H

#include <jansson.h>
#include <stdio.h>

#include "model/result.h"

#define PREFLIGHT_VERDICT_SIZE 80

/* "this test cannot run: 2 problems, 1 warning" into TEXT; returns TEXT. */
const char *preflight_verdict(const struct preflight *preflight,
			      char text[PREFLIGHT_VERDICT_SIZE]);

/* Both ends of R side by side, then what is wrong with them, and the verdict
 * when it can run; otherwise report_problems() has that. */
void preflight_text(FILE *out, const struct result *r);

/* The same as an array; null when PREFLIGHT is NULL. */
json_t *preflight_json(const struct preflight *preflight);

#endif
