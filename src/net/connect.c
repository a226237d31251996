/* A client's way to its server, which may have several addresses. */
#include "config.h"
#include "net/oob.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/log.h"
#include "base/numbers.h"
#include "base/time.h"
#include "base/xalloc.h"
#include "net/address.h"
#include "net/wait.h"

#define FAMILIES 2
/* Most addresses named per cause; further ones are only counted. */
#define ADDRESSES_SHOWN 3

/* An attempt to connect to one address. */
struct attempt {
	const struct addrinfo *to;
	const struct addrinfo *from;	/* local address to bind; NULL: any */
	int errnum;		/* of the last failure; 0: none */
	int fd;			/* -1: not connecting */
	uint64_t deadline;	/* of this connection attempt */
	uint64_t start;		/* when the next attempt begins */
};

#define ATTEMPT_DELAY (SECOND / 4)
#define RETRY_PAUSE (SECOND / 10)
#define NEVER UINT64_MAX

struct race {
	const struct destination *to;
	uint64_t timeout;
	uint64_t wait;			/* for the server to listen */
	struct addrinfo *list;		/* the server's */
	struct addrinfo *local_list;	/* --bind's */
	struct addrinfo local[FAMILIES];	/* bindable, one per family */
	const struct addrinfo *from;	/* first of local; NULL: any */
	struct attempt *attempts;
	struct pollfd *fds;	/* those of the attempts, and one more */
	size_t n;
	uint64_t delay;		/* between the starts of first attempts */
	uint64_t deadline;	/* of the first attempts */
	uint64_t give_up;	/* no attempt repeats after this */
	bool waiting;		/* the log says that it waits */
};

static bool is_new(const struct attempt *a)
{
	return a->fd < 0 && !a->errnum;
}

/* The first attempt that has not begun begins now, each later one a delay after
 * the one before. */
static void schedule(struct race *race)
{
	uint64_t in = 0;

	for (size_t i = 0; i < race->n; i++) {
		if (!is_new(&race->attempts[i]))
			continue;
		race->attempts[i].start = time_after(in);
		in += race->delay;
	}
}

static void stop(struct attempt *a)
{
	if (a->fd >= 0)
		close(a->fd);
	a->fd = -1;
}

static void fail_attempt(struct race *race, struct attempt *a, int errnum)
{
	bool first = !a->errnum;

	stop(a);
	a->errnum = errnum;
	a->start = NEVER;
	if (time_until(race->give_up) > RETRY_PAUSE) {
		a->start = time_after(RETRY_PAUSE);
		if (!race->waiting)
			log_info("waiting for %s port %u", race->to->host,
				 race->to->port);
		race->waiting = true;
	}
	if (first)
		schedule(race);
}

/* The attempt that is under way where they are made in turn; NULL: none. */
static const struct attempt *find_only(const struct race *race)
{
	for (size_t i = 0; race->to->in_turn && i < race->n; i++)
		if (race->attempts[i].fd >= 0)
			return &race->attempts[i];
	return NULL;
}

/* When A, which begins now, has to be connected.  First attempts in turn share
 * what is left of their time. */
static uint64_t attempt_deadline(const struct race *race,
				 const struct attempt *a)
{
	size_t n_new = 0;

	if (!is_new(a))
		return time_after(race->timeout);
	if (!race->to->in_turn)
		return race->deadline;
	for (size_t i = 0; i < race->n; i++)
		n_new += is_new(&race->attempts[i]);
	return time_after(time_until(race->deadline) / n_new);
}

/* Returns 0, or the errno of an immediate failure. */
static int begin(const struct race *race, struct attempt *a)
{
	const struct addrinfo *to = a->to, *from = a->from;

	a->deadline = attempt_deadline(race, a);
	a->start = NEVER;
	a->fd = socket(to->ai_family, SOCK_STREAM | SOCK_CLOEXEC |
		       SOCK_NONBLOCK, 0);
	if (a->fd < 0 ||
	    (from && bind(a->fd, from->ai_addr, from->ai_addrlen)))
		return errno;
	if (connect(a->fd, to->ai_addr, to->ai_addrlen) &&
	    errno != EINPROGRESS)
		return errno;
	return 0;
}

