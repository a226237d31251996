/*
 * The server of the test connect with --rdma-cm: answers those who call it by
 * the connection manager, as often as its client does so.
 *
 * A request and its answer have the marks of verbs/cm_id.h, with the number
 * of the request as index.  What this end refuses it tells over TCP, in REFUSE,
 * and then rejects the request.
 */
#ifndef SESSION_CALLERS_H
#define SESSION_CALLERS_H

#include "session/dialogue.h"

/* From the client's ENDPOINT to its BYE.  Returns 0 or a negative errno, said in
 * the result's error. */
int callers_answer(struct session *s);

/* Give up all connections, after a failure when the client has heard of it;
 * nothing to do is fine. */
void callers_free(struct session *s);

#endif
