/* The values of options in JSON. */
#ifndef REPORT_JSON_PARAMETERS_H
#define REPORT_JSON_PARAMETERS_H

#include <jansson.h>

#include "model/param.h"

/* The value of the option ROW: null if it was not given, is "auto", or has no
 * use in this test.  NULL if memory runs out, like json_parameters(). */
json_t *json_parameter(const struct parameters *params,
		       const struct param *row);

/* "parameters": the value of every option under its name. */
json_t *json_parameters(const struct parameters *params);

#endif
