/* Lets the loops sleep until there are completions (-e). */
#ifndef VERBS_SLEEP_H
#define VERBS_SLEEP_H

#include <infiniband/verbs.h>

#include "traffic/flow.h"

/* Create the sleeper for CHANNEL, which becomes non-blocking.  free(3) it. */
struct flow_sleep *sleep_new(struct ibv_comp_channel *channel);

/*
 * flow.wait: call it whenever a poll of F's loop finds nothing.  When all
 * completion queues of F are empty, it arms them.  When they are still empty
 * after that, it sleeps until an event or a short time passes, because the loop
 * has other things to check.  Polling after arming ensures that no completion
 * is missed (man ibv_get_cq_event).  Returns 0, or a negative errno, also
 * recorded in F.
 */
int sleep_wait(struct flow *f);

#endif
