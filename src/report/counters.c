/* What the counters of both ends did, as text and as JSON. */
#include "config.h"
#include "report/parts.h"

#include <inttypes.h>
#include <string.h>

#include "base/log.h"
#include "base/numbers.h"
#include "report/json_value.h"
#include "report/report.h"

/* Width of a name in the table of values, and of a value. */
#define NAME_WIDTH 40
#define VALUE_WIDTH 16

static const char *const ends[] = { "server", "client" };

/* The row of a counter that rose, if it indicates trouble or congestion; else
 * NULL. */
static const struct counter_row *risen_row(const struct counter *counter)
{
	const struct counter_row *row;

	if (!counter->known || !counter->value)
		return NULL;
	row = counter_row(counter->name);
	return row && row->kind != COUNTER_TRAFFIC ? row : NULL;
}

static json_t *value_of(const struct counter *counter)
{
	return counter && counter->known ? json_count(counter->value) :
					   json_null();
}

/* A chosen name is in the object even if the end has no such counter. */
static json_t *chosen_values(const struct counter_choice *choice,
			     const struct counters *counters)
{
	char name[COUNTER_NAME_SIZE];
	json_t *object = json_object();

	for (const char *rest = choice->names; counter_next_name(&rest, name);)
		json_put(object, name, value_of(counters_find(counters, name)));
	return object;
}

static json_t *values(const struct counter_choice *choice,
		      const struct counters *counters)
{
	json_t *object = json_object();

	for (uint32_t i = 0; i < counters->n; i++)
		if (counter_is_shown(choice, counters->list[i].name))
			json_put(object, counters->list[i].name,
				 value_of(&counters->list[i]));
	return object;
}

/* The counters of one end; null if none could be read. */
static json_t *end_json(const struct counter_choice *choice,
			const struct counters *counters)
{
	if (!counters->n)
		return json_null();
	return json_pack("{s:f, s:o}", "seconds", (double)counters->ns / 1e9,
			 "values", choice->names ?
					   chosen_values(choice, counters) :
					   values(choice, counters));
}

static json_t *rose_json(const struct result_row *row)
{
	json_t *array = json_array();

	for (int client = 1; client >= 0; client--)
		for (uint32_t i = 0; i < row->at[client].counters.n; i++) {
			const struct counter *counter =
				&row->at[client].counters.list[i];
			const struct counter_row *about = risen_row(counter);

			if (!about)
				continue;
			json_add(array,
				 json_pack("{s:s, s:s, s:o, s:s, s:s, s:s}",
					   "end", ends[client], "counter",
					   counter->name, "value",
					   json_count(counter->value), "kind",
					   counter_kind_names[about->kind],
					   "meaning", about->meaning, "advice",
					   about->advice));
		}
	return array;
}

json_t *counters_json(const struct parameters *params,
		      const struct result_row *row)
{
	const struct counter_choice *choice = &params->plan.counters;

	if (choice->shown == COUNTERS_NONE)
		return json_null();
	return json_pack("{s:o, s:o, s:o}", "client",
			 end_json(choice, &row->at[1].counters), "server",
			 end_json(choice, &row->at[0].counters), "rose",
			 rose_json(row));
}

/* The size that failed before anything was measured, as a row with nothing but
 * what this end counted, which belongs to R; no counters: there is none. */
static struct result_row unmeasured_row(const struct result *r)
{
	struct result_row row = { 0 };

	if (!r->unmeasured.n)
		return row;
	row.size = r->params.plan.sizes.bytes[r->n_rows];
	row.at[!r->at_server].counters = r->unmeasured;
	return row;
}

json_t *counters_unmeasured_json(const struct result *r)
{
	const struct result_row row = unmeasured_row(r);

	return r->unmeasured.n ? json_pack("{s:o, s:o}", "size",
					   json_count(row.size), "counters",
					   counters_json(&r->params, &row)) :
				 json_null();
}

/* A counter that rose, over all sizes. */
struct risen {
	const char *name;
	const struct counter_row *about;
	bool client;
	uint64_t total;		/* UINT64_MAX: as much or more */
	uint64_t most;		/* at one size */
	uint64_t size;		/* that one */
};

/* More lines would not be read. */
#define RISEN_MAX 64

struct risen_list {
	uint32_t n;
	uint32_t left_out;
	struct risen list[RISEN_MAX];
};

static struct risen *place_of(struct risen_list *risen, const char *name,
			      bool client)
{
	for (uint32_t i = 0; i < risen->n; i++)
		if (risen->list[i].client == client &&
		    !strcmp(risen->list[i].name, name))
			return &risen->list[i];
	if (risen->n == RISEN_MAX)
		return NULL;
	risen->list[risen->n].name = name;
	risen->list[risen->n].client = client;
	return &risen->list[risen->n++];
}

