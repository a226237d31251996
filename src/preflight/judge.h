/*
 * What can be known before any queue pair is made: a plan and both ports, held
 * against each other by one table of checks.  The first of them that finds that
 * the test cannot work is the error of an ordinary run; --check shows them all,
 * with what each end has.  Pure: nothing here asks a device.
 */
#ifndef PREFLIGHT_JUDGE_H
#define PREFLIGHT_JUDGE_H

#include "model/gid.h"
#include "model/plan.h"
#include "model/port.h"
#include "model/preflight.h"

/*
 * Every check of PLAN, whose choices plan_choose() made, on both ports into
 * *PREFLIGHT.  SERVER may be NULL, for one that is not known: then only what
 * the client can know alone is judged.  TCP is as for path_choose().
 */
void preflight_run(const struct plan *plan, const struct port *client,
		   const struct port *server, const struct subnet *tcp,
		   struct preflight *preflight);

/*
 * The same checks up to the first that fails.  Returns 0 or its negative
 * errno, said in ERR.
 */
int preflight_judge(const struct plan *plan, const struct port *client,
		    const struct port *server, struct error *err);

#endif
