/* Values for JSON reports. */
#pragma once

#include <jansson.h>
#include <math.h>
#include <time.h>

#include "model/result.h"

/* Set KEY of OBJECT, or append to ARRAY; either takes VALUE over. */
static inline void json_put(json_t *object, const char *key, json_t *value)
{
	json_object_set_new(object, key, value);
}

static inline void json_add(json_t *array, json_t *value)
{
	json_array_append_new(array, value);
}

/* null for NAN, which means not measured. */
static inline json_t *json_measured(double value)
{
	return isfinite(value) ? json_real(value) : json_null();
}

/* TEXT from a device, a user, the system or the peer, as base/plain.h has it;
 * null if it is NULL or empty. */
json_t *json_text(const char *text);

/* The value of "error" for ERR, without that of the peer. */
json_t *json_error(const struct error *err);

static inline json_t *json_count(uint64_t n)
{
	return json_integer((json_int_t)n);
}

/* N; null for what stands for no number: PLAN_AUTO, PORT_NO_NODE,
 * EFFECTIVE_NONE and TOPOLOGY_NONE. */
static inline json_t *json_number(uint32_t n)
{
	return n == UINT32_MAX ? json_null() : json_count(n);
}

/* SIZE and the number of queue pairs of a row; null for a test of the control
 * path that has none. */
json_t *json_size(const struct plan *plan, uint64_t size);
json_t *json_qps(const struct plan *plan);

/* One object of "intervals", for messages of SIZE bytes in a test of PLAN; a
 * test of the control path has no bandwidth. */
json_t *json_interval(const struct plan *plan, const struct interval *one,
		      uint64_t size);

/* Set samples, min, mean, stddev, percentiles and max of OBJECT. */
void json_set_summary(json_t *object, const struct latency_summary *l);

/* The name, version and protocol of this program. */
json_t *json_tool(void);

/* WHEN as RFC 3339 with milliseconds, UTC. */
json_t *json_time(const struct timespec *when);

/* All members are null if no clock was used. */
json_t *json_clock(const struct clock_description *clock);

/* Release ROOT and return it as text on the heap, ending in a newline. */
char *json_to_text(json_t *root);

/* Like json_to_text(), on one line. */
char *json_to_line(json_t *root);

/* VALUE as those texts write it, a string without its quotes.  On the heap,
 * empty for null and NULL. */
char *json_plain(const json_t *value);
