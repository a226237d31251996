/* Parses the host a user names, and orders its addresses for connecting.
 * Pure. */
#ifndef NET_HOST_H
#define NET_HOST_H

#include <netdb.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

#define HOST_SIZE 256

/*
 * Cut the port off TEXT, the server as a user names it, "host:18515" or
 * "[::1]:18515", and store it in *PORT, which stays as it is when there is
 * none.  Returns 0, or -EINVAL with the reason in ERR.
 */
int host_cut_port(char *text, uint32_t *port, struct error *err);

/*
 * Turn TEXT, a name or address as a user writes it, into HOST for
 * getaddrinfo(3): "[::1]" becomes "::1".  OPTION is the option TEXT was given
 * to, such as "--bind", or NULL for the server.  Returns 0, or -EINVAL with
 * advice on what to write in ERR when TEXT still has a port.
 */
int host_parse(const char *text, const char *option, char host[HOST_SIZE],
	       struct error *err);

/*
 * Put the addresses of LIST into ORDER, which has room for them all, as RFC
 * 8305 (4) says: IPv6 and IPv4 alternate, beginning with the family of the
 * first address, each family in the order of LIST.  Skips repeated addresses
 * and, unless LOCAL is NULL, families that LOCAL has no address of.  Returns
 * the number of addresses in ORDER.
 */
size_t host_order(const struct addrinfo *list, const struct addrinfo *local,
		  const struct addrinfo **order);

/* The first address of LIST in FAMILY, or NULL. */
const struct addrinfo *host_of_family(const struct addrinfo *list, int family);

#endif
