/* Turns host names into socket addresses, and socket addresses into text. */
#pragma once

#include <netdb.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

#include "base/error.h"
#include "base/ip.h"

/* How long to wait, and what interrupts the wait. */
struct wait_limit {
	uint64_t timeout;	/* ns */
	int *cancel_fd;		/* of signals_open(): see oob_wait() */
};

#define ADDRESS_TEXT_SIZE 80

/*
 * Resolve TEXT, the value of OPTION or, when OPTION is NULL, the server: see
 * host_parse().  TEXT may be NULL if FLAGS, those of getaddrinfo(3), has
 * AI_PASSIVE.  LIMIT is for the wait for a name server.  The caller frees
 * *LIST with freeaddrinfo().  Returns 0, or a negative errno with advice on
 * what to write in ERR.
 */
int address_resolve(const char *text, const char *option, uint32_t port,
		    int flags, const struct wait_limit *limit,
		    struct addrinfo **list, struct error *err);

/* bind(2) the TCP socket FD to A.  Returns 0 or a negative errno; refuses
 * multicast and broadcast addresses. */
int address_bind(int fd, const struct addrinfo *a);

/* "10.0.0.2", also for an IPv4 address on an IPv6 socket; returns TEXT. */
const char *address_host(const struct sockaddr *address, socklen_t length,
			 char text[ADDRESS_TEXT_SIZE]);

/* "10.0.0.2 port 18515"; returns TEXT. */
const char *address_and_port(const struct sockaddr *address, socklen_t length,
			     char text[ADDRESS_TEXT_SIZE]);

/* Is the IPv4 ADDRESS the broadcast address of a network this host is on? */
bool address_is_broadcast(const struct ip_address *address);

/* host.c: parses the host a user names, and orders its addresses for
 * connecting.  Pure. */

#define HOST_SIZE 256

/*
 * Cut the port off TEXT, the server as a user names it, "host:18515" or
 * "[::1]:18515", and store it in *PORT, which stays as it is when there is
 * none.  Returns 0, or -EINVAL with the reason in ERR: no such port, or a user
 * before the host's name.
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
 * first address, each family in the order of LIST.  Skips repeated addresses,
 * families but FAMILY unless that is 0 and, unless LOCAL is NULL, families that
 * LOCAL has no address of.  Returns
 * the number of addresses in ORDER.
 */
size_t host_order(const struct addrinfo *list, int family,
		  const struct addrinfo *local, const struct addrinfo **order);

/* The first address of LIST in FAMILY, or NULL. */
const struct addrinfo *host_of_family(const struct addrinfo *list, int family);
