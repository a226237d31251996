/* Reports what the counters of both ends' ports did (model/counters.h). */
#ifndef REPORT_COUNTERS_H
#define REPORT_COUNTERS_H

#include <jansson.h>
#include <stdio.h>

#include "model/counter_table.h"
#include "model/result.h"

/* The counters of ROW that --counters chose, and those that indicate trouble or
 * congestion and rose; null with --counters=none. */
json_t *counters_json(const struct parameters *params,
		      const struct result_row *row);

/* The number of counters of KIND that rose in R.  Writes a sentence about the
 * first to OUT, unless that is NULL.  0 if counters_print() prints them all. */
uint32_t counters_risen(const struct result *r, enum counter_kind kind,
			FILE *out);

/* Write to OUT, below the table of R, if --counters or --verbose was given, a
 * line for each counter that indicates trouble or congestion and rose, and the
 * counters that --counters asks for by name or as all. */
void counters_print(FILE *out, const struct result *r);

/* Write the counters of this end that perftest's options ask for by name. */
void counters_print_perftest(FILE *out, const struct result *r,
			     const struct result_row *row);

#endif
