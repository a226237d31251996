/* The parts of a JSON report: one row of its results, and values. */
#ifndef REPORT_JSON_ROW_H
#define REPORT_JSON_ROW_H

#include <jansson.h>
#include <math.h>

#include "model/param.h"
#include "model/result.h"

/* One object of "results"; NULL for want of memory. */
json_t *json_row(const struct parameters *params,
		 const struct result_row *row);

/* null for NAN: not measured. */
static inline json_t *json_measured(double value)
{
	return isfinite(value) ? json_real(value) : json_null();
}

/* Text from a device or a user: JSON is UTF-8 or nothing. */
static inline json_t *json_text(const char *text)
{
	json_t *string = text && text[0] ? json_string(text) : NULL;

	return string ? string : json_null();
}

static inline json_t *json_count(uint64_t n)
{
	return json_integer((json_int_t)n);
}

#endif
