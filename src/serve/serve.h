/*
 * A server: one process that listens and never reads a byte from a client, and
 * a child for each client, which talks to that client and opens the device for
 * itself.  Whatever a client does to its child, it does to no other.
 */
#pragma once

#include <pthread.h>
#include <stdbool.h>

#include "base/error.h"
#include "model/param.h"
#include "model/port.h"
#include "net/oob.h"
#include "session/session.h"
#include "verbs/device.h"

/* Exit status of a child whose peer was no client: it sent no HELLO. */
#define SERVE_NO_HELLO 5

/*
 * Check that the device in PARAMS is usable, place the process as --numa asks,
 * and listen where PARAMS say.  params->port becomes the actual port, and
 * device and ib_port the chosen ones; PORT describes them and must outlive
 * PARAMS.  Announces them.  CANCEL_FD is from signals_open().  Returns a
 * descriptor or a negative errno, set in ERR.
 */
int serve_open(struct parameters *params, int cancel_fd, struct port *port,
	       struct error *err);

/*
 * Accept clients at LISTENER, and close it, until CANCEL_FD (signals_open())
 * says stop or, with --once, the only client has ended or did not come in time.
 * Under perftest's names that is the first one that greets, otherwise the first
 * one that gets its turn.  Returns more than once:
 *
 * 1 in each child, for the client at CONN: serve it, and exit with its status;
 * 0 in the parent at the end: all children have ended, and *STATUS is the exit
 * status of --once's client, or -1 without one;
 * -ETIMEDOUT in the parent when --once's client did not come in time,
 * -ECANCELED when it never came before CANCEL_FD said stop, or another negative
 * errno, both set in ERR.
 */
int serve_clients(const struct parameters *params, int listener,
		  int cancel_fd, struct connection *conn, int *status,
		  struct error *err);

/* Call in a child before it prints: until the child ends, other children wait
 * here, so that reports do not mix. */
void serve_begin_report(void);

/* release.c: ends a client's turn while the report is printed. */

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
