/*
 * Signs of life.  While traffic runs the monitor sends them.  While an end is
 * busy with verbs calls, which may take minutes (64 GiB to be registered,
 * thousands of queue pairs), a thread does, so that the peer can tell an end
 * that works from one that is gone.
 */
#ifndef NET_ALIVE_H
#define NET_ALIVE_H

#include <stdint.h>

#include "base/error.h"
#include "net/oob.h"

struct alive;

/* How often an end says that it lives, in ns, to a peer that waits for TIMEOUT
 * ns: every second, or four times in that. */
uint64_t alive_period(uint64_t timeout);

/*
 * Say over CONN every PERIOD ns that this end lives, until alive_end(); CONN
 * belongs to the thread until then.  Returns 0 or a negative errno, said in
 * ERR.
 */
int alive_begin(struct connection *conn, uint64_t period, struct alive **alive,
		struct error *err);

/*
 * No more of that.  Returns 0, or -ECANCELED, or -ETIME, said in ERR, when the
 * user or the server's limit interrupted meanwhile.  A second ^C will have
 * ended the program, as verbs calls cannot be interrupted.
 */
int alive_end(struct alive *alive, struct error *err);

#endif
