/*
 * What can be known before any queue pair is created: one list of checks
 * compares a plan with both ports.  In an ordinary run the first check that
 * finds the test impossible is the error; --check shows all checks, with what
 * each end has.  Pure: nothing here queries a device.
 */
#pragma once

#include "model/gid.h"
#include "model/plan.h"
#include "model/port.h"
#include "model/preflight.h"

/*
 * Run every check of PLAN, completed by plan_choose(), on both ports and store
 * the rows in *PREFLIGHT.  SERVER may be NULL if unknown; then only what the
 * client alone can know is judged, and if preflight->alone only what does not
 * depend on a server.  WAYS is as for path_choose().
 */
void preflight_run(const struct plan *plan, const struct port *client,
		   const struct port *server, const struct ways *ways,
		   struct preflight *preflight);

/*
 * Run the same checks up to the first that fails.  Returns 0, or its negative
 * errno with the reason in ERR.
 */
int preflight_judge(const struct plan *plan, const struct port *client,
		    const struct port *server, struct error *err);

/*
 * Check PLAN against the client's own PORT, before it contacts a server.
 * Returns as plan_fit().
 */
int plan_fit_client(const struct plan *plan, const struct port *port,
		    struct error *err);

/*
 * Run plan_check(), plan_choose() and preflight_judge().  Both ends call it
 * with the same arguments and so get the same plan.  Returns 0, -ENETDOWN when
 * a port is not active, -ENOENT or -EPROTOTYPE when there is no path, or
 * another negative errno, such as -EINVAL for an exceeded device limit, with
 * the reason in ERR.
 */
int plan_fit(struct plan *plan, const struct port *client,
	     const struct port *server, struct error *err);
