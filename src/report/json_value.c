/* Values of JSON, and JSON as text. */
#include "config.h"
#include "report/json_value.h"

#include <stdlib.h>
#include <string.h>

#include "base/plain.h"
#include "base/xalloc.h"
#include "model/control.h"
#include "net/wire.h"

/* Digits of a measured number; a double has 15 to 17. */
#define DIGITS 12

json_t *json_tool(void)
{
	return json_pack("{s:s, s:s, s:i}", "name", PACKAGE_NAME, "version",
			 PACKAGE_VERSION, "protocol", WIRE_PROTOCOL);
}

json_t *json_size(const struct plan *plan, uint64_t size)
{
	return plan->control && !control_table[plan->control].size ?
		       json_null() : json_count(size);
}

json_t *json_qps(const struct plan *plan)
{
	return plan->control ? json_null() : json_count(plan->qps);
}

json_t *json_text(const char *text)
{
	char *plain;
	json_t *string;

	if (!text || !text[0])
		return json_null();
	plain = plain_json(xcheck(strdup(text)));
	string = json_string(plain);
	free(plain);
	return string;
}

json_t *json_error(const struct error *err)
{
	if (!error_is_set(err))
		return json_null();
	return json_pack("{s:o, s:o, s:o, s:o}", "stage",
			 json_text(err->stage), "code",
			 json_text(err->code), "message",
			 json_text(err->message), "advice",
			 json_text(err->advice));
}

json_t *json_interval(const struct plan *plan, const struct interval *one,
		      uint64_t size)
{
	struct bandwidth_summary b = interval_bandwidth(one, size);

	if (plan->control)
		b.gbps = b.mib_per_s = NAN;
	return json_pack("{s:f, s:f, s:o, s:o, s:o, s:o}", "start",
			 (double)one->start_ns / 1e9, "seconds",
			 (double)one->length_ns / 1e9, "iterations",
			 json_count(one->messages), "gbps",
			 json_measured(b.gbps), "mib_per_s",
			 json_measured(b.mib_per_s), "mpps",
			 json_measured(b.mpps));
}

void json_set_summary(json_t *object, const struct latency_summary *l)
{
	json_put(object, "samples", json_count(l->samples));
	json_put(object, "min", json_measured(l->min));
	json_put(object, "mean", json_measured(l->mean));
	json_put(object, "stddev", json_measured(l->stddev));
#define X(field, key, per_million) \
	json_put(object, key, json_measured(l->field));
	PERCENTILE_LIST(X)
#undef X
	json_put(object, "max", json_measured(l->max));
}

json_t *json_time(const struct timespec *when)
{
	char text[64], whole[32];
	struct tm tm;

	gmtime_r(&when->tv_sec, &tm);
	strftime(whole, sizeof(whole), "%Y-%m-%dT%H:%M:%S", &tm);
	snprintf(text, sizeof(text), "%s.%03ldZ", whole,
		 when->tv_nsec / 1000000);
	return json_string(text);
}

json_t *json_clock(const struct clock_description *clock)
{
	bool known = clock->source[0] != '\0';

	return json_pack("{s:o, s:o, s:o, s:o}", "source",
			 json_text(clock->source), "resolution_ns",
			 json_measured(known ? clock->resolution_ns : NAN),
			 "read_cost_ns",
			 json_measured(known ? clock->read_cost_ns : NAN),
			 "deviation_ppm",
			 json_measured(known ? clock->deviation * 1e6 : NAN));
}

static char *to_text(json_t *root, size_t style)
{
	char *text = NULL;
	FILE *out = xmemstream(&text);

	json_dumpf(xcheck(root), out, style | JSON_REAL_PRECISION(DIGITS));
	fputs("\n", out);
	fclose(out);
	json_decref(root);
	return text;
}

char *json_to_text(json_t *root)
{
	return to_text(root, JSON_INDENT(2));
}

char *json_to_line(json_t *root)
{
	return to_text(root, JSON_COMPACT);
}

char *json_plain(const json_t *value)
{
	if (!value || json_is_null(value))
		return xcheck(strdup(""));
	if (json_is_string(value))
		return xcheck(strdup(json_string_value(value)));
	return xcheck(json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT |
					JSON_REAL_PRECISION(DIGITS)));
}
