/* Runs the tables of checks on both ends, and judges whether a test can run. */
#include "config.h"
#include "preflight/judge.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "preflight/check.h"

#define CLIENTS "the client's"
#define SERVERS "the server's"

void preflight_print(char text[PREFLIGHT_CELL], const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, PREFLIGHT_CELL, fmt, ap);
	va_end(ap);
}

/* ALONE: there is no server. */
static void set_ends(const struct plan *plan, const struct port *client,
		     const struct port *server, const struct ways *ways,
		     bool alone, struct ends *ends)
{
	*ends = (struct ends){
		.plan = plan,
		.client = client,
		.server = server,
		.alone = alone,
		.ways = ways,
	};
	ends->has_path = server && !path_choose(client, server, ways,
						&ends->path, &ends->no_path);
	ends->end[true] = (struct end){
		.ends = ends, .plan = plan, .port = client,
		.facts = &client->facts, .gid = &ends->path.local,
		.client = true, .name = "client",
		.whose = alone ? "this host's" : CLIENTS,
	};
	ends->end[false] = (struct end){
		.ends = ends, .plan = plan, .port = server,
		.facts = server ? &server->facts : NULL,
		.gid = &ends->path.remote,
		.name = "server", .whose = SERVERS,
	};
}

/* In the order of execution and display. */
static const struct {
	const struct check *checks;
	bool alone; /* also if there is one end only */
} groups[] = {
	{ port_checks, true }, { path_checks, false },
	{ limit_checks, false }, { host_checks, true },
	{ pcie_checks, true }, { network_checks, true },
};

/* Check I of those for ENDS; NULL after the last. */
static const struct check *nth_check(const struct ends *ends, size_t i)
{
	for (size_t g = 0; g < sizeof(groups) / sizeof(*groups); g++) {
		if (ends->alone && !groups[g].alone)
			continue;
		for (const struct check *c = groups[g].checks; c->label; c++)
			if (!i--)
				return c;
	}
	return NULL;
}

/* True when END knows the fact that the current check is about. */
static bool knows(const struct end *end)
{
	const enum fact fact = end->ends->check->fact;

	return !fact || facts_known(end->facts, fact);
}

static bool applies_to(const struct end *end)
{
	const struct check *check = end->ends->check;
	const char *option = (const char *)end->plan + check->option;

	return (!check->option || *(const bool *)option) && knows(end) &&
	       (!check->applies || check->applies(end));
}

/* True when the current check applies to an end that is known. */
static bool applies(const struct ends *ends)
{
	return applies_to(&ends->end[true]) ||
	       (ends->server && applies_to(&ends->end[false]));
}

/* Advance to the next check that applies, from index I on; false after the
 * last. */
static bool next_check(struct ends *ends, size_t *i)
{
	do {
		ends->check = nth_check(ends, (*i)++);
	} while (ends->check && !applies(ends));
	return ends->check;
}

static int refuse(const struct ends *ends, bool client, struct error *err)
{
	return ends->check->refuse ?
		       ends->check->refuse(&ends->end[client], err) : 0;
}

static int judge(const struct ends *ends, struct error *err)
{
	int ret = refuse(ends, true, err);

	if (!ret && ends->server)
		ret = refuse(ends, false, err);
	if (!ret && ends->check->refuse_pair && ends->server)
		ret = ends->check->refuse_pair(ends, err);
	return ret;
}

/* Append a sentence or advice, unless TEXT already contains it. */
static void append(char *text, size_t size, const char *more)
{
	if (more[0] && !strstr(text, more))
		text_append(text, size, "%s%s", *text ? "; " : "", more);
}

/* ERR is about the client; add what the same check says about the server. */
static void add_other_end(const struct ends *ends, struct error *err)
{
	struct error other = { 0 };

	if (!ends->server || !refuse(ends, false, &other))
		return;
	append(err->message, sizeof(err->message), other.message);
	append(err->advice, sizeof(err->advice), other.advice);
}

