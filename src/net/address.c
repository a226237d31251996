/* Resolves host names within a deadline, and formats socket addresses. */
#include "config.h"
#include "net/address.h"

#include <errno.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/time.h"
#include "base/units.h"
#include "base/xalloc.h"
#include "net/wait.h"

/* Most interfaces that an advice names. */
#define INTERFACES_SHOWN 3

/* A call of getaddrinfo(3).  Counts its users: either the thread or the waiting
 * caller may leave last. */
struct job {
	_Atomic int users;
	int done_fd;		/* an eventfd: the answer is ready */
	char *host, *service;
	struct addrinfo hints;
	struct addrinfo *list;
	int ret, errnum;
};

static void release_job(struct job *job)
{
	if (atomic_fetch_sub(&job->users, 1) > 1)
		return;
	if (job->list)
		freeaddrinfo(job->list);
	close(job->done_fd);
	free(job->host);
	free(job->service);
	free(job);
}

static void resolve_now(struct job *job)
{
	job->ret = getaddrinfo(job->host, job->service, &job->hints,
			       &job->list);
	job->errnum = errno;
	if (job->ret)
		job->list = NULL;
}

static void *run(void *argument)
{
	struct job *job = argument;

	resolve_now(job);
	/* cannot fail: the counter is far from its limit */
	eventfd_write(job->done_fd, 1);
	release_job(job);
	return NULL;
}

/* Numeric addresses, and any address of this host, need no name server. */
static bool answer_at_once(struct job *job)
{
	int flags = job->hints.ai_flags;

	job->hints.ai_flags |= AI_NUMERICHOST;
	resolve_now(job);
	job->hints.ai_flags = flags;
	return !job->ret || !job->host;
}

/* Start the thread and wait for its answer. */
static int wait_for_answer(struct job *job, const struct wait_limit *limit,
			   struct error *err)
{
	const uint64_t deadline = time_after(limit->timeout);
	pthread_t thread;
	eventfd_t n;
	int ret;

	job->users++;
	ret = job->done_fd < 0 ? EMFILE :
				 pthread_create(&thread, NULL, run, job);
	if (ret) {
		job->users--;
		return fail_errno(err, ret, NULL, "cannot start a thread");
	}
	pthread_detach(thread);
	ret = oob_wait(job->done_fd, POLLIN, limit->cancel_fd, deadline, err);
	/* this read orders the thread's earlier writes before what follows */
	return ret ?: eventfd_read(job->done_fd, &n);
}

/*
 * Call getaddrinfo(3), which has no deadline, in a thread, and abandon that
 * thread when it takes too long.  Returns 0 with *LIST, which the caller frees
 * with freeaddrinfo(); 1 with the reason it found none in *WHY; -ETIMEDOUT, not
 * set in ERR; or another negative errno, set in ERR.
 */
static int lookup(const char *host, const char *service,
		  const struct addrinfo *hints, const struct wait_limit *limit,
		  struct addrinfo **list, const char **why, struct error *err)
{
	struct job *job = xcalloc(1, sizeof(*job));
	int ret = 0;

	job->users = 1;
	job->host = host ? strdup(host) : NULL;
	job->service = strdup(service);
	job->hints = *hints;
	job->done_fd = eventfd(0, EFD_CLOEXEC);
	if (!answer_at_once(job))
		ret = wait_for_answer(job, limit, err);
	if (!ret && job->ret) {
		*why = job->ret == EAI_SYSTEM ? strerror(job->errnum) :
						gai_strerror(job->ret);
		ret = 1;
	} else if (!ret) {
		*list = job->list;
		job->list = NULL;
	}
	release_job(job);
	return ret;
}

static bool is_link_local(const struct sockaddr *address)
{
	const struct sockaddr_in6 *in6 = (const void *)address;

	return address && address->sa_family == AF_INET6 &&
	       IN6_IS_ADDR_LINKLOCAL(&in6->sin6_addr);
}

/* A link-local address without an interface reaches nothing. */
static bool need_interface(const struct addrinfo *list)
{
	while (list && is_link_local(list->ai_addr) &&
	       !((const struct sockaddr_in6 *)(const void *)list->ai_addr)
			->sin6_scope_id)
		list = list->ai_next;
	return !list;
}

/* "HOST%v0, HOST%v1": HOST with each interface it may be on. */
static void with_interfaces(const char *host, char *text, size_t size)
{
	struct ifaddrs *list = NULL;
	size_t n = 0;

	text[0] = '\0';
	if (getifaddrs(&list))
		list = NULL;
	for (struct ifaddrs *i = list; i && n < INTERFACES_SHOWN;
	     i = i->ifa_next) {
		if (is_link_local(i->ifa_addr))
			text_append(text, size, "%s%.64s%%%s",
				    n++ ? " or " : "", host, i->ifa_name);
	}
	freeifaddrs(list);
	if (!n)
		snprintf(text, size, "%.64s%%INTERFACE", host);
}

static int fail_link_local(const char *text, const char *option,
			   const char *host, struct error *err)
{
	char choices[240], advice[300];

	with_interfaces(host, choices, sizeof(choices));
	snprintf(advice, sizeof(advice), "write %s%s%s", option ? option : "",
		 option ? " " : "", choices);
	return fail(err, -EINVAL, advice,
		    "%s %s: a link-local address needs an interface",
		    option ? option : "server", text);
}

