/* One test over one connection, from HELLO to BYE, at either end: what is said
 * then, dialogue.h tells. */
#ifndef SESSION_SESSION_H
#define SESSION_SESSION_H

#include <stdbool.h>

#include "model/result.h"
#include "net/oob.h"
#include "verbs/device.h"

struct session;

/*
 * Run the test of result->params over CONN on DEVICE; what comes out is in
 * RESULT, complete with the error if it failed: the rows are what was
 * measured until then.  The server is told of a failure, and the connection
 * is left to the caller.  Returns 0 or a negative errno, and *SESSION in any
 * case, which still has the verbs objects: session_free() it after the report,
 * for with a link that is gone their release may take a driver long.
 */
int session_client(struct connection *conn, struct device *device,
		   struct result *result, struct session **session);

/*
 * Serve the client at the other end of CONN; otherwise the same.
 * result->params are this end's own.  A DEVICE that is not open is opened when
 * the client's turn has come; device_close() it after session_free().
 */
int session_server(struct connection *conn, struct device *device,
		   struct result *result, struct session **session);

/* Release S and all verbs objects; NULL is fine. */
void session_free(struct session *s);

/* Did the client of S, at a server, get its turn? */
bool session_was_served(const struct session *s);

#endif
