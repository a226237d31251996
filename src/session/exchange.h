/* What both ends tell each other around the traffic of one size. */
#ifndef SESSION_EXCHANGE_H
#define SESSION_EXCHANGE_H

#include "net/frames.h"
#include "run/monitor.h"
#include "session/session.h"

/* START for SIZE both ways; a server has heard it already.  Returns 0 or a
 * negative errno, said in the result's error, as below. */
int exchange_start(struct session *s, uint64_t size);

/*
 * DONE both ways, the client's first: MINE to the peer, and the peer's, which
 * M may have heard already, into THEIRS, whose numbers suit the plan.
 * done_free() that, and free(3) its histogram, in any case.
 */
int exchange_done(struct session *s, struct monitor *m,
		  const struct done *mine, struct done *theirs);

#endif