static void add_risen(struct risen_list *risen, const struct counter *counter,
		      const struct counter_row *about, bool client,
		      uint64_t size)
{
	struct risen *one = place_of(risen, counter->name, client);

	if (!one) {
		risen->left_out++;
		return;
	}
	one->about = about;
	one->total += smaller(counter->value, UINT64_MAX - one->total);
	if (counter->value <= one->most)
		return;
	one->most = counter->value;
	one->size = size;
}

bool counters_are_shared(const struct result *r)
{
	if (strcmp(r->client.hostname, r->server.hostname) != 0 ||
	    strcmp(r->client.device, r->server.device) != 0 ||
	    r->client.number != r->server.number)
		return false;
	return r->path.global ? !memcmp(r->path.local.raw.raw,
					r->path.remote.raw.raw, 16) :
				r->client.lid == r->server.lid;
}

static void find_in(const struct counters *of, bool client, uint64_t size,
		    struct risen_list *risen)
{
	for (uint32_t k = 0; k < of->n; k++) {
		const struct counter_row *about = risen_row(&of->list[k]);

		if (about)
			add_risen(risen, &of->list[k], about, client, size);
	}
}

static void find_risen(const struct result *r, bool client,
		       struct risen_list *risen)
{
	const struct result_row rest = unmeasured_row(r);

	for (uint32_t i = 0; i < r->n_rows; i++)
		find_in(&r->rows[i].at[client].counters, client,
			r->rows[i].size, risen);
	find_in(&rest.at[client].counters, client, rest.size, risen);
}

static void print_risen(FILE *out, const struct result *r,
			const struct risen *risen)
{
	fprintf(out, "%s: %s rose by %" PRIu64,
		counters_are_shared(r) ? "both ends, on one port" :
				 ends[risen->client], risen->name,
		risen->total);
	if (risen->most < risen->total)
		fprintf(out, ", most at size %" PRIu64, risen->size);
	else if (r->n_rows + (r->unmeasured.n > 0) > 1)
		fprintf(out, " at size %" PRIu64, risen->size);
	fprintf(out, ": %s; %s", risen->about->meaning, risen->about->advice);
}

/* True when a counter of an end was read, at any size. */
static bool has_counters(const struct result *r, bool client)
{
	for (uint32_t i = 0; i < r->n_rows; i++)
		if (r->rows[i].at[client].counters.n)
			return true;
	return client == !r->at_server && r->unmeasured.n;
}

static void find_all_risen(const struct result *r, struct risen_list *risen)
{
	*risen = (struct risen_list){ 0 };
	if (r->params.plan.counters.shown == COUNTERS_NONE)
		return;
	find_risen(r, true, risen);
	if (!counters_are_shared(r) || !has_counters(r, true))
		find_risen(r, false, risen);
}

static bool prints_all(const struct result *r)
{
	return r->params.plan.counters.given || r->params.verbose;
}

uint32_t counters_risen(const struct result *r, enum counter_kind kind,
			FILE *out)
{
	const struct risen *first = NULL;
	struct risen_list risen;
	uint32_t n = 0;

	if (prints_all(r))
		return 0;
	find_all_risen(r, &risen);
	for (uint32_t i = risen.n; i--;)
		if (risen.list[i].about->kind == kind) {
			first = &risen.list[i];
			n++;
		}
	if (out && first)
		print_risen(out, r, first);
	return n;
}

static void print_all_risen(FILE *out, const struct result *r,
			    const struct risen_list *risen)
{
	static const enum counter_kind order[] = { COUNTER_TROUBLE,
						   COUNTER_CONGESTION };

	for (size_t k = 0; k < sizeof(order) / sizeof(*order); k++)
		for (uint32_t i = 0; i < risen->n; i++) {
			if (risen->list[i].about->kind != order[k])
				continue;
			fputs(" ", out);
			print_risen(out, r, &risen->list[i]);
			fputs("\n", out);
		}
	if (risen->left_out)
		fputs(" more counters rose; --json has all of them\n", out);
}

/* Print, for a user who asked, why there is no line above. */
static void print_nothing(FILE *out, const struct result *r, bool rose)
{
	const bool known[] = { has_counters(r, false), has_counters(r, true) };

	if (!known[0] && !known[1]) {
		fputs(" counters: none can be read at either end\n", out);
		return;
	}
	if (!rose)
		fprintf(out, " counters: none that indicates trouble or "
			"congestion rose at %s\n",
			known[0] && known[1] ? "either end" :
			known[1] ? "the client" : "the server");
	if (!known[0] || !known[1])
		fprintf(out, " counters: none can be read at the %s\n",
			ends[!known[1]]);
}

