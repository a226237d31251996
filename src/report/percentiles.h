/* The percentiles of a table that are not known. */
#ifndef REPORT_PERCENTILES_H
#define REPORT_PERCENTILES_H

#include <stdio.h>

#include "base/units.h"
#include "model/result.h"

/* Those of a table unless the user asks for others. */
extern const struct percentiles percentiles_usual;

/* Explain "-" for each percentile of LIST that has too few samples in a row of
 * R that did not fail. */
void percentiles_explain(FILE *out, const struct percentiles *list,
			 const struct result *r);

#endif
