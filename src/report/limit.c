#include "config.h"
#include "report/limit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "model/limit.h"
#include "report/json_value.h"
#include "report/report.h"

#define NUMBER_SIZE 40

/* The value seen, with enough digits to tell it from the limit. */
static const char *format_seen(const struct limit_verdict *v,
			       char text[NUMBER_SIZE])
{
	for (int digits = v->seen < 1e6 ? 6 : 10; digits <= 17; digits++) {
		snprintf(text, NUMBER_SIZE, "%.*g", digits, v->seen);
		if (strtod(text, NULL) != v->asked)
			break;
	}
	return text;
}

static const char *plural(uint32_t n)
{
	return n == 1 ? "" : "s";
}

static void say_unmet(const struct limit_verdict *v)
{
	char seen[NUMBER_SIZE];

	if (v->reason[0])
		log_info("limit not met: --%s %.15g: cannot be judged at size "
			 "%llu on %u QP%s: %s", v->name, v->asked,
			 (unsigned long long)v->size, v->qps, plural(v->qps),
			 v->reason);
	else
		log_info("limit not met: --%s %.15g: %s%s%s at size %llu on "
			 "%u QP%s", v->name, v->asked, format_seen(v, seen),
			 v->unit[0] == '%' ? "" : " ", v->unit,
			 (unsigned long long)v->size, v->qps, plural(v->qps));
}

/* One sentence for all sizes that the run never reached: they may be many. */
static void say_unreached(const struct limit_verdict *v, uint32_t sizes)
{
	if (sizes == 1)
		say_unmet(v);
	else
		log_info("limit not met: --%s %.15g: cannot be judged at size "
			 "%llu and %u more on %u QP%s: the run ended before "
			 "them", v->name, v->asked,
			 (unsigned long long)v->size, sizes - 1, v->qps,
			 plural(v->qps));
}

bool report_limits(const struct result *r)
{
	struct limit_verdict *list;
	uint32_t unreached, n = limit_judge(r, &list);
	bool met = !limit_count_unmet(list, n);

	for (uint32_t i = 0; i < n; i += unreached ? unreached : 1) {
		unreached = 0;
		while (i + unreached < n && !list[i + unreached].reached &&
		       list[i + unreached].name == list[i].name)
			unreached++;
		if (unreached)
			say_unreached(&list[i], unreached);
		else if (!list[i].met)
			say_unmet(&list[i]);
	}
	free(list);
	return met;
}

void limit_print(FILE *out, const struct result *r)
{
	struct limit_verdict *list;
	uint32_t n = limit_judge(r, &list);
	uint32_t unmet = limit_count_unmet(list, n);

	for (uint32_t i = 0; r->n_rows && i < n; i++)
		if (!i || list[i].name != list[i - 1].name)
			fprintf(out, "%s --%s %.15g", i ? "," : " limits:",
				list[i].name, list[i].asked);
	if (r->n_rows && n == 1)
		fprintf(out, ": %smet\n", unmet ? "not " : "");
	else if (r->n_rows && unmet)
		fprintf(out, ": %u of %u not met\n", unmet, n);
	else if (r->n_rows && n)
		fputs(": all met\n", out);
	free(list);
}

json_t *limit_json(const struct result *r)
{
	struct limit_verdict *list;
	uint32_t n = limit_judge(r, &list);
	json_t *array = n ? json_array() : json_null();

	for (uint32_t i = 0; i < n; i++)
		json_array_append_new(
			array,
			json_pack("{s:s, s:f, s:s, s:o, s:o, s:o, s:b, s:o}",
				  "name", list[i].name, "asked", list[i].asked,
				  "unit", list[i].unit, "seen",
				  json_measured(list[i].seen), "size",
				  json_count(list[i].size), "qps",
				  json_count(list[i].qps), "met", list[i].met,
				  "reason", json_text(list[i].reason)));
	free(list);
	return array;
}
