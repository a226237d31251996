/* The steps from ACCEPT to connected queue pairs, the same at both ends. */
#pragma once

#include "session/dialogue.h"

/* Take the path of PEER, the client's ENDPOINT in the test connect, which has
 * one queue pair, into the result.  Returns 0, or a negative errno with the
 * reason in ERR. */
int accept_path_of_one(struct session *s, const struct endpoint *peer,
		       struct error *err);

/* Make the verbs objects and the flows over them. */
int setup_create(struct session *s);

/* Copy END, the client's or the server's, into the result, which outlives the
 * session. */
void setup_note_end(struct result *r, bool client, const struct endpoint *end);

/* Make the verbs objects, exchange ENDPOINTs, connect the queue pairs, and
 * exchange READYs. */
int setup_connect(struct session *s);

/* Have each end that will be sent UC or UD messages prove its address
 * (reach.c). */
int setup_reach(struct session *s);

/* Both ends are connected: record the attributes in use and notify the
 * observer. */
void setup_notify_begin(struct session *s);

/* reach.c: an end that will be sent messages proves its address. */

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
