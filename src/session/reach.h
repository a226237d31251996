/*
 * Who is sent UC or UD messages proves first that it receives where it says.
 *
 * Nothing of these transports is answered, so that a peer that names another
 * host's GID could make this end flood that host.  Therefore an end that is
 * about to send sends a challenge (verbs/challenge.h) to the first queue pair
 * of the peer's ENDPOINT, and the peer returns its random bytes over TCP.
 * Packets are lost, so that the peer may ask for the challenge again, in pauses
 * that grow; but a host that never asked for any gets REACH_PACKETS at most.
 *
 * The first queue pair proves it for all: an ENDPOINT has one address, to which
 * everything goes, and what is behind that is the peer's own.  Were each to
 * prove it, 16384 of them would make the challenges a flood of their own.
 */
#ifndef SESSION_REACH_H
#define SESSION_REACH_H

#include "session/dialogue.h"

/* Challenges sent to one peer at most. */
#define REACH_PACKETS 10

/* Post the receive of the peer's challenge, if one will come, before the queue
 * pairs are in RTR.  Returns 0 or a negative errno, said in the result. */
int reach_begin(struct session *s);

/*
 * Both ends are in RTS, and know it: let the peer prove that it is where it
 * says, and prove the same of this end, as far as plan_proves_address() asks
 * for it.  Afterwards no challenge is under way, and none is left in a queue.
 * Returns as reach_begin().
 */
int reach_prove(struct session *s);

#endif
