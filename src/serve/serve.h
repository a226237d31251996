/*
 * A server: one process that listens and never reads a byte of a client, and a
 * child of it for each client, which talks to that and opens the device for
 * itself.  What a client does to its child it does to no other.
 */
#ifndef SERVE_SERVE_H
#define SERVE_SERVE_H

#include "base/error.h"
#include "model/param.h"
#include "model/port.h"
#include "net/oob.h"

/*
 * See that the device which PARAMS name can be used, and listen where they
 * say: params->port becomes the real one, and device and ib_port what was
 * chosen, which PORT describes and must outlive PARAMS; they are announced.
 * The process is put where --numa wants it.  CANCEL_FD is of signals_open().
 * Returns a descriptor or a negative
 * errno, said in ERR.
 */
int serve_open(struct parameters *params, int cancel_fd, struct port *port,
	       struct error *err);

/*
 * Take clients at LISTENER, which is closed, until CANCEL_FD (signals_open())
 * tells to stop or, with --once, the one has ended.  Returns more than once:
 *
 * 1 in each child, for the client at CONN: serve it, and end with the status
 * that is to be seen;
 * 0 in the parent at the end: all children have ended and *STATUS is that of
 * the one client, or -1 when there was none;
 * -ECANCELED in the parent when the one never came, or another negative errno,
 * both said in ERR.
 */
int serve_clients(const struct parameters *params, int listener,
		  int cancel_fd, struct connection *conn, int *status,
		  struct error *err);

/*
 * In a child, before it prints: from now until it ends no other child is here,
 * so that reports do not mix.
 */
void serve_begin_report(void);

#endif
