/* A row of a test of the control path as a table and as JSON. */
#include "config.h"
#include "report/parts.h"

#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/numbers.h"
#include "base/units.h"
#include "report/json_value.h"
#include "report/stream.h"

/* Width of a latency and of its name; most names are shorter. */
#define NAME_WIDTH 14
/* Least width of the time of a part. */
#define PART_WIDTH 9

struct column {
	const char *heading;
	size_t offset;		/* of a double in struct latency_summary */
};

#define OF(field) offsetof(struct latency_summary, field)

static const struct column columns[] = {
	{ "t_min[us]", OF(min) },
	{ "t_typical[us]", OF(p50) },
	{ "t_avg[us]", OF(mean) },
	{ "99%[us]", OF(p99) },
	{ "99.9%[us]", OF(p99_9) },
	{ "t_max[us]", OF(max) },
};

#define COLUMNS (sizeof(columns) / sizeof(*columns))

static int width_of(const struct column *c)
{
	return (int)larger(strlen(c->heading), 10);
}

static void print_number(FILE *out, int width, double value)
{
	if (!isfinite(value))
		fprintf(out, " %*s", width, "-");
	else if (value < 0.1)
		fprintf(out, " %*.3g", width, value);
	else
		fprintf(out, " %*.*f", width, value < 1000 ? 2 : 1, value);
}

static void print_summary(FILE *out, const struct latency_summary *l)
{
	for (size_t i = 0; i < COLUMNS; i++)
		print_number(out, width_of(&columns[i]),
			     *(const double *)((const char *)l +
					       columns[i].offset));
	fputs("\n", out);
}

static void print_head(FILE *out, const struct result *r)
{
	const struct plan *plan = &r->params.plan;
	const struct control_info *test = &control_table[plan->control];

	fprintf(out, " %s: %s, %u thread%s", test->name,
		control_pattern_names[r->params.pattern], plan->threads,
		plan->threads == 1 ? "" : "s");
	if (test->transports)
		fprintf(out, ", %s", transport_table[plan->transport].name);
	if (plan->odp)
		fputs(", on-demand paging", out);
	if (plan->relaxed_ordering)
		fputs(", relaxed ordering", out);
	fputs("\n", out);
	head_print_ends(out, r);
	fprintf(out, " %-*s %12s", NAME_WIDTH, test->size ? "#bytes" : "",
		"#operations");
	for (size_t i = 0; i < COLUMNS; i++)
		fprintf(out, " %*s", width_of(&columns[i]), columns[i].heading);
	fputs("\n", out);
}

/* The parts of an operation, unless there is only one. */
static void print_parts(FILE *out, const struct control_row *c)
{
	for (uint32_t i = 0; i < c->n_parts && c->n_parts > 1; i++) {
		char name[40];

		snprintf(name, sizeof(name), "  %s%s", c->parts[i].name,
			 c->parts[i].aside ? "*" : "");
		fprintf(out, " %-*s %12" PRIu64, NAME_WIDTH, name,
			c->parts[i].latency.samples);
		print_summary(out, &c->parts[i].latency);
	}
}

/* Print the percentiles that --percentiles asks for, of the whole operation. */
static void print_percentiles(FILE *out, const struct result *r,
			      const struct result_row *row)
{
	const struct percentiles *list = &r->params.percentiles;
	char text[PERCENTILE_TEXT_SIZE];

	for (uint32_t i = 0; i < list->n; i++) {
		fprintf(out, "%s %s%%", i ? "," : "   percentiles [us]:",
			units_format_percentile(list->per_million[i], text));
		print_number(out, 0, row->percentiles[i]);
	}
	if (list->n)
		fputs("\n", out);
}

/* The columns of the parts are no wider than they must be: there may be many.
 */
static int width_of_part(const struct control_part *part)
{
	return (int)larger(strlen(part->name), PART_WIDTH);
}

