/* Rates kept by a device: compares what a plan asks for with what a device can
 * do. */
#ifndef PREFLIGHT_PACING_H
#define PREFLIGHT_PACING_H

#include "model/plan.h"
#include "model/port.h"

/*
 * Check PLAN's --pacing device against PORT of an end that sends.  END is
 * "client" or "server".  What a peer's device can do is not known here; the
 * peer checks it itself.  Returns 0, or -EINVAL with the reason in ERR.
 */
int pacing_judge(const struct plan *plan, const char *end,
		 const struct port *port, struct error *err);

#endif
