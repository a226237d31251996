/* A result as one JSON value, from which several formats are made. */
#ifndef REPORT_DOCUMENT_H
#define REPORT_DOCUMENT_H

#include <jansson.h>

#include "model/result.h"

/* All of R, as in a verbsperf/1 document; NULL if memory runs out. */
json_t *report_document(const struct result *r);

/* What tells R from other results: when, what and where, of which "client" and
 * "server" have only their hostname, device and port. */
json_t *report_identity(const struct result *r);

/* The value of "error" for ERR, without that of the peer. */
json_t *report_error(const struct error *err);

#endif