/* Print what each part took, by how many objects there were. */
static void print_spans(FILE *out, const struct control_row *c)
{
	if (!c->n_spans)
		return;
	fputs("   existing already, and t_typical[us]:", out);
	for (uint32_t i = 0; i < c->n_parts; i++)
		fprintf(out, " %*s", width_of_part(&c->parts[i]),
			c->parts[i].name);
	fputs("\n", out);
	for (uint32_t s = 0; s < c->n_spans; s++) {
		const struct control_span *span = &c->spans[s];
		char text[48];

		snprintf(text, sizeof(text), "%" PRIu64 " to %" PRIu64,
			 span->from, span->to);
		fprintf(out, "   %-36s", text);
		for (uint32_t i = 0; i < c->n_parts; i++)
			print_number(out, width_of_part(&c->parts[i]),
				     span->parts[i].p50);
		fputs("\n", out);
	}
}

static void print_firmware(FILE *out, const struct control_commands *list)
{
	fputs("   firmware commands of an operation: ", out);
	if (!list->operations) {
		fprintf(out, "-%s%s%s\n", list->reason[0] ? " (" : "",
			list->reason, list->reason[0] ? ")" : "");
		return;
	}
	fprintf(out, "%.4g", control_per_operation(list, list->given));
	for (uint32_t i = 0; i < list->n; i++)
		fprintf(out, "%s%s %.4g", i ? ", " : " (", list->named[i].name,
			control_per_operation(list, list->named[i].n));
	fputs(list->n ? ")\n" : "\n", out);
}

/* Print what the time of an operation was used for. */
static void print_use(FILE *out, const struct control_row *c)
{
	const double rest = c->wall_ns - c->cpu_ns;

	fputs("   an operation:", out);
	print_number(out, 0, c->wall_ns / 1000);
	fputs(" us of its thread: processor", out);
	print_number(out, 0, c->cpu_ns / 1000);
	fputs(" (user", out);
	print_number(out, 0, c->user_ns / 1000);
	fputs(", system", out);
	print_number(out, 0, c->system_ns / 1000);
	fputs("), waiting", out);
	print_number(out, 0, isfinite(rest) ? fmax(rest, 0) / 1000 : NAN);
	fputs("\n", out);
	print_firmware(out, &c->firmware);
}

static void print_rate(FILE *out, const struct control_row *c)
{
	fputs("   rate:", out);
	if (isfinite(c->per_second))
		fprintf(out, " %.0f operations a second", c->per_second);
	else
		fputs(" -", out);
	if (isfinite(c->pinned_gb_per_s))
		fprintf(out, "; pinned: %.4g GB/s", c->pinned_gb_per_s);
	fputs("\n", out);
}

/* True for a row that failed at once: its error is printed elsewhere. */
static bool is_empty(const struct result_row *row)
{
	return row->failed && !row->total.iterations;
}

static bool shows(const struct result *r)
{
	if (r->preflight)
		return true;
	for (uint32_t i = 0; i < r->n_rows; i++)
		if (!is_empty(&r->rows[i]))
			return true;
	return false;
}

static void print_row(FILE *out, const struct result *r,
		      const struct result_row *row)
{
	const struct control_row *c = row->control;
	const bool sized = control_table[r->params.plan.control].size;
	char size[24] = "";

	if (sized)
		snprintf(size, sizeof(size), "%" PRIu64, row->size);
	if (is_empty(row))
		return;
	fprintf(out, " %-*s %12" PRIu64, NAME_WIDTH, size,
		row->total.iterations);
	print_summary(out, &row->latency);
	print_parts(out, c);
	print_percentiles(out, r, row);
	print_rate(out, c);
	if (!r->at_server)
		print_use(out, c);
	print_spans(out, c);
	if (error_is_set(&c->limit))
		fprintf(out, "   limit reached with %" PRIu64 ": %s\n", c->most,
			c->limit.message);
	if (error_is_set(&c->limit) && c->limit.advice[0])
		fprintf(out, "     %s\n", c->limit.advice);
	if (row->failed)
		fputs("   failed: what was measured until then\n", out);
}

static bool has_aside(const struct result *r)
{
	const struct control_row *c = r->rows[0].control;

	for (uint32_t i = 0; i < c->n_parts; i++)
		if (c->parts[i].aside)
			return true;
	return false;
}

