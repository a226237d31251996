/* The part of the out-of-band channel that knows hosts and addresses. */
#include "config.h"
#include "control/oob.h"

#include <errno.h>
#include <ifaddrs.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/log.h"
#include "base/time.h"
#include "control/address.h"
#include "control/signals.h"

#define RETRY_PAUSE_NS 100000000
#define LISTEN_BACKLOG 128

static void set_no_delay(int fd)
{
	const int one = 1;

	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
}

/* Bind FD to an address of BIND in the family that FD has. */
static int bind_local(int fd, int family, const char *bind_to,
		      struct error *err)
{
	struct addrinfo *list, *a;
	int ret = address_resolve(bind_to, "--bind", 0, AI_PASSIVE, &list,
				  err);

	if (ret)
		return ret;
	ret = -EADDRNOTAVAIL;
	for (a = list; a && ret; a = a->ai_next)
		if (a->ai_family == family)
			ret = bind(fd, a->ai_addr, a->ai_addrlen) ? -errno : 0;
	freeaddrinfo(list);
	if (ret)
		fail(err, ret, "give an address of this machine",
		     "--bind %s: %s", bind_to, strerror(-ret));
	return ret;
}

/* Finish a connect that is under way on CONN. */
static int finish_connect(struct connection *conn, uint64_t deadline,
			  struct error *err)
{
	socklen_t length = sizeof(int);
	int ret, errnum = 0;

	do {
		ret = oob_wait(conn->fd, POLLOUT, &conn->cancel_fd, deadline,
			       err);
	} while (ret == 1);
	if (ret)
		return ret;
	if (getsockopt(conn->fd, SOL_SOCKET, SO_ERROR, &errnum, &length))
		return -errno;
	return -errnum;
}

/* One address.  Says nothing in ERR unless no other could do better. */
static int try_address(const struct addrinfo *a, const char *bind_to,
		       uint64_t deadline, struct connection *conn,
		       struct error *err)
{
	int ret = 0;

	conn->fd = socket(a->ai_family, SOCK_STREAM | SOCK_CLOEXEC |
			  SOCK_NONBLOCK, 0);
	if (conn->fd < 0)
		return -errno;
	if (bind_to)
		ret = bind_local(conn->fd, a->ai_family, bind_to, err);
	if (!ret && connect(conn->fd, a->ai_addr, a->ai_addrlen))
		ret = errno == EINPROGRESS ?
			      finish_connect(conn, deadline, err) : -errno;
	if (ret) {
		oob_close(conn);
		return ret;
	}
	set_no_delay(conn->fd);
	address_and_port(a->ai_addr, a->ai_addrlen, conn->address);
	return 0;
}

static int try_all(const struct addrinfo *list, const char *bind_to,
		   uint64_t deadline, struct connection *conn,
		   struct error *err)
{
	int ret = -EHOSTUNREACH;

	for (const struct addrinfo *a = list; a; a = a->ai_next) {
		ret = try_address(a, bind_to, deadline, conn, err);
		if (!ret || error_is_set(err))
			break;
	}
	return ret;
}

static int pause_before_retry(struct connection *conn, struct error *err)
{
	uint64_t deadline = time_after(RETRY_PAUSE_NS);
	int ret;

	do {
		ret = oob_wait(-1, 0, &conn->cancel_fd, deadline, err);
	} while (ret == 1);
	return ret == -ETIMEDOUT ? 0 : ret;
}

int oob_connect(const char *host, uint32_t port, const char *bind,
		uint64_t timeout, uint64_t wait, int cancel_fd,
		struct connection *conn, struct error *err)
{
	uint64_t give_up = time_after(wait);
	bool waiting = false;
	struct addrinfo *list;
	int ret;

	if (cancel_fd >= 0)
		signals_unblock(true);	/* a name server may take long */
	ret = address_resolve(host, NULL, port, 0, &list, err);
	if (cancel_fd >= 0)
		signals_unblock(false);
	if (ret)
		return ret;
	oob_adopt(-1, cancel_fd, "server", conn);
	for (;;) {
		ret = try_all(list, bind, time_after(timeout), conn, err);
		if (!ret || error_is_set(err) ||
		    time_after(RETRY_PAUSE_NS) > give_up)
			break;
		if (!waiting)
			log_info("waiting for %s port %u", host, port);
		waiting = true;
		ret = pause_before_retry(conn, err);
		if (ret)
			break;
	}
	freeaddrinfo(list);
	if (ret)
		fail(err, ret, "is 'verbsperf serve' running there, and its "
		     "--port the same? --wait waits for it",
		     "cannot connect to %s port %u: %s", host, port,
		     strerror(-ret));
	return ret;
}

