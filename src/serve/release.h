/*
 * Ends a client's turn at a server: releases the test's objects and gives the
 * turn back while the report is printed.  Neither waits for the other: a report
 * may wait long for its reader, and a driver may take long to release its
 * objects when the link is down.
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
	bool apart;		/* it runs in a thread of its own */
};

/* Begin to close CONN, free SESSION, close DEVICE and then give the turn back.
 * Touch none of them before release_end(). */
void release_begin(struct release *release, struct connection *conn,
		   struct session *session, struct device *device);

/* Wait until release_begin()'s work is done. */
void release_end(struct release *release);

#endif
