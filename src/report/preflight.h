/* Reports what --check found, as text and as JSON. */
#ifndef REPORT_PREFLIGHT_H
#define REPORT_PREFLIGHT_H

#include <jansson.h>
#include <stdio.h>

#include "model/result.h"

#define PREFLIGHT_VERDICT_SIZE 96

/* Put "this test cannot run: 2 problems, 1 warning" into TEXT; returns TEXT. */
const char *preflight_verdict(const struct preflight *preflight,
			      char text[PREFLIGHT_VERDICT_SIZE]);

/* Print both ends of R side by side, then the problems and, if the test can
 * run, the verdict; otherwise report_problems() prints the verdict. */
void preflight_text(FILE *out, const struct result *r);

/* PREFLIGHT as an array; null when it is NULL. */
json_t *preflight_json(const struct preflight *preflight);

#endif
