/* Options that not every device can do: rates kept by it, and on-demand paging. */
#ifndef PREFLIGHT_OPTIONS_H
#define PREFLIGHT_OPTIONS_H

#include "model/plan.h"
#include "model/port.h"

/*
 * Check PLAN's --pacing device against PORT of an end that sends.  END is
 * "client" or "server".  What a peer's device can do is not known here; the
 * peer checks it itself.  Returns 0, or -EINVAL with the reason in ERR.
 */
int pacing_judge(const struct plan *plan, const char *end,
		 const struct port *port, struct error *err);

/*
 * Check PLAN's --odp against PORT.  END is "client" or "server", as CLIENT
 * says.  Returns 0, or -EINVAL with the reason in ERR.
 */
int paging_judge(const struct plan *plan, const char *end,
		 const struct port *port, bool client, struct error *err);

#endif