/* True if A of the client and B of the server say the same of both. */
static bool are_alike(const char *a, const char *b)
{
	const size_t mine = strlen(CLIENTS), theirs = strlen(SERVERS);

	return !strncmp(a, CLIENTS, mine) && !strncmp(b, SERVERS, theirs) &&
	       !strcmp(a + mine, b + theirs);
}

/* Add OTHER, found at the server, to ERR, found at the client. */
static void add_server(struct error *err, const struct error *other)
{
	static const char both[] = "both ends'";
	const size_t length = sizeof(both) - 1;
	const char *rest = err->message + strlen(CLIENTS);

	if (are_alike(err->message, other->message)) {
		memmove(err->message + length, rest, strlen(rest) + 1);
		memcpy(err->message, both, length);
	} else {
		append(err->message, sizeof(err->message), other->message);
	}
	append(err->advice, sizeof(err->advice), other->advice);
}

/* Put what the check finds at either end into ERR. */
static void inspect_both(const struct ends *ends, struct error *err)
{
	struct error other = { 0 };

	ends->check->inspect(&ends->end[true], err);
	if (!ends->server)
		return;
	error_stage(&other, err->stage);
	ends->check->inspect(&ends->end[false], &other);
	if (!error_is_set(err))
		*err = other;
	else if (error_is_set(&other))
		add_server(err, &other);
}

static void show(const struct end *end, char *text)
{
	const struct check *check = end->ends->check;

	if (check->show && knows(end))
		check->show(end, text);
	else if (check->fact)
		facts_format(end->facts, check->fact, text, PREFLIGHT_CELL);
}

static void show_cells(const struct ends *ends, struct preflight_row *row)
{
	const struct check *check = ends->check;

	show(&ends->end[true], row->client);
	if (ends->server)
		show(&ends->end[false], row->server);
	if (check->needed)
		preflight_print(row->needed, "%s", check->needed);
	else if (check->need)
		check->need(ends, row->needed);
}

static void fill_row(const struct ends *ends, struct preflight_row *row)
{
	const struct check *check = ends->check;

	error_stage(&row->error, "plan");
	show_cells(ends, row);
	if (judge(ends, &row->error)) {
		row->verdict = VERDICT_ERROR;
		add_other_end(ends, &row->error);
		return;
	}
	if (check->inspect)
		inspect_both(ends, &row->error);
	if (check->warn && ends->server && !error_is_set(&row->error))
		check->warn(ends, &row->error);
	if (!error_is_set(&row->error))
		return;
	row->verdict = check->wrong ? VERDICT_ERROR : VERDICT_WARNING;
	row->cost = check->cost;
}

void preflight_run(const struct plan *plan, const struct port *client,
		   const struct port *server, const struct ways *ways,
		   struct preflight *preflight)
{
	struct ends ends;
	size_t i = 0;

	set_ends(plan, client, server, ways, preflight->alone, &ends);
	preflight->n = 0;
	while (next_check(&ends, &i))
		fill_row(&ends, preflight_row(preflight, ends.check->label));
}

int preflight_judge(const struct plan *plan, const struct port *client,
		    const struct port *server, struct error *err)
{
	static const struct ways nowhere = { 0 };
	struct ends ends;
	size_t i = 0;
	int ret = 0;

	set_ends(plan, client, server, &nowhere, false, &ends);
	while (!ret && next_check(&ends, &i))
		ret = judge(&ends, err);
	return ret;
}

int plan_fit_client(const struct plan *plan, const struct port *port,
		    struct error *err)
{
	struct plan own = *plan;

	plan_choose_depth(&own, port, port);
	return preflight_judge(&own, port, NULL, err);
}

int plan_fit(struct plan *plan, const struct port *client,
	     const struct port *server, struct error *err)
{
	struct plan chosen = *plan;
	int ret = plan_check(plan, err);

	if (ret)
		return ret;
	plan_choose(&chosen, client, server);
	ret = preflight_judge(&chosen, client, server, err);
	if (!ret)
		*plan = chosen;
	return ret;
}
