/* From what users call a host to socket addresses, and back. */
#ifndef NET_ADDRESS_H
#define NET_ADDRESS_H

#include <netdb.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

#include "base/error.h"
#include "base/networks.h"
#include "net/lookup.h"

#define ADDRESS_TEXT_SIZE 80

/*
 * The addresses of TEXT, which was given to OPTION or, that being NULL, as the
 * server: see host_parse().  TEXT may be NULL with AI_PASSIVE in FLAGS, of
 * getaddrinfo(3).  A name server has PATIENCE.  freeaddrinfo() *LIST.  Returns
 * 0, or a negative errno with, in ERR, what to write.
 */
int address_resolve(const char *text, const char *option, uint32_t port,
		    int flags, const struct patience *patience,
		    struct addrinfo **list, struct error *err);

/*
 * bind(2) the TCP socket FD to A.  Returns 0 or a negative errno, which it is
 * for multicast and broadcast addresses, too.
 */
int address_bind(int fd, const struct addrinfo *a);

/* "10.0.0.2", also of an IPv4 address on an IPv6 socket; returns TEXT. */
const char *address_host(const struct sockaddr *address, socklen_t length,
			 char text[ADDRESS_TEXT_SIZE]);

/* "10.0.0.2 port 18515"; returns TEXT. */
const char *address_and_port(const struct sockaddr *address, socklen_t length,
			     char text[ADDRESS_TEXT_SIZE]);

/* Is ADDRESS, of IPv4, the broadcast address of a network that this host is
 * in? */
bool address_is_broadcast(const struct ip_address *address);

#endif
