/* Resolves a host name, with a limit on the wait. */
#ifndef NET_LOOKUP_H
#define NET_LOOKUP_H

#include <netdb.h>
#include <stdint.h>

#include "base/error.h"

/* How long to wait, and what interrupts the wait. */
struct patience {
	uint64_t limit;		/* ns */
	int *cancel_fd;		/* of signals_open(): see oob_wait() */
};

/*
 * Call getaddrinfo(3), which has no deadline, in a thread, and abandon that
 * thread when it takes too long.  Returns 0 with *LIST, which the caller frees
 * with freeaddrinfo(); 1 with the reason it found none in *WHY; -ETIMEDOUT, not
 * said in ERR; or another negative errno, said in ERR.
 */
int lookup(const char *host, const char *service,
	   const struct addrinfo *hints, const struct patience *patience,
	   struct addrinfo **list, const char **why, struct error *err);

#endif