static void print_tail(FILE *out, const struct result *r)
{
	if (!r->n_rows)
		return;
	if (r->params.verbose && !r->at_server)
		fprintf(out, " %s, after %.3g s of warm-up; clock %s: "
			"resolution %.3g ns, one read %.3g ns\n",
			result_latency_definition(&r->params.plan),
			(double)r->params.plan.warmup / 1e9, r->clock.source,
			r->clock.resolution_ns, r->clock.read_cost_ns);
	if (has_aside(r))
		fputs(" *: not in the line above\n", out);
	caveats_print(out, r);
	limit_print(out, r);
	charts_print(out, r, r->clock.resolution_ns);
}

const struct row_format control_format = {
	.table = true,
	.shows = shows,
	.head = print_head,
	.row = print_row,
	.tail = print_tail,
};

static json_t *summary(const struct latency_summary *l)
{
	json_t *object = json_object();

	json_set_summary(object, l);
	return object;
}

static json_t *parts(const struct control_row *c)
{
	json_t *array = json_array();

	for (uint32_t i = 0; i < c->n_parts; i++) {
		json_t *part = summary(&c->parts[i].latency);

		json_put(part, "name", json_string(c->parts[i].name));
		json_put(part, "in_latency", json_boolean(!c->parts[i].aside));
		json_add(array, part);
	}
	return array;
}

/* The summaries of a span, by the names of the parts. */
static json_t *parts_of_span(const struct control_row *c,
			     const struct control_span *span)
{
	json_t *object = json_object();

	for (uint32_t i = 0; i < c->n_parts; i++)
		json_put(object, c->parts[i].name, summary(&span->parts[i]));
	return object;
}

static json_t *spans(const struct control_row *c)
{
	json_t *array = c->n_spans ? json_array() : json_null();

	for (uint32_t i = 0; i < c->n_spans; i++)
		json_add(array,
			 json_pack("{s:o, s:o, s:o, s:o}", "from",
				   json_count(c->spans[i].from), "to",
				   json_count(c->spans[i].to), "latency",
				   summary(&c->spans[i].latency), "parts",
				   parts_of_span(c, &c->spans[i])));
	return array;
}

/* What the time of one operation was used for. */
static json_t *use(const struct control_row *c)
{
	/* rounding must not make the rest negative */
	const double rest = fmax(c->wall_ns - c->cpu_ns, 0);
	const bool known = isfinite(c->cpu_ns);

	return json_pack("{s:o, s:o, s:o, s:o, s:o}", "wall_ns",
			 json_measured(c->wall_ns), "cpu_ns",
			 json_measured(c->cpu_ns), "user_ns",
			 json_measured(c->user_ns), "system_ns",
			 json_measured(c->system_ns), "waiting_ns",
			 json_measured(known ? rest : NAN));
}

static json_t *firmware_commands(const struct control_commands *list)
{
	json_t *names = json_object();
	double ns = list->ns ? (double)list->ns / (double)list->given : NAN;

	if (!list->operations) {
		json_decref(names);
		return json_null();
	}
	for (uint32_t i = 0; i < list->n; i++)
		json_put(names, list->named[i].name,
			 json_real(control_per_operation(
				 list, list->named[i].n)));
	return json_pack("{s:f, s:o, s:o, s:o}", "per_operation",
			 control_per_operation(list, list->given),
			 "operations", json_count(list->operations),
			 "mean_ns", json_measured(ns), "names", names);
}

json_t *control_json(const struct parameters *params,
		     const struct result_row *row)
{
	const struct control_row *c = row->control;
	json_t *limit;

	if (!c)
		return json_null();
	limit = json_error(&c->limit);
	json_object_del(limit, "stage");
	return json_pack(
		"{s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}",
		"pattern", control_pattern_names[params->pattern],
		"most", json_count(c->most),
		"per_second", json_measured(c->per_second),
		"pinned_gb_per_s", json_measured(c->pinned_gb_per_s),
		"parts", parts(c), "existing", spans(c), "time", use(c),
		"firmware_commands", firmware_commands(&c->firmware),
		"limit", limit);
}
