#include "config.h"
#include "preflight/judge.h"

#include <stdio.h>
#include <string.h>

#include "preflight/check.h"

static struct ends make_ends(const struct plan *plan, const struct port *client,
			     const struct port *server,
			     const struct subnet *tcp)
{
	struct ends ends = {
		.plan = plan,
		.client = client,
		.server = server,
		.tcp = tcp,
	};

	ends.has_path = server && !path_choose(client, server, tcp, &ends.path,
					       &ends.no_path);
	return ends;
}

/* Check I in the order of execution and display; NULL after the last. */
static const struct check *nth_check(size_t i)
{
	if (i < n_port_checks)
		return &port_checks[i];
	i -= n_port_checks;
	if (i < n_path_checks)
		return &path_checks[i];
	i -= n_path_checks;
	return i < n_limit_checks ? &limit_checks[i] : NULL;
}

/* Advance to the next check that applies, from index I on; false after the
 * last. */
static bool next_check(struct ends *ends, size_t *i)
{
	for (;;) {
		ends->check = nth_check((*i)++);
		if (!ends->check)
			return false;
		if (!ends->check->applies || ends->check->applies(ends))
			return true;
	}
}

static int judge(const struct ends *ends, struct error *err)
{
	const struct check *check = ends->check;
	int ret = 0;

	if (check->refuse)
		ret = check->refuse(ends, true, err);
	if (!ret && check->refuse && ends->server)
		ret = check->refuse(ends, false, err);
	if (!ret && check->refuse_pair && ends->server)
		ret = check->refuse_pair(ends, err);
	return ret;
}

/* Append a sentence or advice, unless TEXT already contains it. */
static void append(char *text, size_t size, const char *more)
{
	size_t used = strlen(text);

	if (more[0] && !strstr(text, more))
		snprintf(text + used, size - used, "%s%s", used ? "; " : "",
			 more);
}

/* ERR is about the client; add what the same check says about the server. */
static void add_other_end(const struct ends *ends, struct error *err)
{
	struct error other = { 0 };

	if (!ends->check->refuse || !ends->server ||
	    !ends->check->refuse(ends, false, &other))
		return;
	append(err->message, sizeof(err->message), other.message);
	append(err->advice, sizeof(err->advice), other.advice);
}

static void fill_row(const struct ends *ends, struct preflight_row *row)
{
	const struct check *check = ends->check;

	error_stage(&row->error, "plan");
	if (check->show)
		check->show(ends, true, row->client);
	if (check->show && ends->server)
		check->show(ends, false, row->server);
	if (check->needed)
		preflight_print(row->needed, "%s", check->needed);
	else if (check->need)
		check->need(ends, row->needed);
	if (judge(ends, &row->error)) {
		row->verdict = VERDICT_ERROR;
		add_other_end(ends, &row->error);
		return;
	}
	if (check->warn && ends->server)
		check->warn(ends, &row->error);
	if (error_is_set(&row->error))
		row->verdict = VERDICT_WARNING;
}

void preflight_run(const struct plan *plan, const struct port *client,
		   const struct port *server, const struct subnet *tcp,
		   struct preflight *preflight)
{
	struct ends ends = make_ends(plan, client, server, tcp);
	size_t i = 0;

	preflight->n = 0;
	while (next_check(&ends, &i))
		fill_row(&ends, preflight_row(preflight, ends.check->label));
}

int preflight_judge(const struct plan *plan, const struct port *client,
		    const struct port *server, struct error *err)
{
	static const struct subnet nowhere = { 0 };
	struct ends ends = make_ends(plan, client, server, &nowhere);
	size_t i = 0;
	int ret = 0;

	while (!ret && next_check(&ends, &i))
		ret = judge(&ends, err);
	return ret;
}
