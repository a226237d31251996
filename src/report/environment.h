/* Reports the facts of model/facts.h. */
#ifndef REPORT_ENVIRONMENT_H
#define REPORT_ENVIRONMENT_H

#include <jansson.h>
#include <stdio.h>

#include "model/result.h"

/* Both ends of R, as "environment" of a document: null for an end whose facts
 * are not known. */
json_t *environment_json(const struct result *r);

/* Print those of FACTS that are known, by what they are about. */
void environment_text(FILE *out, const struct facts *facts);

#endif
