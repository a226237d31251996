/*
 * Connects to the addresses of a host as RFC 8305 says: each attempt starts a
 * quarter of a second after the one before, or as soon as one fails, while
 * earlier ones continue.  The first attempt that connects wins.
 */
#ifndef NET_RACE_H
#define NET_RACE_H

#include <netdb.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* One address.  The caller of race_run() sets the fields above the line. */
struct attempt {
	const struct addrinfo *to;
	const struct addrinfo *from;	/* local address to bind; NULL: any */
	/* ---- */
	int errnum;		/* of the last failure; 0: none */
	int fd;			/* -1: not connecting */
	uint64_t deadline;	/* of this connection attempt */
	uint64_t start;		/* when the next attempt begins */
};

/*
 * Connect to whichever of the N ATTEMPTS succeeds first.  The first round, over
 * all addresses, takes at most TIMEOUT ns, and so does each retry.  Failed
 * attempts repeat for WAIT ns, for a server that is not up yet; WHOM names the
 * server in the log line that says so.  *CANCEL_FD is as for oob_wait().
 * Returns a connected descriptor and its index in *WINNER; or a negative errno:
 * -ECANCELED and the like are said in ERR, otherwise each attempt has its
 * errnum.
 */
int race_run(struct attempt *attempts, size_t n, uint64_t timeout,
	     uint64_t wait, const char *whom, int *cancel_fd, size_t *winner,
	     struct error *err);

#endif
