/* Values that JSON reports are made of; each may be NULL for want of memory. */
#ifndef REPORT_JSON_VALUE_H
#define REPORT_JSON_VALUE_H

#include <jansson.h>
#include <math.h>
#include <time.h>

#include "model/result.h"

/* null for NAN: not measured. */
static inline json_t *json_measured(double value)
{
	return isfinite(value) ? json_real(value) : json_null();
}

/* TEXT from a device, a user or the system; null when it is NULL or empty.
 * JSON is UTF-8: in text that is not, "?" stands for what is not ASCII. */
json_t *json_text(const char *text);

static inline json_t *json_count(uint64_t n)
{
	return json_integer((json_int_t)n);
}

/* Name, version and protocol of this program. */
json_t *json_tool(void);

/* WHEN as RFC 3339 with milliseconds, UTC. */
json_t *json_time(const struct timespec *when);

/* All null where no clock was used. */
json_t *json_clock(const struct clock_description *clock);

/* ROOT, which is released, as text on the heap that ends in a newline; NULL for
 * want of memory, or when ROOT is. */
char *json_to_text(json_t *root);

/* The same as one line. */
char *json_to_line(json_t *root);

/* VALUE as it stands in those texts; a string without its quotes.  On the
 * heap, empty for null; NULL for want of memory. */
char *json_plain(const json_t *value);

#endif
