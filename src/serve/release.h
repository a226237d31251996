/*
 * The end of a client's turn at a server: what the test had is released, and
 * the turn given back, while the report is printed.  Neither waits for the
 * other: a report may wait long for who reads it, and with a link that is gone
 * a driver may take long to release its objects.
 */
#ifndef SERVE_RELEASE_H
#define SERVE_RELEASE_H

#include <pthread.h>
#include <stdbool.h>

#include "net/oob.h"
#include "session/session.h"
#include "verbs/device.h"

struct release {
	struct connection *conn;
	struct session *session;
	struct device *device;
	pthread_t thread;
	bool apart;		/* it has a thread of its own */
};

/*
 * Begin to close CONN, to free SESSION, to close DEVICE and then to give the
 * turn back.  None of them may be touched before release_end().
 */
void release_begin(struct release *release, struct connection *conn,
		   struct session *session, struct device *device);

/* Wait until all that is done. */
void release_end(struct release *release);

#endif
