#ifndef TRAFFIC_RESPONDER_H
#define TRAFFIC_RESPONDER_H

#include "traffic/flow.h"

/*
 * Take the messages of all QPs of F, count them in f->received and post the
 * receives again, until the peer has sent all it will and all of that has
 * come; what an unreliable transport lost is not waited for for long.  When
 * this end measures (f->counts_arrivals) the window opens at the first message
 * after the warm-up, at once when there is none, and closes at the last that
 * counts.  Returns as bandwidth_run().
 */
int responder_run(struct flow *f, enum op op);

#endif
