/* Opens the listening sockets of a server, and accepts connections. */
#include "config.h"
#include "net/oob.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/time.h"
#include "net/address.h"

#define LISTEN_BACKLOG 128
/* How long a name server may take to answer a server, in ns. */
#define LOOKUP_LIMIT (30 * SECOND)

static int listen_on(const struct addrinfo *a)
{
	const int one = 1, zero = 0;
	int fd = socket(a->ai_family, SOCK_STREAM | SOCK_CLOEXEC |
			SOCK_NONBLOCK, 0);
	int ret;

	if (fd < 0)
		return -errno;
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (a->ai_family == AF_INET6)
		setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &zero, sizeof(zero));
	ret = address_bind(fd, a);
	if (!ret && listen(fd, LISTEN_BACKLOG))
		ret = -errno;
	if (ret)
		close(fd);
	return ret ?: fd;
}

/* Try IPv6 first: its wildcard address accepts IPv4 as well. */
static int listen_on_any(const struct addrinfo *list)
{
	static const int families[] = { AF_INET6, AF_INET };
	int fd = -EADDRNOTAVAIL;

	for (int i = 0; i < 2; i++)
		for (const struct addrinfo *a = list; a; a = a->ai_next) {
			if (a->ai_family != families[i])
				continue;
			fd = listen_on(a);
			if (fd >= 0 || fd == -EADDRINUSE)
				return fd;
		}
	return fd;
}

static uint32_t bound_port(int fd)
{
	/* an IPv4 address has its port in the same place */
	struct sockaddr_in6 address = { 0 };
	socklen_t length = sizeof(address);

	getsockname(fd, (struct sockaddr *)&address, &length);
	return ntohs(address.sin6_port);
}

static const char *advice_of(int errnum)
{
	switch (errnum) {
	case EADDRINUSE:
		return "another server is already running: name it to measure "
		       "against it, or choose another -p to serve";
	case EACCES:
		return "ports below 1024 are for root: choose another -p";
	default:
		return "give an address of this machine";
	}
}

int oob_listen(const char *bind, uint32_t *port, int cancel_fd,
	       struct error *err)
{
	const struct wait_limit limit = { LOOKUP_LIMIT, &cancel_fd };
	struct addrinfo *list;
	int fd = address_resolve(bind, "--bind", *port, AI_PASSIVE, &limit,
				 &list, err);

	if (fd)
		return fd;
	fd = listen_on_any(list);
	freeaddrinfo(list);
	if (fd < 0)
		return fail_errno(err, fd, advice_of(-fd),
				  "cannot listen on %s%sport %u",
				  bind ? bind : "", bind ? " " : "", *port);
	*port = bound_port(fd);
	return fd;
}

int oob_accept(int listener, struct connection *conn)
{
	struct sockaddr_storage address;
	socklen_t length = sizeof(address);
	const int one = 1;
	int fd;

	/* a connection may go away before it is accepted: take the next one */
	do {
		fd = accept4(listener, (struct sockaddr *)&address, &length,
			     SOCK_CLOEXEC | SOCK_NONBLOCK);
	} while (fd < 0 && (errno == EINTR || errno == ECONNABORTED ||
			    errno == EPROTO));
	if (fd < 0)
		return -errno;
	oob_adopt(fd, -1, "client", conn);
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	address_and_port((struct sockaddr *)&address, length, conn->address);
	ip_from_socket((struct sockaddr *)&address, conn->host.bytes);
	return 0;
}
