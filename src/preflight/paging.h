/* On-demand paging: what a plan wants against what a device can do. */
#ifndef PREFLIGHT_PAGING_H
#define PREFLIGHT_PAGING_H

#include "model/plan.h"
#include "model/port.h"

/*
 * Hold --odp of PLAN against PORT of END, which is "client" or "server" as
 * CLIENT says.  Returns 0, or -EINVAL, said in ERR.
 */
int paging_judge(const struct plan *plan, const char *end,
		 const struct port *port, bool client, struct error *err);

#endif
