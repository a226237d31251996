/* On-demand paging: compares what a plan needs with what a device can do. */
#ifndef PREFLIGHT_PAGING_H
#define PREFLIGHT_PAGING_H

#include "model/plan.h"
#include "model/port.h"

/*
 * Check PLAN's --odp against PORT.  END is "client" or "server", as CLIENT
 * says.  Returns 0, or -EINVAL with the reason in ERR.
 */
int paging_judge(const struct plan *plan, const char *end,
		 const struct port *port, bool client, struct error *err);

#endif
