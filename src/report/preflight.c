/* Prints the findings of --check, as a table and as JSON. */
#include "config.h"
#include "report/parts.h"

#include <errno.h>
#include <string.h>

#include "base/log.h"
#include "model/plan.h"
#include "report/json_value.h"
#include "report/report.h"

enum { COLUMNS = 4 };

/* The cells of a row or of the headings; for an end alone there are fewer. */
struct line {
	const char *cell[COLUMNS];
};

static struct line row_line(const struct preflight *preflight,
			    const struct preflight_row *row)
{
	if (preflight->alone)
		return (struct line){ { row->check, row->client, row->needed,
					"" } };
	return (struct line){ { row->check, row->client, row->server,
				row->needed } };
}

/* A problem known from a refusal, without values to compare. */
static bool is_empty(const struct preflight_row *row)
{
	return !row->client[0] && !row->server[0] && !row->needed[0];
}

static void widen(const struct line *line, size_t width[COLUMNS])
{
	for (int i = 0; i < COLUMNS; i++)
		if (strlen(line->cell[i]) > width[i])
			width[i] = strlen(line->cell[i]);
}

static char mark(enum verdict verdict)
{
	static const char marks[] = {
		[VERDICT_OK] = ' ', [VERDICT_WARNING] = '!',
		[VERDICT_ERROR] = 'X',
	};

	return marks[verdict];
}

static void print_line(FILE *out, char first, const struct line *line,
		       const size_t width[COLUMNS])
{
	int last = COLUMNS - 1;

	while (last > 0 && !line->cell[last][0])
		last--;
	fprintf(out, "%c", first);
	for (int i = 0; i <= last; i++)
		fprintf(out, i ? "  %-*s" : " %-*s",
			i < last ? (int)width[i] : 0,
			line->cell[i][0] ? line->cell[i] : "-");
	fputs("\n", out);
}

static void print_table(FILE *out, const struct preflight *preflight)
{
	static const struct line heads[] = {
		{ { "check", "client", "server", "needed" } },
		{ { "check", "this host", "needed", "" } },
	};
	const struct line head = heads[preflight->alone];
	size_t width[COLUMNS] = { 0 };
	struct line line;

	widen(&head, width);
	for (uint32_t i = 0; i < preflight->n; i++) {
		line = row_line(preflight, &preflight->rows[i]);
		if (!is_empty(&preflight->rows[i]))
			widen(&line, width);
	}
	print_line(out, ' ', &head, width);
	for (uint32_t i = 0; i < preflight->n; i++) {
		line = row_line(preflight, &preflight->rows[i]);
		if (!is_empty(&preflight->rows[i]))
			print_line(out, mark(preflight->rows[i].verdict),
				   &line, width);
	}
}

static void print_findings(FILE *out, const struct preflight *preflight,
			   enum verdict verdict)
{
	for (uint32_t i = 0; i < preflight->n; i++) {
		const struct preflight_row *row = &preflight->rows[i];

		if (row->verdict != verdict)
			continue;
		fprintf(out, "%c %s: %s\n", mark(verdict), row->check,
			row->error.message);
		if (row->cost)
			fprintf(out, "  costs: %s\n", row->cost);
		if (row->error.advice[0])
			fprintf(out, "  -> %s\n", row->error.advice);
	}
}

const char *preflight_verdict(const struct preflight *preflight,
			      char text[PREFLIGHT_VERDICT_SIZE])
{
	uint32_t problems = preflight_count(preflight, VERDICT_ERROR);
	uint32_t warnings = preflight_count(preflight, VERDICT_WARNING);
	char count[40] = "", more[32] = "";

	if (problems)
		snprintf(count, sizeof(count), "not run%s: %u problem%s",
			 preflight->alone ? " tests" : "", problems,
			 problems == 1 ? "" : "s");
	if (warnings)
		snprintf(more, sizeof(more), ", %u warning%s", warnings,
			 warnings == 1 ? "" : "s");
	snprintf(text, PREFLIGHT_VERDICT_SIZE, "this %s can%s%s",
		 preflight->alone ? "host" : "test",
		 problems	  ? count :
		 preflight->alone ? " run tests" : " run", more);
	return text;
}

void report_problems(const struct result *r)
{
	char text[PREFLIGHT_VERDICT_SIZE];
	struct error verdict = { 0 };

	if (!preflight_count(r->preflight, VERDICT_ERROR))
		return;
	fail(&verdict, -EINVAL, NULL, "%s",
	     preflight_verdict(r->preflight, text));
	log_error(&verdict);
}

void preflight_text(FILE *out, const struct result *r)
{
	const struct plan *plan = &r->params.plan;
	char verdict[PREFLIGHT_VERDICT_SIZE];

	if (r->alone)
		facts_print(out, &r->client.facts);
	else
		fprintf(out, "  %s: %s, %u QP%s, checked only\n",
			test_name_of(plan),
			transport_table[plan->transport].name, plan->qps,
			plan->qps == 1 ? "" : "s");
	print_table(out, r->preflight);
	print_findings(out, r->preflight, VERDICT_ERROR);
	print_findings(out, r->preflight, VERDICT_WARNING);
	if (!preflight_count(r->preflight, VERDICT_ERROR))
		fprintf(out, "%s\n", preflight_verdict(r->preflight, verdict));
}

static json_t *row_json(const struct preflight_row *row)
{
	return json_pack("{s:s, s:o, s:o, s:o, s:s, s:o, s:o, s:o}", "check",
			 row->check, "client", json_text(row->client),
			 "server", json_text(row->server), "needed",
			 json_text(row->needed), "verdict",
			 verdict_names[row->verdict], "message",
			 json_text(row->error.message), "cost",
			 json_text(row->cost), "advice",
			 json_text(row->error.advice));
}

json_t *preflight_json(const struct preflight *preflight)
{
	json_t *array = preflight ? json_array() : json_null();

	for (uint32_t i = 0; preflight && i < preflight->n; i++)
		json_add(array, row_json(&preflight->rows[i]));
	return array;
}