/* Begin attempts that are due, and end those past their deadline. */
static void keep_time(struct race *race)
{
	for (size_t i = 0; i < race->n; i++) {
		struct attempt *a = &race->attempts[i];
		int errnum = 0;

		if (a->fd >= 0 && !time_until(a->deadline))
			errnum = ETIMEDOUT;
		else if (a->fd < 0 && !time_until(a->start) && !find_only(race))
			errnum = begin(race, a);
		if (errnum)
			fail_attempt(race, a, errnum);
	}
}

/* When keep_time() is due next; NEVER: all attempts have failed for good. */
static uint64_t next_time(const struct race *race)
{
	const struct attempt *only = find_only(race);
	uint64_t next = NEVER;

	if (only)
		return only->deadline;
	for (size_t i = 0; i < race->n; i++) {
		const struct attempt *a = &race->attempts[i];
		uint64_t time = a->fd >= 0 ? a->deadline : a->start;

		if (time < next)
			next = time;
	}
	return next;
}

/* The connected attempt, the first of several, or NULL; ends attempts that
 * failed. */
static struct attempt *find_winner(struct race *race)
{
	struct attempt *winner = NULL;

	for (size_t i = 0; i < race->n; i++) {
		struct attempt *a = &race->attempts[i];
		socklen_t length = sizeof(int);
		int errnum = 0;

		if (!race->fds[i].revents)
			continue;
		if (getsockopt(a->fd, SOL_SOCKET, SO_ERROR, &errnum, &length))
			errnum = errno;
		if (errnum)
			fail_attempt(race, a, errnum);
		else if (!winner)
			winner = a;
	}
	return winner;
}

/* Wait until one is connected: 0 with *WINNER, or a negative errno. */
static int watch(struct race *race, int *cancel_fd, struct attempt **winner,
		 struct error *err)
{
	for (;;) {
		uint64_t next;
		int ret;

		keep_time(race);
		next = next_time(race);
		if (next == NEVER)
			return -race->attempts[0].errnum;
		for (size_t i = 0; i < race->n; i++)
			race->fds[i] = (struct pollfd){
				.fd = race->attempts[i].fd,
				.events = POLLOUT,
			};
		ret = oob_wait_any(race->fds, race->n + 1, cancel_fd, next,
				   err);
		if (ret < 0 && ret != -ETIMEDOUT)
			return ret;
		*winner = find_winner(race);
		if (*winner)
			return 0;
	}
}

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
static int choose_local(struct race *race, struct error *err)
{
	int errnum = 0;
	size_t n = 0;

	for (const struct addrinfo *a = race->local_list; a; a = a->ai_next) {
		int failed;

		if (n == FAMILIES || host_of_family(race->from, a->ai_family))
			continue;
		failed = bind_errno(a);
		if (!errnum)
			errnum = failed;
		if (failed)
			continue;
		race->local[n] = *a;
		race->local[n].ai_next = NULL;
		if (n)
			race->local[n - 1].ai_next = &race->local[n];
		race->from = race->local;
		n++;
	}
	if (n)
		return 0;
	return fail_errno(err, errnum, "give an address of this machine",
			  "--bind %s", race->to->bind);
}

static int resolve(struct race *race, const struct wait_limit *limit,
		   struct error *err)
{
	const struct destination *to = race->to;
	int ret = address_resolve(to->host, NULL, to->port, 0, limit,
				  &race->list, err);

	if (!ret && to->bind)
		ret = address_resolve(to->bind, "--bind", 0, AI_PASSIVE, limit,
				      &race->local_list, err);
	if (!ret && to->bind)
		ret = choose_local(race, err);
	return ret;
}

static const char *family_name(int family)
{
	return family == AF_INET ? "IPv4" : "IPv6";
}

