#include "config.h"
#include "preflight/fit.h"

#include "preflight/judge.h"

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
