/* The steps from ACCEPT to connected queue pairs, the same at both ends. */
#ifndef SESSION_SETUP_H
#define SESSION_SETUP_H

#include "session/dialogue.h"

/* Make the verbs objects and the flows over them. */
int setup_create(struct session *s);

/* Send this end's ENDPOINT for the result's path, or receive the peer's. */
int setup_send_endpoint(struct session *s);
int setup_take_endpoint(struct session *s);

/* Post receives and connect the queue pairs to the peer's, while this end sends
 * signs of life. */
int setup_connect(struct session *s);

/* Send READY for this end's queue pairs, or receive the peer's. */
int setup_send_ready(struct session *s);
int setup_take_ready(struct session *s);

/* Each end that will be sent UC or UD messages proves its address (reach.h). */
int setup_reach(struct session *s);

/* Both ends are connected: record the attributes in use and notify the
 * observer. */
void setup_tell_begin(struct session *s);

#endif
