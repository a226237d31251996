/* One test over one connection, from HELLO to BYE, at either end; dialogue.h
 * describes the frames. */
#pragma once

#include <stdbool.h>

#include "model/result.h"
#include "net/oob.h"
#include "verbs/device.h"

struct dialogue;
struct session;

/*
 * Run the test of result->params over CONN on DEVICE with the steps of DIALOGUE
 * (dialogue.h), as the CLIENT or the server.  RESULT becomes complete, with the
 * error if the test failed: its rows are those measured by then.  Tells the
 * peer of a failure, and leaves CONN open for the caller.  Returns 0 or a
 * negative errno, and always *SESSION, which still holds the verbs objects.
 * Call session_free() after the report, because releasing them can take a
 * driver long when the link is down.
 * A RESULT that has an error is not begun: the peer is told of it.
 * At a server result->params are its own.  If DEVICE is not open, it is opened
 * when the client's turn comes; device_close() it after session_free().
 */
int session_run(bool client, const struct dialogue *dialogue,
		struct connection *conn, struct device *device,
		struct result *result, struct session **session);

/* Release S and all verbs objects; NULL is fine. */
void session_free(struct session *s);

/* True at a server whose client got its turn. */
bool session_was_served(const struct session *s);

/* False at a server if the peer closed the connection before it sent a byte: it
 * was no client, but the connection that lost a client's race (RFC 8305), or a
 * port scanner. */
bool session_has_client(const struct session *s);

/* True when the run in R failed because the server is full, and there is time
 * to retry before GIVE_UP (base/time.h). */
bool retry_is_wanted(const struct result *r, uint64_t give_up);

/*
 * Forget the failed run: close CONN, free SESSION, clear this end's and the
 * peer's error in R, and wait a second.  Returns 0, or -ECANCELED, set in R's
 * error, when the user interrupts.
 */
int retry_prepare(struct result *r, struct connection *conn,
		  struct session **session);
