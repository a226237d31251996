/* The test connect: connections that the client asks for, one after the
 * other. */
#ifndef SESSION_CONNECTIONS_H
#define SESSION_CONNECTIONS_H

#include "session/dialogue.h"

/* At the client, and at the server, the steps from ACCEPT to BYE if the plan is
 * to connect; nothing otherwise. */
int connections_measure(struct session *s);
int connections_answer(struct session *s);

#endif
