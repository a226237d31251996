/* A plan against what both ends' devices can do. */
#ifndef PREFLIGHT_FIT_H
#define PREFLIGHT_FIT_H

#include "model/plan.h"
#include "model/port.h"

/*
 * Hold PLAN against the client's own PORT, before a server is asked.
 * Returns as plan_fit().
 */
int plan_fit_client(const struct plan *plan, const struct port *port,
		    struct error *err);

/*
 * plan_check(), plan_choose() and every check of preflight/judge.h.  Both ends
 * call it with the same arguments and so get the same.  Returns 0, -ENETDOWN
 * when a port is not active, -ENOENT or -EPROTOTYPE when there is no path, or
 * -EINVAL with the limit that stopped it.
 */
int plan_fit(struct plan *plan, const struct port *client,
	     const struct port *server, struct error *err);

#endif
