/*
 * Ends a client's turn at a server: releases the test's objects and gives the
 * turn back while the report is printed.  Neither waits for the other: a report
 * may wait long for its reader, and a driver may take long to release its
 * objects when the link is down.
 */
#include "config.h"
#include "serve/serve.h"

#include "net/turn.h"

static void *release_all(void *argument)
{
	struct release *r = argument;

	oob_close(r->conn);
	session_free(r->session);
	device_close(r->device);
	turn_release(r->conn);
	return NULL;
}

void release_begin(struct release *release, struct connection *conn,
		   struct session *session, struct device *device)
{
	release->conn = conn;
	release->session = session;
	release->device = device;
	release->apart = !pthread_create(&release->thread, NULL, release_all,
					 release);
	if (!release->apart)
		release_all(release);
}

void release_end(struct release *release)
{
	if (release->apart)
		pthread_join(release->thread, NULL);
}