static int listen_on(const struct addrinfo *a)
{
	const int one = 1, zero = 0;
	int fd = socket(a->ai_family, SOCK_STREAM | SOCK_CLOEXEC |
			SOCK_NONBLOCK, 0);
	int ret = 0;

	if (fd < 0)
		return -errno;
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (a->ai_family == AF_INET6)
		setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &zero, sizeof(zero));
	if (bind(fd, a->ai_addr, a->ai_addrlen) || listen(fd, LISTEN_BACKLOG))
		ret = -errno;
	if (ret)
		close(fd);
	return ret ? ret : fd;
}

/* IPv6 first: its wildcard takes IPv4 as well. */
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
	struct sockaddr_storage address = { 0 };
	socklen_t length = sizeof(address);

	getsockname(fd, (struct sockaddr *)&address, &length);
	if (address.ss_family == AF_INET6)
		return ntohs(((struct sockaddr_in6 *)&address)->sin6_port);
	return ntohs(((struct sockaddr_in *)&address)->sin_port);
}

static const char *advice_of(int errnum)
{
	switch (errnum) {
	case EADDRINUSE:
		return "another server runs already: choose another -p";
	case EACCES:
		return "ports below 1024 are for root: choose another -p";
	default:
		return "give an address of this machine";
	}
}

int oob_listen(const char *bind, uint32_t *port, struct error *err)
{
	struct addrinfo *list;
	int fd = address_resolve(bind, "--bind", *port, AI_PASSIVE, &list,
				 err);

	if (fd)
		return fd;
	fd = listen_on_any(list);
	freeaddrinfo(list);
	if (fd < 0)
		return fail(err, fd, advice_of(-fd), "cannot listen on %s%sport %u: %s",
			    bind ? bind : "", bind ? " " : "", *port,
			    strerror(-fd));
	*port = bound_port(fd);
	return fd;
}

/* ADDRESS as a GID; false when it is neither IPv4 nor IPv6. */
static bool to_gid(const struct sockaddr *address, union ibv_gid *gid)
{
	memset(gid, 0, sizeof(*gid));
	if (!address)
		return false;
	if (address->sa_family == AF_INET6) {
		memcpy(gid->raw,
		       &((const struct sockaddr_in6 *)address)->sin6_addr, 16);
		return true;
	}
	if (address->sa_family != AF_INET)
		return false;
	gid->raw[10] = gid->raw[11] = 0xff;
	memcpy(gid->raw + 12, &((const struct sockaddr_in *)address)->sin_addr,
	       4);
	return true;
}

/* Of no use any more before it was taken. */
static bool is_gone(int errnum)
{
	return errnum == EINTR || errnum == ECONNABORTED || errnum == EPROTO;
}

int oob_accept(int listener, struct connection *conn)
{
	struct sockaddr_storage address;
	socklen_t length = sizeof(address);
	union ibv_gid gid;
	int fd;

	do {
		fd = accept4(listener, (struct sockaddr *)&address, &length,
			     SOCK_CLOEXEC | SOCK_NONBLOCK);
	} while (fd < 0 && is_gone(errno));
	if (fd < 0)
		return -errno;
	oob_adopt(fd, -1, "client", conn);
	set_no_delay(fd);
	address_and_port((struct sockaddr *)&address, length, conn->address);
	if (to_gid((struct sockaddr *)&address, &gid))
		memcpy(conn->host.bytes, gid.raw, sizeof(conn->host.bytes));
	return 0;
}

static uint32_t mask_bits(const struct sockaddr *mask)
{
	union ibv_gid bits;
	uint32_t n = 0;

	if (!to_gid(mask, &bits))
		return 128;
	for (int i = mask->sa_family == AF_INET ? 12 : 0; i < 16; i++)
		n += (uint32_t)__builtin_popcount(bits.raw[i]);
	return mask->sa_family == AF_INET ? n + 96 : n;
}

void oob_subnet(const struct connection *conn, struct subnet *subnet)
{
	struct sockaddr_storage local = { 0 };
	socklen_t length = sizeof(local);
	struct ifaddrs *list, *i;
	union ibv_gid gid;

	memset(subnet, 0, sizeof(*subnet));
	if (getsockname(conn->fd, (struct sockaddr *)&local, &length) ||
	    !to_gid((struct sockaddr *)&local, &subnet->address) ||
	    getifaddrs(&list))
		return;
	for (i = list; i && !subnet->known; i = i->ifa_next) {
		if (!to_gid(i->ifa_addr, &gid) ||
		    memcmp(gid.raw, subnet->address.raw, 16) != 0)
			continue;
		subnet->known = true;
		subnet->prefix = mask_bits(i->ifa_netmask);
	}
	freeifaddrs(list);
}
