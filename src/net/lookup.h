/* Addresses of a name, with an end to the wait for them. */
#ifndef NET_LOOKUP_H
#define NET_LOOKUP_H

#include <netdb.h>
#include <stdint.h>

#include "base/error.h"

/* How long to wait, and who puts an end to it earlier. */
struct patience {
	uint64_t limit;		/* in ns */
	int *cancel_fd;		/* of signals_open(): see oob_wait() */
};

/*
 * Ask getaddrinfo(3), which knows no deadline, in a thread that is left to
 * itself when it takes too long.  Returns 0 with *LIST, which freeaddrinfo();
 * 1 with, in *WHY, why it found none; -ETIMEDOUT, of which nothing is said; or
 * another negative errno, said in ERR.
 */
int lookup(const char *host, const char *service,
	   const struct addrinfo *hints, const struct patience *patience,
	   struct addrinfo **list, const char **why, struct error *err);

#endif
