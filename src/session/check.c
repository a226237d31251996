/* The steps of --check in the dialogue. */
#include "config.h"
#include "session/check.h"

#include "base/xalloc.h"
#include "net/oob.h"
#include "preflight/judge.h"

int check_ask(struct session *s)
{
	struct result *r = s->run.result;
	struct error ignored = { 0 };
	const struct ways *ways = &s->run.conn->ways;

	plan_choose(&r->params.plan, &r->client, &r->server);
	r->preflight = xcalloc(1, sizeof(*r->preflight));
	preflight_run(&r->params.plan, &r->client, &r->server, ways,
		      r->preflight);
	/* the path that an ordinary run would choose */
	r->has_path = !path_choose(&r->client, &r->server, ways, &r->path,
				   &ignored);
	r->path.mtu = mtu_from_bytes(r->params.plan.mtu);
	return session_end(s);
}

void check_finish(struct result *r)
{
	static const struct ways nowhere = { 0 };
	const struct preflight_row *first;

	if (!r->preflight) {
		r->preflight = xcalloc(1, sizeof(*r->preflight));
		r->preflight->alone = r->alone;
		if (r->client.device[0])
			preflight_run(&r->params.plan, &r->client, NULL,
				      &nowhere, r->preflight);
	}
	first = preflight_first(r->preflight);
	if (first)
		r->error = first->error;
	else if (error_is_set(&r->error))
		preflight_add(r->preflight, &r->error);
}
