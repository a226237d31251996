/* The traffic of one message size, at either end of a session. */
#ifndef RUN_RUN_H
#define RUN_RUN_H

#include "session/session.h"

/*
 * One round of SIZE: START, which a server has heard already, traffic, SENT and
 * DONE for SIZE.  Adds a row to the result, marked as failed when something was
 * measured before a failure; but none when the round is only a warm-up, after
 * which the same size is due again.  Returns 0 or a negative errno.
 */
int run_size(struct session *s, uint64_t size);

#endif
