#include "config.h"
#include "net/connect.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/xalloc.h"
#include "net/address.h"
#include "net/host.h"
#include "net/race.h"

#define FAMILIES 2
/* Most addresses named per cause; further ones are only counted. */
#define ADDRESSES_SHOWN 3

/* The addresses to connect to and from. */
struct way {
	const char *host;
	const char *bind;		/* --bind, or NULL */
	uint32_t port;
	struct addrinfo *list;		/* the server's */
	struct addrinfo *local_list;	/* --bind's */
	struct addrinfo local[FAMILIES];	/* bindable, one per family */
	const struct addrinfo *from;	/* first of local; NULL: any */
};

static int bind_errno(const struct addrinfo *a)
{
	int fd = socket(a->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	int errnum;

	if (fd < 0)
		return errno;
	errnum = -address_bind(fd, a);
	close(fd);
	return errnum;
}

/* Keep one --bind address of each family that this machine has. */
static int choose_local(struct way *way, struct error *err)
{
	int errnum = 0;
	size_t n = 0;

	for (const struct addrinfo *a = way->local_list; a; a = a->ai_next) {
		int failed;

		if (n == FAMILIES || host_of_family(way->from, a->ai_family))
			continue;
		failed = bind_errno(a);
		if (!errnum)
			errnum = failed;
		if (failed)
			continue;
		way->local[n] = *a;
		way->local[n].ai_next = NULL;
		if (n)
			way->local[n - 1].ai_next = &way->local[n];
		way->from = way->local;
		n++;
	}
	if (n)
		return 0;
	return fail(err, -errnum, "give an address of this machine",
		    "--bind %s: %s", way->bind, strerror(errnum));
}

static int resolve(struct way *way, const struct patience *patience,
		   struct error *err)
{
	int ret = address_resolve(way->host, NULL, way->port, 0, patience,
				  &way->list, err);

	if (!ret && way->bind)
		ret = address_resolve(way->bind, "--bind", 0, AI_PASSIVE,
				      patience, &way->local_list, err);
	if (!ret && way->bind)
		ret = choose_local(way, err);
	return ret;
}

static const char *family_name(const struct addrinfo *a)
{
	return a->ai_family == AF_INET ? "IPv4" : "IPv6";
}

/* The attempts for WAY, in the order to try them; free(3) *LIST. */
static int make_attempts(const struct way *way, struct attempt **list,
			 size_t *n, struct error *err)
{
	const struct addrinfo **order;
	size_t most = 0;

	for (const struct addrinfo *a = way->list; a; a = a->ai_next)
		most++;
	order = xcalloc(most, sizeof(*order));
	*n = host_order(way->list, way->from, order);
	*list = xcalloc(most, sizeof(**list));
	for (size_t i = 0; i < *n; i++)
		(*list)[i] = (struct attempt){
			.to = order[i],
			.from = host_of_family(way->from, order[i]->ai_family),
		};
	free(order);
	if (*n)
		return 0;
	return fail(err, -EAFNOSUPPORT, "leave --bind out, or give an address "
		    "of this machine in the server's family",
		    "cannot connect to %s port %u: it has only %s addresses, "
		    "and --bind %s has only %s addresses", way->host, way->port,
		    family_name(way->list), way->bind, family_name(way->from));
}

static size_t count(const struct attempt *list, size_t n, int errnum)
{
	size_t found = 0;

	for (size_t i = 0; i < n; i++)
		found += list[i].errnum == errnum;
	return found;
}

/* "fd00::1, fd00::2: " for the attempts that ended with ERRNUM; nothing if that
 * is the only address and the user named it. */
static void print_addresses(FILE *out, const struct way *way,
			    const struct attempt *list, size_t n, int errnum)
{
	size_t shown = 0, all = count(list, n, errnum);
	char text[ADDRESS_TEXT_SIZE];

	for (size_t i = 0; i < n && shown < ADDRESSES_SHOWN; i++) {
		if (list[i].errnum != errnum)
			continue;
		address_host(list[i].to->ai_addr, list[i].to->ai_addrlen,
			     text);
		if (n == 1 && strstr(way->host, text))
			return;
		fprintf(out, "%s%s", shown++ ? ", " : "", text);
	}
	if (all > shown)
		fprintf(out, " and %zu more", all - shown);
	fputs(": ", out);
}

/* Print each cause once, with its addresses. */
static void print_causes(FILE *out, const struct way *way,
			 const struct attempt *list, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (count(list, i, list[i].errnum))
			continue;
		if (i)
			fputs("; ", out);
		print_addresses(out, way, list, n, list[i].errnum);
		fputs(strerror(list[i].errnum), out);
	}
}

