/*
 * Signs of life.  While traffic runs the monitor sends them.  During verbs
 * calls, which may take minutes (registering 64 GiB, creating thousands of
 * queue pairs), a thread sends them, so that the peer can tell an end that
 * works from one that is gone.
 */
#ifndef NET_ALIVE_H
#define NET_ALIVE_H

#include <stdint.h>

#include "base/error.h"
#include "net/oob.h"

struct alive;

/* Period, in ns, of the signs of life to a peer that gives up after TIMEOUT ns:
 * a second, or a quarter of TIMEOUT if that is shorter. */
uint64_t alive_period(uint64_t timeout);

/* Send a sign of life over CONN every PERIOD ns until alive_end(); the thread
 * owns CONN until then.  Returns 0 or a negative errno, set in ERR. */
int alive_begin(struct connection *conn, uint64_t period, struct alive **alive,
		struct error *err);

/*
 * Stop sending and free ALIVE.  Returns 0; or, set in ERR, -ECANCELED if the
 * user interrupted meanwhile, or -ETIME if the server's time limit passed.  A
 * second ^C has ended the program by then, because verbs calls cannot be
 * interrupted.
 */
int alive_end(struct alive *alive, struct error *err);

#endif
