/* What --check found, for people and for machines. */
#ifndef REPORT_PREFLIGHT_H
#define REPORT_PREFLIGHT_H

#include <jansson.h>
#include <stdio.h>

#include "model/result.h"

/* Both ends of R side by side, then what is wrong with them, to OUT. */
void preflight_text(FILE *out, const struct result *r);

/* The same as an array; null when PREFLIGHT is NULL. */
json_t *preflight_json(const struct preflight *preflight);

#endif
