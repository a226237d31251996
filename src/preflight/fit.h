/* Compares a plan with the capabilities of both ends' devices. */
#ifndef PREFLIGHT_FIT_H
#define PREFLIGHT_FIT_H

#include "model/plan.h"
#include "model/port.h"

/*
 * Check PLAN against the client's own PORT, before it contacts a server.
 * Returns as plan_fit().
 */
int plan_fit_client(const struct plan *plan, const struct port *port,
		    struct error *err);

/*
 * Run plan_check(), plan_choose() and every check of preflight/judge.h.  Both
 * ends call it with the same arguments and so get the same plan.  Returns 0,
 * -ENETDOWN when a port is not active, -ENOENT or -EPROTOTYPE when there is no
 * path, or another negative errno, such as -EINVAL for an exceeded device
 * limit, with the reason in ERR.
 */
int plan_fit(struct plan *plan, const struct port *client,
	     const struct port *server, struct error *err);

#endif