/* No address of the server is one to try. */
static int fail_family(const struct race *race, struct error *err)
{
	const struct destination *to = race->to;
	const int family = to->family ? to->family : race->list->ai_family;
	const char *only = to->family == AF_INET ? "--ipv4" : "--ipv6";

	if (to->family && !host_of_family(race->list, to->family))
		return fail_advise(err, -EAFNOSUPPORT,
				   "cannot connect to %s port %u: it has only "
				   "%s addresses, and %s was given\n"
				   "leave %s out", to->host, to->port,
				   family_name(race->list->ai_family), only,
				   only);
	return fail(err, -EAFNOSUPPORT, "leave --bind out, or give an address "
		    "of this machine in the server's family",
		    "cannot connect to %s port %u: %s only %s addresses, and "
		    "--bind %s has only %s addresses", to->host, to->port,
		    to->family ? "to be used are" : "it has",
		    family_name(family), to->bind,
		    family_name(race->from->ai_family));
}

/* Make the attempts, in the order to try them. */
static int make_attempts(struct race *race, struct error *err)
{
	const struct addrinfo **order;
	size_t most = 0;

	for (const struct addrinfo *a = race->list; a; a = a->ai_next)
		most++;
	order = xcalloc(most, sizeof(*order));
	race->n = host_order(race->list, race->to->family, race->from, order);
	race->attempts = xcalloc(most, sizeof(*race->attempts));
	race->fds = xcalloc(most + 1, sizeof(*race->fds));
	for (size_t i = 0; i < race->n; i++)
		race->attempts[i] = (struct attempt){
			.to = order[i],
			.from = host_of_family(race->from,
					       order[i]->ai_family),
			.fd = -1,
		};
	free(order);
	if (race->n)
		return 0;
	return fail_family(race, err);
}

/* How many of the first N attempts ended with ERRNUM. */
static size_t count(const struct race *race, size_t n, int errnum)
{
	size_t found = 0;

	for (size_t i = 0; i < n; i++)
		found += race->attempts[i].errnum == errnum;
	return found;
}

/* "fd00::1, fd00::2: " for the attempts that ended with ERRNUM; nothing if that
 * is the only address and the user named it. */
static void print_addresses(FILE *out, const struct race *race, int errnum)
{
	size_t shown = 0, all = count(race, race->n, errnum);
	char text[ADDRESS_TEXT_SIZE];

	for (size_t i = 0; i < race->n && shown < ADDRESSES_SHOWN; i++) {
		const struct attempt *a = &race->attempts[i];

		if (a->errnum != errnum)
			continue;
		address_host(a->to->ai_addr, a->to->ai_addrlen, text);
		if (race->n == 1 && strstr(race->to->host, text))
			return;
		fprintf(out, "%s%s", shown++ ? ", " : "", text);
	}
	if (all > shown)
		fprintf(out, " and %zu more", all - shown);
	fputs(": ", out);
}

/* Print each cause once, with its addresses. */
static void print_causes(FILE *out, const struct race *race)
{
	for (size_t i = 0; i < race->n; i++) {
		const int errnum = race->attempts[i].errnum;

		if (count(race, i, errnum))
			continue;
		if (i)
			fputs("; ", out);
		print_addresses(out, race, errnum);
		fputs(strerror(errnum), out);
	}
}

/* The user gets the advice of the first entry that any attempt ended with. */
static const struct {
	int errnum;
	const char *advice;
} advices[] = {
	{ ECONNREFUSED, "check that 'verbsperf serve' runs there with the same "
			"--port; --wait waits for it" },
	{ ETIMEDOUT,
	  "no answer: check that the host is up, that the address "
	  "is right and that no firewall drops that TCP port (ping, nft list "
	  "ruleset)" },
	{ EHOSTUNREACH,
	  "check that the host is up and that no firewall on the "
	  "way rejects that TCP port; 'ip route get' shows the route" },
	{ ENETUNREACH, "this machine has no route there: 'ip route get' shows "
		       "it, 'ip addr' the networks it is on" },
	{ EACCES, "a firewall or a route of this machine forbids it" },
	{ EPERM, "a firewall or a route of this machine forbids it" },
};

