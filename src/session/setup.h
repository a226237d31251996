/* What both ends do alike until their queue pairs are connected. */
#ifndef SESSION_SETUP_H
#define SESSION_SETUP_H

#include "session/dialogue.h"

/* Make the verbs objects and the flows over them. */
int setup_create(struct session *s);

/* Send this end's ENDPOINT for the result's path, or take the peer's. */
int setup_send_endpoint(struct session *s);
int setup_take_endpoint(struct session *s);

/* Post receives and move the queue pairs towards the peer's. */
int setup_connect(struct session *s);

/* Say that the queue pairs are connected, or hear it from the peer. */
int setup_send_ready(struct session *s);
int setup_take_ready(struct session *s);

/* Each end that will be sent UC or UD messages proves where it is (reach.h). */
int setup_reach(struct session *s);

/* All is connected: what both ends use is known, and who wants to is told. */
void setup_tell_begin(struct session *s);

#endif
