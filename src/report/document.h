/* A result as one JSON value, from which several formats are made. */
#ifndef REPORT_DOCUMENT_H
#define REPORT_DOCUMENT_H

#include <jansson.h>

#include "model/result.h"

/* All of R, as in a verbsperf/1 document; NULL if memory runs out. */
json_t *report_document(const struct result *r);

/* Only the value of "test". */
json_t *report_test(const struct result *r);

#endif
