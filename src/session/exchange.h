/* One round: the frames both ends exchange around the traffic of one size. */
#ifndef SESSION_EXCHANGE_H
#define SESSION_EXCHANGE_H

#include "session/dialogue.h"

/*
 * Exchange START for SIZE, which a server has read already, run the traffic,
 * and exchange SENT and DONE.  Adds a row to the result as round_report() does.
 * Returns 0 or a negative errno, said in the result's error.
 */
int exchange_round(struct session *s, uint64_t size);

#endif
