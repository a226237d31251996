/* Sleeping until there are completions (-e), for the loops to call. */
#ifndef VERBS_SLEEP_H
#define VERBS_SLEEP_H

#include <infiniband/verbs.h>

#include "traffic/flow.h"

/* For the completion queues of CHANNEL, which becomes non-blocking; free(3)
 * it. */
struct flow_sleep *sleep_new(struct ibv_comp_channel *channel);

/*
 * flow.wait: called whenever a poll of F's loop found nothing.  When that is
 * true of all its completion queues it arms them; when it then still is, it
 * sleeps until there is an event, or a moment, for the loop has more to look
 * at.  So no completion is lost between the last look and the sleep (man
 * ibv_get_cq_event).  Returns 0 or a negative errno, noted in F.
 */
int sleep_wait(struct flow *f);

#endif
