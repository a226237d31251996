/*
 * An end that will be sent UC or UD messages first proves that it receives at
 * the address it names.
 *
 * These transports acknowledge nothing, so a peer that names another host's GID
 * could make this end flood that host.  Therefore an end that is about to send
 * first sends a challenge (verbs/challenge.h) to the first queue pair of the
 * peer's ENDPOINT, and the peer returns the random bytes over TCP.  Packets get
 * lost, so the peer may ask for the challenge again, at growing pauses; but a
 * host that never asked receives at most REACH_PACKETS.
 *
 * The first queue pair proves the address for all of them: an ENDPOINT has one
 * address, and everything goes there; what lies behind it is the peer's own
 * affair.  If each of 16384 queue pairs had to prove it, the challenges would
 * be a flood of their own.
 */
#ifndef SESSION_REACH_H
#define SESSION_REACH_H

#include "session/dialogue.h"

/* Most challenges sent to one peer. */
#define REACH_PACKETS 10

/*
 * Post the receive for the peer's challenge, if one will come, before the queue
 * pairs go to RTR.  Returns 0 or a negative errno, set in the result's error.
 */
int reach_begin(struct session *s);

/*
 * Both ends are in RTS and know it: make the peer prove its address, and prove
 * this end's, where plan_proves_address() asks for it.  Afterwards no challenge
 * is outstanding, and none is left in a queue.  Returns like reach_begin().
 */
int reach_prove(struct session *s);

#endif
