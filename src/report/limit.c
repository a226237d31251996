/* Reports which limits were met and which were not, as text and as JSON. */
#include "config.h"
#include "report/parts.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "model/limit.h"
#include "report/json_value.h"
#include "report/report.h"

#define NUMBER_SIZE 40
#define LIMIT_SIZE 120
#define PLACE_SIZE 96

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

/* "--max-p99 20", "--min-gbps 90%" or "--max-counter link_downed=0". */
static const char *format_limit(const struct limit_verdict *v,
				char text[LIMIT_SIZE])
{
	const bool percent = !isnan(v->percent);

	snprintf(text, LIMIT_SIZE, "--%s %s%s%.15g%s", v->name,
		 v->counter ? v->counter : "", v->counter ? "=" : "",
		 percent ? v->percent : v->asked, percent ? "%" : "");
	return text;
}

/* The same and, of a percentage, what it is at the size of V. */
static const char *format_asked(const struct limit_verdict *v,
				char text[LIMIT_SIZE])
{
	size_t length = strlen(format_limit(v, text));

	if (!isnan(v->percent) && !isnan(v->asked))
		snprintf(text + length, LIMIT_SIZE - length, " (%.6g Gb/s)",
			 v->asked);
	return text;
}

static bool is_same_limit(const struct limit_verdict *a,
			  const struct limit_verdict *b)
{
	return a->name == b->name && a->counter == b->counter;
}

/* " at size 64 on 2 QPs", and which interval; a test of the control path has no
 * queue pairs, and may have no size. */
static const char *format_place(const struct limit_verdict *v,
				char text[PLACE_SIZE])
{
	const unsigned long long size = v->size;
	size_t length;

	if (v->qps)
		snprintf(text, PLACE_SIZE, " at size %llu on %u QP%s", size,
			 v->qps, v->qps == 1 ? "" : "s");
	else if (size)
		snprintf(text, PLACE_SIZE, " at size %llu", size);
	else
		text[0] = '\0';
	length = strlen(text);
	if (v->interval)
		snprintf(text + length, PLACE_SIZE - length,
			 ", in the interval %.3f-%.3f s",
			 (double)v->interval->start_ns / 1e9,
			 (double)(v->interval->start_ns +
				  v->interval->length_ns) / 1e9);
	return text;
}

/* What else happened in the interval of V, on the heap; NULL: not known. */
static char *get_meanwhile(const struct limit_verdict *v)
{
	return v->met || !v->interval ?
		       NULL : timeline_describe(v->timeline, v->interval);
}

static void say_unmet(const struct limit_verdict *v)
{
	char seen[NUMBER_SIZE], limit[LIMIT_SIZE], place[PLACE_SIZE];
	char *meanwhile = get_meanwhile(v);

	format_place(v, place);
	if (v->reason[0])
		log_info("limit not met: %s: cannot be judged%s: %s",
			 format_limit(v, limit), place, v->reason);
	else
		log_info("limit not met: %s: %s%s%s%s%s%s",
			 format_asked(v, limit), format_seen(v, seen),
			 strchr("%", v->unit[0]) ? "" : " ", v->unit,
			 v->end ? " at the " : "", v->end ? v->end : "",
			 place);
	if (meanwhile)
		log_info("meanwhile, at the client: %s", meanwhile);
	free(meanwhile);
}

/* One sentence for all sizes that the run never reached: they may be many. */
static void say_unreached(const struct limit_verdict *v, uint32_t sizes)
{
	const char *on = v->qps == 1 ? " QP" : " QPs";
	char limit[LIMIT_SIZE], qps[24] = "";

	if (sizes == 1) {
		say_unmet(v);
		return;
	}
	if (v->qps)
		snprintf(qps, sizeof(qps), " on %u%s", v->qps, on);
	log_info("limit not met: %s: cannot be judged at size %llu and %u "
		 "more%s: the run ended before them", format_limit(v, limit),
		 (unsigned long long)v->size, sizes - 1, qps);
}

void report_limits(const struct result *r)
{
	struct limit_verdict *list;
	uint32_t unreached, n = limit_judge(r, &list);

	for (uint32_t i = 0; i < n; i += unreached ? unreached : 1) {
		unreached = 0;
		while (i + unreached < n && !list[i + unreached].reached &&
		       is_same_limit(&list[i + unreached], &list[i]))
			unreached++;
		if (unreached)
			say_unreached(&list[i], unreached);
		else if (!list[i].met)
			say_unmet(&list[i]);
	}
	free(list);
}

void limit_print(FILE *out, const struct result *r)
{
	struct limit_verdict *list;
	uint32_t n = limit_judge(r, &list);
	uint32_t unmet = limit_count_unmet(list, n);
	char limit[LIMIT_SIZE];

	for (uint32_t i = 0; r->n_rows && i < n; i++)
		if (!i || !is_same_limit(&list[i], &list[i - 1]))
			fprintf(out, "%s %s", i ? "," : " limits:",
				n == 1 ? format_asked(&list[i], limit) :
					 format_limit(&list[i], limit));
	if (r->n_rows && n == 1)
		fprintf(out, ": %smet\n", unmet ? "not " : "");
	else if (r->n_rows && unmet)
		fprintf(out, ": %u of %u not met\n", unmet, n);
	else if (r->n_rows && n)
		fputs(": all met\n", out);
	free(list);
}

static json_t *verdict_json(const struct plan *plan,
			    const struct limit_verdict *v)
{
	char *meanwhile = get_meanwhile(v);
	json_t *json = json_pack(
		"{s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:b, "
		"s:o}",
		"name", v->name, "counter", json_text(v->counter),
		"percent", json_measured(v->percent),
		"asked", json_measured(v->asked), "unit", json_text(v->unit),
		"seen", json_measured(v->seen), "end", json_text(v->end),
		"interval", v->interval ?
			json_interval(plan, v->interval, v->size) :
			json_null(),
		"meanwhile", json_text(meanwhile),
		"size", json_size(plan, v->size), "qps", json_qps(plan),
		"met", v->met, "reason", json_text(v->reason));

	free(meanwhile);
	return json;
}

json_t *limit_json(const struct result *r)
{
	struct limit_verdict *list;
	uint32_t n = limit_judge(r, &list);
	json_t *array = n ? json_array() : json_null();

	for (uint32_t i = 0; i < n; i++)
		json_add(array, verdict_json(&r->params.plan, &list[i]));
	free(list);
	return array;
}