/* The user gets the advice of the first entry that any attempt ended with. */
static const struct {
	int errnum;
	const char *advice;
} advices[] = {
	{ ECONNREFUSED, "check that 'verbsperf serve' runs there with the same "
	  "--port; --wait waits for it" },
	{ ETIMEDOUT, "no answer: check that the host is up, that the address "
	  "is right and that no firewall drops that TCP port (ping, nft list "
	  "ruleset)" },
	{ EHOSTUNREACH, "check that the host is up and that no firewall on the "
	  "way rejects that TCP port; 'ip route get' shows the route" },
	{ ENETUNREACH, "this machine has no route there: 'ip route get' shows "
	  "it, 'ip addr' the networks it is on" },
	{ EACCES, "a firewall or a route of this machine forbids it" },
	{ EPERM, "a firewall or a route of this machine forbids it" },
};

static int fail_all(const struct way *way, const struct attempt *list,
		    size_t n, struct error *err)
{
	const char *advice = NULL;
	int ret = -list[0].errnum;
	char *causes = NULL;
	size_t size;
	FILE *out = open_memstream(&causes, &size);

	if (out) {
		print_causes(out, way, list, n);
		fclose(out);
	}
	for (size_t i = 0; i < sizeof(advices) / sizeof(*advices); i++)
		if (!advice && count(list, n, advices[i].errnum)) {
			advice = advices[i].advice;
			ret = -advices[i].errnum;
		}
	if (!advice && way->bind)
		advice = "check that the address of --bind can reach that one; "
			 "leave --bind out, or give another address of this "
			 "machine";
	fail(err, ret, advice, "cannot connect to %s port %u: %s", way->host,
	     way->port, causes ? causes : strerror(-ret));
	free(causes);
	return ret;
}

static int race(const struct way *way, uint64_t timeout, uint64_t wait,
		struct connection *conn, struct error *err)
{
	struct attempt *list = NULL;
	size_t n, winner = 0;
	char whom[300];
	int ret = make_attempts(way, &list, &n, err);

	snprintf(whom, sizeof(whom), "%s port %u", way->host, way->port);
	if (!ret)
		ret = race_run(list, n, timeout, wait, whom, &conn->cancel_fd,
			       &winner, err);
	if (ret >= 0) {
		conn->fd = ret;
		address_and_port(list[winner].to->ai_addr,
				 list[winner].to->ai_addrlen, conn->address);
	} else if (!error_is_set(err)) {
		ret = fail_all(way, list, n, err);
	}
	free(list);
	return ret;
}

int oob_connect(const char *host, uint32_t port, const char *bind,
		uint64_t timeout, uint64_t wait, int cancel_fd,
		struct connection *conn, struct error *err)
{
	struct way way = { .host = host, .bind = bind, .port = port };
	const struct patience patience = { timeout, &conn->cancel_fd };
	const int one = 1;
	int ret;

	oob_adopt(-1, cancel_fd, "server", conn);
	ret = resolve(&way, &patience, err);
	if (!ret)
		ret = race(&way, timeout, wait, conn, err);
	if (ret >= 0)
		setsockopt(ret, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	if (way.list)
		freeaddrinfo(way.list);
	if (way.local_list)
		freeaddrinfo(way.local_list);
	return ret < 0 ? ret : 0;
}
