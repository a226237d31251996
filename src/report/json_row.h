/* One row of the results of a JSON report. */
#ifndef REPORT_JSON_ROW_H
#define REPORT_JSON_ROW_H

#include <jansson.h>

#include "model/param.h"
#include "model/result.h"

/* One object of "intervals", for messages of SIZE bytes in a test of PLAN; a
 * test of the control path has no bandwidth.  NULL if memory runs out. */
json_t *json_interval(const struct plan *plan, const struct interval *one,
		      uint64_t size);

/* One object of "results"; NULL if memory runs out. */
json_t *json_row(const struct parameters *params,
		 const struct result_row *row);

#endif
