/* The facts of an end as a list of fields (net/wire.h), one for each that is
 * known. */
#ifndef NET_FACTS_FRAME_H
#define NET_FACTS_FRAME_H

#include "model/facts.h"
#include "net/wire.h"

void facts_put(struct cursor *c, const struct facts *facts);

/* Read them from C, a cursor of FRAME.  A fact that this version does not know
 * is skipped.  Returns 0, or -EPROTO with the reason in ERR. */
int facts_get(const struct frame *frame, struct cursor *c, struct facts *facts,
	      struct error *err);

#endif
