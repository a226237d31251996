/* One round: what both ends tell each other around the traffic of one size. */
#ifndef SESSION_EXCHANGE_H
#define SESSION_EXCHANGE_H

#include "session/dialogue.h"

/*
 * START for SIZE, which a server has heard already, traffic, SENT and DONE.
 * Adds a row to the result as round_report() does.  Returns 0 or a negative
 * errno, said in the result's error.
 */
int exchange_round(struct session *s, uint64_t size);

#endif
