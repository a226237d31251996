/* A row of a test of the control path, in the reports. */
#ifndef REPORT_CONTROL_H
#define REPORT_CONTROL_H

#include <jansson.h>

#include "model/result.h"

/* "control" of an object of "results": null for a test of traffic. */
json_t *control_json(const struct parameters *params,
		     const struct result_row *row);

#endif