static void print_value(FILE *out, const struct counter *counter)
{
	if (counter && counter->known)
		fprintf(out, " %*" PRIu64, VALUE_WIDTH, counter->value);
	else
		fprintf(out, " %*s", VALUE_WIDTH, "-");
}

/* Print one line of the table of values, unless it has no value. */
static void print_values(FILE *out, const struct result_row *row,
			 const char *name, bool if_zero)
{
	const struct end_measured *at = row->at;
	const struct counter *client = counters_find(&at[1].counters, name);
	const struct counter *server = counters_find(&at[0].counters, name);

	if (!if_zero && !(client && client->value) &&
	    !(server && server->value))
		return;
	fprintf(out, "   %-*s", NAME_WIDTH, name);
	print_value(out, client);
	print_value(out, server);
	fputs("\n", out);
}

/* Print all counters that rose: the client's in their order, and among them, in
 * theirs, those that only the server has. */
static void print_all_values(FILE *out, const struct result_row *row)
{
	const struct counters *client = &row->at[1].counters;
	const struct counters *server = &row->at[0].counters;
	uint32_t c = 0, s = 0;

	while (c < client->n || s < server->n) {
		int order = c == client->n ? 1 :
			    s == server->n ? -1 :
			    strcmp(client->list[c].name, server->list[s].name);
		const char *name = order > 0 ? server->list[s].name :
					       client->list[c].name;

		print_values(out, row, name, false);
		c += order <= 0;
		s += order >= 0;
	}
}

static void print_chosen(FILE *out, const struct result *r,
			 const struct result_row *row)
{
	const struct counter_choice *choice = &r->params.plan.counters;
	char name[COUNTER_NAME_SIZE], heading[NAME_WIDTH + 1] = "counter";

	if (!row->at[0].counters.n && !row->at[1].counters.n)
		return;
	if (r->n_rows + (r->unmeasured.n > 0) > 1)
		snprintf(heading, sizeof(heading), "counter, size %" PRIu64,
			 row->size);
	fprintf(out, "   %-*s %*s %*s\n", NAME_WIDTH, heading, VALUE_WIDTH,
		"client", VALUE_WIDTH, "server");
	if (!choice->names)
		print_all_values(out, row);
	for (const char *rest = choice->names; counter_next_name(&rest, name);)
		print_values(out, row, name, true);
}

void counters_print(FILE *out, const struct result *r)
{
	const struct counter_choice *choice = &r->params.plan.counters;
	const struct result_row rest = unmeasured_row(r);
	struct risen_list risen;

	if (choice->shown == COUNTERS_NONE || !prints_all(r) ||
	    (!r->n_rows && !r->unmeasured.n))
		return;
	find_all_risen(r, &risen);
	print_all_risen(out, r, &risen);
	if (choice->given)
		print_nothing(out, r, risen.n);
	if (choice->shown != COUNTERS_ALL)
		return;
	for (uint32_t i = 0; i < r->n_rows; i++)
		print_chosen(out, r, &r->rows[i]);
	print_chosen(out, r, &rest);
}

/* What this end's command line asks for, under perftest's names: the plan has
 * the client's choice, and ignored_options the server's. */
static const struct counter_choice *own_choice(const struct result *r)
{
	const struct ignored_options *options = r->params.ignored_options;

	return options ? &options->plan.counters : &r->params.plan.counters;
}

/* True when this end or, with BOTH, either end has the counter NAME at any
 * size. */
static bool is_known(const struct result *r, const char *name, bool both)
{
	for (uint32_t i = 0; i < r->n_rows; i++)
		for (int client = 0; client < 2; client++)
			if ((both || client == !r->at_server) &&
			    counters_find(&r->rows[i].at[client].counters,
					  name))
				return true;
	return false;
}

/* Under perftest's names an end shows only its own counters. */
void report_counters(const struct result *r)
{
	const bool both = !r->params.perftest;
	const char *rest = r->n_rows ? own_choice(r)->names : NULL;
	char name[COUNTER_NAME_SIZE];

	while (counter_next_name(&rest, name))
		if (!is_known(r, name, both))
			log_warning("no counter '%s' at %s", name,
				    both ? "either end" : "this end");
}

void counters_print_perftest(FILE *out, const struct result *r,
			     const struct result_row *row)
{
	const struct counters *mine = &row->at[!r->at_server].counters;
	const char *shown = own_choice(r)->names, *rest = shown;
	char name[COUNTER_NAME_SIZE];

	if (!shown)
		return;
	for (; counter_next_name(&rest, name); shown = rest) {
		const struct counter *counter = counters_find(mine, name);

		fprintf(out, "\t%.*s=", (int)strcspn(shown, ","), shown);
		if (counter && counter->known)
			fprintf(out, "%" PRIu64 "\n", counter->value);
		else
			fputs("-\n", out);
	}
	fputs("\n", out);
}
