#ifndef TRAFFIC_RESPONDER_H
#define TRAFFIC_RESPONDER_H

#include "traffic/flow.h"

/*
 * Take receive completions of all QPs of F, count them in f->received and
 * post the receives again, until the phase is PHASE_DRAIN and the queue is
 * empty.  Returns as bandwidth_run().
 */
int responder_run(struct flow *f, enum op op);

#endif