static int fail_unknown(const char *text, const char *option, const char *host,
			const char *why, struct error *err)
{
	const char *interface = strchr(host, '%');

	if (interface && !if_nametoindex(interface + 1))
		return fail(err, -EHOSTUNREACH, "'ip link' lists them",
			    "%s %s: there is no interface '%s'",
			    option ? option : "server", text, interface + 1);
	return fail(err, -EHOSTUNREACH, "check its spelling, DNS and "
		    "/etc/hosts, or give an IP address",
		    "cannot find the address of %s%s'%s': %s",
		    option ? option : "", option ? " " : "",
		    text ? text : "*", why);
}

static int fail_silent(const char *text, const char *option,
		       const struct wait_limit *limit, struct error *err)
{
	return fail(err, -ETIMEDOUT, "check the name server in "
		    "/etc/resolv.conf, or give an IP address",
		    "cannot find the address of %s%s'%s': no name server "
		    "answered within %.6g s",
		    option ? option : "", option ? " " : "", text,
		    (double)limit->timeout / (double)SECOND);
}

int address_resolve(const char *text, const char *option, uint32_t port,
		    int flags, const struct wait_limit *limit,
		    struct addrinfo **list, struct error *err)
{
	const struct addrinfo hints = {
		.ai_socktype = SOCK_STREAM,
		.ai_flags = flags | AI_NUMERICSERV,
	};
	char service[16], host[HOST_SIZE] = "";
	const char *why = NULL;
	struct addrinfo *found = NULL;
	int ret = text ? host_parse(text, option, host, err) : 0;

	if (ret)
		return ret;
	snprintf(service, sizeof(service), "%u", port);
	ret = lookup(text ? host : NULL, service, &hints, limit, &found, &why,
		     err);
	if (ret > 0)
		return fail_unknown(text, option, host, why, err);
	if (ret < 0)
		return ret == -ETIMEDOUT ?
			       fail_silent(text, option, limit, err) : ret;
	if (!need_interface(found)) {
		*list = found;
		return 0;
	}
	freeaddrinfo(found);
	return fail_link_local(text, option, host, err);
}

static bool to_text(const struct sockaddr *address, socklen_t length,
		    char host[NI_MAXHOST], char port[NI_MAXSERV])
{
	static const char mapped[] = "::ffff:";	/* IPv4 on an IPv6 socket */

	if (getnameinfo(address, length, host, NI_MAXHOST, port, NI_MAXSERV,
			NI_NUMERICHOST | NI_NUMERICSERV))
		return false;
	if (!strncmp(host, mapped, strlen(mapped)))
		memmove(host, host + strlen(mapped),
			strlen(host + strlen(mapped)) + 1);
	return true;
}

const char *address_host(const struct sockaddr *address, socklen_t length,
			 char text[ADDRESS_TEXT_SIZE])
{
	char host[NI_MAXHOST], port[NI_MAXSERV];
	bool known = to_text(address, length, host, port);

	snprintf(text, ADDRESS_TEXT_SIZE, "%.60s",
		 known ? host : "an unknown address");
	return text;
}

const char *address_and_port(const struct sockaddr *address, socklen_t length,
			     char text[ADDRESS_TEXT_SIZE])
{
	char host[NI_MAXHOST], port[NI_MAXSERV];

	if (to_text(address, length, host, port))
		snprintf(text, ADDRESS_TEXT_SIZE, "%.60s port %.8s", host,
			 port);
	else
		snprintf(text, ADDRESS_TEXT_SIZE, "an unknown address");
	return text;
}

static uint32_t ipv4_of(const struct sockaddr *address)
{
	const struct sockaddr_in *in = (const void *)address;

	return ntohl(in->sin_addr.s_addr);
}

/* Test the host bits: interfaces may report another broadcast address. */
static bool is_broadcast_of(const struct ifaddrs *interface, uint32_t ipv4)
{
	uint32_t hosts;

	if (!(interface->ifa_flags & IFF_BROADCAST) || !interface->ifa_addr ||
	    interface->ifa_addr->sa_family != AF_INET)
		return false;
	hosts = ~ipv4_of(interface->ifa_netmask);
	return hosts > 1 && (ipv4 | hosts) == ipv4 &&
	       (ipv4 & ~hosts) == (ipv4_of(interface->ifa_addr) & ~hosts);
}

/* Multicast, broadcast or no address at all. */
static bool is_for_many(const struct sockaddr *address)
{
	struct ip_address ip;
	uint32_t ipv4;

	if (address->sa_family != AF_INET)
		return false;
	ip_from_socket(address, ip.bytes);
	ipv4 = ipv4_of(address);
	return IN_MULTICAST(ipv4) || ipv4 == INADDR_BROADCAST ||
	       address_is_broadcast(&ip);
}

int address_bind(int fd, const struct addrinfo *a)
{
	/* Linux binds to these, though no TCP connection can use them */
	if (is_for_many(a->ai_addr))
		return -EADDRNOTAVAIL;
	return bind(fd, a->ai_addr, a->ai_addrlen) ? -errno : 0;
}

bool address_is_broadcast(const struct ip_address *address)
{
	struct ifaddrs *list;
	uint32_t ipv4;
	bool is = false;

	if (getifaddrs(&list))
		return false;
	memcpy(&ipv4, address->bytes + IPV4_AT, sizeof(ipv4));
	for (struct ifaddrs *i = list; i && !is; i = i->ifa_next)
		is = is_broadcast_of(i, ntohl(ipv4));
	freeifaddrs(list);
	return is;
}