static int fail_all(const struct race *race, struct error *err)
{
	const char *advice = NULL;
	int ret = -race->attempts[0].errnum;
	char *causes = NULL;
	FILE *out = xmemstream(&causes);

	print_causes(out, race);
	fclose(out);
	for (size_t i = 0; i < sizeof(advices) / sizeof(*advices); i++)
		if (!advice && count(race, race->n, advices[i].errnum)) {
			advice = advices[i].advice;
			ret = -advices[i].errnum;
		}
	if (!advice && race->to->bind)
		advice = "check that the address of --bind can reach that one; "
			 "leave --bind out, or give another address of this "
			 "machine";
	if (ret == -ECONNREFUSED && race->wait)
		advice = "check that 'verbsperf serve' runs there with the same "
			 "--port; it did not come within --wait";
	fail(err, ret, advice, "cannot connect to %s port %u: %s",
	     race->to->host, race->to->port, causes);
	free(causes);
	return ret;
}

/*
 * Connect CONN to whichever address succeeds first, as RFC 8305 says: each
 * attempt starts a quarter of a second after the one before, or as soon as one
 * fails, while earlier ones continue; in turn, only when one fails.  The first
 * round, over all addresses, takes at most race->timeout, and so does each
 * retry.  Failed attempts repeat for race->wait, for a server that is not up
 * yet.
 */
static int run(struct race *race, struct connection *conn, struct error *err)
{
	struct attempt *winner = NULL;
	int ret;

	race->deadline = time_after(race->timeout);
	race->give_up = time_after(race->wait);
	/* within a short timeout every attempt still gets its share */
	if (!race->to->in_turn)
		race->delay = smaller(ATTEMPT_DELAY, race->timeout / race->n);
	schedule(race);
	ret = watch(race, &conn->cancel_fd, &winner, err);
	if (winner) {
		conn->fd = winner->fd;
		winner->fd = -1;
		address_and_port(winner->to->ai_addr, winner->to->ai_addrlen,
				 conn->address);
	} else if (!error_is_set(err)) {
		ret = fail_all(race, err);
	}
	for (size_t i = 0; i < race->n; i++)
		stop(&race->attempts[i]);
	return ret;
}

/* Find the network in which this end has the address by which it sends to TO,
 * from FROM if that is not NULL.  Nothing is sent. */
static bool find_way(const struct addrinfo *to, const struct addrinfo *from,
		     struct subnet *subnet)
{
	const int fd = socket(to->ai_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	bool found;

	if (fd < 0)
		return false;
	found = (!from || !address_bind(fd, from)) &&
		!connect(fd, to->ai_addr, to->ai_addrlen) &&
		oob_subnet(fd, subnet);
	close(fd);
	return found;
}

static bool is_known(const struct ways *ways, const struct subnet *subnet)
{
	for (uint32_t i = 0; i < ways->n; i++)
		if (!memcmp(&ways->list[i].address, &subnet->address,
			    sizeof(subnet->address)))
			return true;
	return false;
}

/* Find the ways to all addresses, so that the path of a test does not depend on
 * which of them wins. */
static void find_ways(const struct race *race, struct ways *ways)
{
	struct subnet subnet;

	for (size_t i = 0; i < race->n && ways->n < WAYS_MAX; i++) {
		const struct attempt *a = &race->attempts[i];

		if (find_way(a->to, a->from, &subnet) &&
		    !is_known(ways, &subnet))
			ways->list[ways->n++] = subnet;
	}
}

int oob_connect(const struct destination *to, uint64_t timeout, uint64_t wait,
		int cancel_fd, struct connection *conn, struct error *err)
{
	struct race race = { .to = to, .timeout = timeout, .wait = wait };
	const struct wait_limit limit = { timeout, &conn->cancel_fd };
	const int one = 1;
	int ret;

	oob_adopt(-1, cancel_fd, "server", conn);
	ret = resolve(&race, &limit, err) ?:
	      make_attempts(&race, err) ?:
	      run(&race, conn, err);
	if (!ret) {
		setsockopt(conn->fd, IPPROTO_TCP, TCP_NODELAY, &one,
			   sizeof(one));
		find_ways(&race, &conn->ways);
	}
	if (race.list)
		freeaddrinfo(race.list);
	if (race.local_list)
		freeaddrinfo(race.local_list);
	free(race.attempts);
	free(race.fds);
	return ret;
}
