/* What users call a host, and which of its addresses to try first.  Pure. */
#ifndef NET_HOST_H
#define NET_HOST_H

#include <netdb.h>
#include <stddef.h>

#include "base/error.h"

#define HOST_SIZE 256

/*
 * A name or address as a user writes it, for getaddrinfo(3): "[::1]" is "::1".
 * OPTION is what it was given to, such as "--bind", or NULL for the server.
 * Returns 0, or -EINVAL with, in ERR, what to write: "host:18515" has a port,
 * for which there is --port.
 */
int host_parse(const char *text, const char *option, char host[HOST_SIZE],
	       struct error *err);

/*
 * Put the addresses of LIST into ORDER, which has room for them all, as RFC
 * 8305 (4) has it: IPv6 and IPv4 take turns, beginning with the family of the
 * first, each in the order of LIST.  Left out is one that came before and,
 * unless LOCAL is NULL, one of a family that no address of LOCAL has.  Returns
 * how many there are.
 */
size_t host_order(const struct addrinfo *list, const struct addrinfo *local,
		  const struct addrinfo **order);

/* The first address of LIST that is of FAMILY, or NULL. */
const struct addrinfo *host_of_family(const struct addrinfo *list, int family);

#endif
