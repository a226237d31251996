#ifndef TRAFFIC_RESPONDER_H
#define TRAFFIC_RESPONDER_H

#include "traffic/flow.h"

/*
 * Take the messages of all QPs of F, count them in f->received and repost the
 * receives, until the peer has sent everything and all of it has arrived.  On
 * an unreliable transport, stop waiting after f->loss_timeout without a
 * message.  When this end measures (f->counts_arrivals), the window opens at
 * the first message after the warm-up, or at once without a warm-up, and closes
 * at the last message counted.  Returns as bandwidth_run().
 */
int responder_run(struct flow *f, enum op op);

#endif
