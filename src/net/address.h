/* Turns host names into socket addresses, and socket addresses into text. */
#ifndef NET_ADDRESS_H
#define NET_ADDRESS_H

#include <netdb.h>
#include <stdbool.h>
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

#endif
