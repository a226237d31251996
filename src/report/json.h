/* A result as JSON: all of it, and parts of which several formats are made. */
#pragma once

#include <jansson.h>

#include "model/exit_status.h"
#include "model/param.h"
#include "model/result.h"

/* All of R, as in a verbsperf/1 document. */
json_t *report_document(const struct result *r);

/* What tells R from other results: when, what and where, of which "client" and
 * "server" have only their hostname, device and port. */
json_t *report_identity(const struct result *r);

/* "outcome" of a run or of a row of R that ended with STATUS. */
json_t *json_outcome(const struct result *r, enum exit_status status);

/* One object of "results". */
json_t *json_row(const struct parameters *params, const struct result_row *row);

/* The value of the option ROW: null if it was not given, is "auto", or has no
 * use in this test. */
json_t *json_parameter(const struct parameters *params,
		       const struct param *row);

/* "parameters": the value of every option under its name. */
json_t *json_parameters(const struct parameters *params);
