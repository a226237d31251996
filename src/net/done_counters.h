/* The counters of an end's port, as a field of DONE (net/frames.h). */
#ifndef NET_DONE_COUNTERS_H
#define NET_DONE_COUNTERS_H

#include "model/counters.h"
#include "net/wire.h"

void done_put_counters(struct cursor *c, const struct counters *counters);

/* Read COUNTERS, for counters_free() in any case, from C, a cursor of FRAME,
 * and check every value.  Returns 0, or -EPROTO with the reason in ERR. */
int done_get_counters(const struct frame *frame, struct cursor *c,
		      struct counters *counters, struct error *err);

#endif
