/*
 * Connecting to the addresses of a host as RFC 8305 has it: one after another,
 * a quarter of a second apart or as soon as one fails, while those before go
 * on.  The first that connects wins.
 */
#ifndef NET_RACE_H
#define NET_RACE_H

#include <netdb.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* One address.  race_run() wants what is above the line. */
struct attempt {
	const struct addrinfo *to;
	const struct addrinfo *from;	/* bound to; NULL: any */
	/* ---- */
	int errnum;		/* why it failed, the last time; 0: it did not */
	int fd;			/* -1: not under way */
	uint64_t deadline;	/* of what is under way */
	uint64_t start;		/* when it is to begin, or again */
};

/*
 * Connect to the first of N ATTEMPTS that does.  TIMEOUT is the most time in
 * ns that they all, and each later one, may take; for WAIT ns one that failed
 * is tried again, for a server that is not up yet: WHOM names that in a line
 * that says so.  *CANCEL_FD is as for oob_wait().  Returns a connected
 * descriptor with *WINNER; or a negative errno: -ECANCELED and the like are
 * said in ERR, and otherwise each attempt has its errnum.
 */
int race_run(struct attempt *attempts, size_t n, uint64_t timeout,
	     uint64_t wait, const char *whom, int *cancel_fd, size_t *winner,
	     struct error *err);

#endif
