/* A server with several addresses: which of them is reached, and what is said
 * when none is.  And the addresses that reach many hosts at once. */
#include "config.h"
#include "test.h"

#include <arpa/inet.h>
#include <errno.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <sys/socket.h>

#include "base/time.h"
#include "base/xalloc.h"
#include "net/oob.h"
#include "verbs/qp.h"
#include "try_connect.h"

#define MS 1000000ULL
#define NAMES_MAX 8

/* What getaddrinfo(3) finds, in this program: each word of the name is one
 * address. */
struct found {
	struct addrinfo info;
	struct sockaddr_in in;
	struct sockaddr_in6 in6;
};

static void add(struct found *f, const char *word, uint16_t at)
{
	const bool is_ipv6 = strchr(word, ':');

	f->in.sin_family = AF_INET;
	f->in6.sin6_family = AF_INET6;
	f->in.sin_port = f->in6.sin6_port = htons(at);
	f->info.ai_family = is_ipv6 ? AF_INET6 : AF_INET;
	f->info.ai_addr = is_ipv6 ? (struct sockaddr *)&f->in6 :
				    (struct sockaddr *)&f->in;
	f->info.ai_addrlen = is_ipv6 ? sizeof(f->in6) : sizeof(f->in);
	assert_int_equal(inet_pton(f->info.ai_family, word,
				   is_ipv6 ? (void *)&f->in6.sin6_addr :
					     &f->in.sin_addr), 1);
}

int getaddrinfo(const char *node, const char *service,
		const struct addrinfo *hints, struct addrinfo **list)
{
	struct found *found = xcalloc(NAMES_MAX, sizeof(*found));
	char copy[200], *rest = copy, *word;
	size_t n = 0;

	/* which is none where there are several */
	if (hints->ai_flags & AI_NUMERICHOST && strchr(node, ' ')) {
		free(found);
		return EAI_NONAME;
	}
	snprintf(copy, sizeof(copy), "%s", node);
	while ((word = strsep(&rest, " "))) {
		assert_true(n < NAMES_MAX);
		add(&found[n], word, (uint16_t)atoi(service));
		if (n)
			found[n - 1].info.ai_next = &found[n].info;
		n++;
	}
	*list = &found[0].info;
	return 0;
}

void freeaddrinfo(struct addrinfo *list)
{
	free(list);
}

/* A socket of ADDRESS at *PORT, or any when that is 0. */
static int bound(const char *address, uint32_t *port)
{
	struct sockaddr_in in = { .sin_family = AF_INET,
				  .sin_port = htons((uint16_t)*port) };
	socklen_t length = sizeof(in);
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	assert_true(fd >= 0);
	assert_int_equal(inet_pton(AF_INET, address, &in.sin_addr), 1);
	assert_int_equal(bind(fd, (struct sockaddr *)&in, length), 0);
	assert_int_equal(getsockname(fd, (struct sockaddr *)&in, &length), 0);
	*port = ntohs(in.sin_port);
	return fd;
}

/* One that is bound and does not listen refuses, until it is closed. */
static int refusing(uint32_t *port)
{
	return bound("0.0.0.0", port);
}

static int listening(const char *address, uint32_t *port)
{
	int fd = bound(address, port);

	assert_int_equal(listen(fd, 4), 0);
	return fd;
}

#define CROWD 4

/* An address that more want to reach than it has room for does not answer. */
struct deaf {
	int listener;
	int crowd[CROWD];
};

static struct deaf deaf(const char *address, uint32_t *port)
{
	struct deaf d = { .listener = bound(address, port) };
	struct sockaddr_in in;
	socklen_t length = sizeof(in);

	assert_int_equal(listen(d.listener, 0), 0);
	getsockname(d.listener, (struct sockaddr *)&in, &length);
	for (int i = 0; i < CROWD; i++) {
		d.crowd[i] = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
		connect(d.crowd[i], (struct sockaddr *)&in, length);
	}
	return d;
}

static void end_deaf(struct deaf *d)
{
	for (int i = 0; i < CROWD; i++)
		close(d->crowd[i]);
	close(d->listener);
}

/* HOST cannot be reached at PORT, and this is WHY. */
static struct error check_fails(const char *host, uint32_t port, int ret,
				const char *why)
{
	struct connection conn = { .fd = -1 };
	struct error err = { 0 };
	char text[300];

	assert_int_equal(try_connect(host, port, 0, NULL, 500 * MS, 0, -1, &conn,
				     &err), ret);
	snprintf(text, sizeof(text), "cannot connect to %s port %u: %s", host,
		 port, why);
	assert_message(&err, text);
	assert_int_equal(conn.fd, -1);
	return err;
}

/* At PORT, HOST is reached at ADDRESS, in MOST ns. */
static void check_reached(const char *host, uint32_t port,
			  const char *address, uint64_t timeout, uint64_t most)
{
	struct connection conn = { .fd = -1 };
	uint64_t start = time_now();
	struct error err = { 0 };
	char text[60];

	if (try_connect(host, port, 0, NULL, timeout, 0, -1, &conn, &err))
		fail_msg("%s", err.message);
	assert_true(time_since(start) < most);
	snprintf(text, sizeof(text), "%s port %u", address, port);
	assert_string_equal(conn.address, text);
	assert_true(conn.fd >= 0);
	assert_false(error_is_set(&err));
	oob_close(&conn);
}

/* The first address that has a server, after those that have none. */
TEST(test_first_that_answers)
{
	uint32_t port = 0;
	int second = listening("127.0.0.2", &port);
	int fourth = listening("127.0.0.4", &port);

	check_reached("127.0.0.1 127.0.0.2 127.0.0.3", port, "127.0.0.2",
		      30000 * MS, 15000 * MS);
	check_reached("127.0.0.4 127.0.0.2", port, "127.0.0.4", 30000 * MS,
		      15000 * MS);
	check_reached("127.0.0.1 127.0.0.3 127.0.0.4", port, "127.0.0.4",
		      30000 * MS, 15000 * MS);
	close(second);
	close(fourth);
}

/* One that refuses does not keep the next one waiting at all: for the 250 ms
 * after which each is due otherwise. */
TEST(test_many_that_refuse)
{
	uint32_t port = 0;
	int last = listening("127.0.0.8", &port);

	check_reached("127.0.0.1 127.0.0.2 127.0.0.3 127.0.0.4 127.0.0.5 "
		      "127.0.0.6 127.0.0.7 127.0.0.8", port, "127.0.0.8",
		      30000 * MS, 1500 * MS);
	close(last);
}

/* One that says nothing does not keep the next one waiting for long, but has
 * some time for itself. */
TEST(test_one_that_says_nothing)
{
	uint64_t start = time_now();
	uint32_t port = 0;
	int listener = listening("127.0.0.1", &port);
	struct deaf first = deaf("127.0.0.2", &port);

	check_reached("127.0.0.2 127.0.0.1", port, "127.0.0.1", 60000 * MS,
		      20000 * MS);
	assert_true(time_since(start) >= 250 * MS);
	end_deaf(&first);
	close(listener);
}

/* Each has a part of a time that is over before the second would be due
 * otherwise: here 120 ms, for which a busy machine gets another chance. */
TEST(test_short_time)
{
	uint32_t port = 0;
	int listener = listening("127.0.0.1", &port), ret = -1;
	struct deaf first = deaf("127.0.0.2", &port);
	struct connection conn = { .fd = -1 };

	for (int i = 0; i < 10 && ret; i++) {
		struct error err = { 0 };

		ret = try_connect("127.0.0.2 127.0.0.1", port, 0, NULL, 240 * MS,
				  0, -1, &conn, &err);
	}
	assert_int_equal(ret, 0);
	assert_int_equal(strncmp(conn.address, "127.0.0.1 ", 10), 0);
	oob_close(&conn);
	end_deaf(&first);
	close(listener);
}

/* A server that takes the first connection for its client, as perftest does,
 * gets no other one: the next address is tried only once one has failed, which
 * the first does here when its part of the time is over. */
TEST(test_one_connection_at_a_time)
{
	struct destination to = { .host = "127.0.0.2 127.0.0.1",
				  .in_turn = true };
	struct connection conn = { .fd = -1 };
	uint64_t start = time_now();
	struct error err = { 0 };
	int listener = listening("127.0.0.1", &to.port);
	struct deaf first = deaf("127.0.0.2", &to.port);

	assert_int_equal(oob_connect(&to, 2000 * MS, 0, -1, &conn, &err), 0);
	assert_int_equal(strncmp(conn.address, "127.0.0.1 ", 10), 0);
	assert_true(time_since(start) >= 1000 * MS);
	oob_close(&conn);
	end_deaf(&first);

	/* one that refuses takes no time, however often it is tried again */
	to.host = "127.0.0.3 127.0.0.2 127.0.0.1";
	start = time_now();
	assert_int_equal(oob_connect(&to, 60000 * MS, 60000 * MS, -1, &conn,
				     &err), 0);
	assert_true(time_since(start) < 15000 * MS);
	oob_close(&conn);
	close(listener);
}

TEST(test_nothing_answers)
{
	uint64_t start = time_now();
	uint32_t port = 0;
	struct deaf d = deaf("127.0.0.1", &port);
	struct error err = check_fails("127.0.0.1", port, -ETIMEDOUT,
				       "Connection timed out");

	assert_true(time_since(start) >= 500 * MS);
	assert_contains(err.advice, "no answer");
	end_deaf(&d);
}

/* Nor does any answer that is tried in turn: all have the time together. */
TEST(test_nothing_answers_in_turn)
{
	struct destination to = { .host = "127.0.0.1 127.0.0.2",
				  .in_turn = true };
	struct connection conn = { .fd = -1 };
	uint64_t start = time_now();
	struct error err = { 0 };
	struct deaf one = deaf("127.0.0.1", &to.port);
	struct deaf other = deaf("127.0.0.2", &to.port);

	assert_int_equal(oob_connect(&to, 500 * MS, 0, -1, &conn, &err),
			 -ETIMEDOUT);
	assert_true(time_since(start) >= 500 * MS);
	assert_contains(err.message, "127.0.0.1, 127.0.0.2: Connection timed");
	end_deaf(&one);
	end_deaf(&other);
}

/* Each cause is said once, with the addresses it is of: three, or how many more
 * there are.  What is to be done is said of the most telling one. */
TEST(test_causes)
{
	struct connection conn = { .fd = -1 };
	uint32_t port = 0;
	int fd = refusing(&port);
	struct error err = { 0 };
	struct deaf d;

	/* it is not the fault of a --bind */
	assert_int_equal(try_connect("127.0.0.1", port, 0, "127.0.0.5",
				     1000 * MS, 0, -1, &conn, &err),
			 -ECONNREFUSED);
	assert_contains(err.advice, "verbsperf serve");

	err = check_fails("127.0.0.1", port, -ECONNREFUSED,
			  "Connection refused");
	assert_contains(err.advice, "verbsperf serve");
	check_fails("127.0.0.1 127.0.0.2 127.0.0.3", port, -ECONNREFUSED,
		    "127.0.0.1, 127.0.0.2, 127.0.0.3: Connection refused");
	check_fails("127.0.0.1 127.0.0.2 127.0.0.3 127.0.0.4", port,
		    -ECONNREFUSED, "127.0.0.1, 127.0.0.2, 127.0.0.3 and 1 "
		    "more: Connection refused");
	close(fd);
	d = deaf("127.0.0.1", &port);
	err = check_fails("127.0.0.1 127.0.0.2 127.0.0.3", port, -ECONNREFUSED,
			  "127.0.0.1: Connection timed out; 127.0.0.2, "
			  "127.0.0.3: Connection refused");
	assert_contains(err.advice, "verbsperf serve");
	check_fails("127.0.0.2 127.0.0.3 127.0.0.1 127.0.0.4", port,
		    -ECONNREFUSED, "127.0.0.2, 127.0.0.3, 127.0.0.4: "
		    "Connection refused; 127.0.0.1: Connection timed out");
	end_deaf(&d);
}

/* A --bind names addresses of this machine, of which one has to do. */
TEST(test_bind_to_one_of_several)
{
	struct connection conn = { .fd = -1 };
	struct error err = { 0 };
	uint32_t port = 0;
	int listener = listening("127.0.0.1", &port), fd;
	struct sockaddr_in from;
	socklen_t length = sizeof(from);

	assert_int_equal(try_connect("127.0.0.1", port, 0,
				     "192.0.2.77 127.0.0.5 127.0.0.6",
				     10000 * MS, 0, -1, &conn, &err), 0);
	fd = accept(listener, (struct sockaddr *)&from, &length);
	assert_int_equal(ntohl(from.sin_addr.s_addr), 0x7f000005);
	close(fd);
	oob_close(&conn);
	assert_int_equal(try_connect("127.0.0.1", port, 0,
				     "192.0.2.77 192.0.2.78", 1000 * MS, 0, -1,
				     &conn, &err), -EADDRNOTAVAIL);
	assert_message(&err, "--bind 192.0.2.77 192.0.2.78: Cannot assign "
			     "requested address");
	close(listener);
}

static int try_ipv6(uint32_t *port)
{
	struct sockaddr_in6 in = { .sin6_family = AF_INET6,
				   .sin6_addr = IN6ADDR_LOOPBACK_INIT };
	socklen_t length = sizeof(in);
	int fd = socket(AF_INET6, SOCK_STREAM, 0);

	if (fd >= 0 && bind(fd, (struct sockaddr *)&in, length)) {
		close(fd);
		return -1;
	}
	if (fd < 0)
		return -1;
	assert_int_equal(listen(fd, 4), 0);
	assert_int_equal(getsockname(fd, (struct sockaddr *)&in, &length), 0);
	*port = ntohs(in.sin6_port);
	return fd;
}

/* It may name addresses of both families: one of the server's is taken. */
TEST(test_bind_of_both_families)
{
	struct connection conn = { .fd = -1 };
	struct error err = { 0 };
	uint32_t port = 0;
	int listener = try_ipv6(&port);

	if (listener < 0)
		skip();		/* a machine without IPv6 */
	assert_int_equal(try_connect("::1", port, 0, "127.0.0.5 127.0.0.6 ::1",
				     10000 * MS, 0, -1, &conn, &err), 0);
	assert_int_equal(strncmp(conn.address, "::1 ", 4), 0);
	oob_close(&conn);
	assert_int_equal(try_connect("::1", port, 0, "127.0.0.5", 10000 * MS, 0,
				     -1, &conn, &err), -EAFNOSUPPORT);
	assert_contains(err.message, "it has only IPv6 addresses, and --bind "
				     "127.0.0.5 has only IPv4 addresses");
	close(listener);
}

/* -4 and -6: an address of the other family is not tried. */
TEST(test_one_family)
{
	struct connection conn = { .fd = -1 };
	struct error err = { 0 };
	uint32_t port = 0;
	int listener = listening("127.0.0.1", &port);

	assert_int_equal(try_connect("::1 127.0.0.1", port, AF_INET, NULL,
				     10000 * MS, 0, -1, &conn, &err), 0);
	assert_int_equal(strncmp(conn.address, "127.0.0.1 ", 10), 0);
	assert_int_equal(conn.ways.n, 1);
	oob_close(&conn);
	assert_int_equal(try_connect("127.0.0.1", port, AF_INET6, NULL,
				     10000 * MS, 0, -1, &conn, &err),
			 -EAFNOSUPPORT);
	assert_contains(err.message, "it has only IPv4 addresses, and --ipv6");
	assert_contains(err.advice, "--ipv6");
	err = (struct error){ 0 };
	assert_int_equal(try_connect("::1 127.0.0.1", port, AF_INET6,
				     "127.0.0.5", 10000 * MS, 0, -1, &conn,
				     &err), -EAFNOSUPPORT);
	assert_contains(err.message, "only IPv6 addresses, and --bind");
	close(listener);
}

/* What getifaddrs(3) finds: this machine's interfaces, in this program. */
static const struct {
	const char *address;	/* NULL: none */
	const char *netmask;
	unsigned int flags;
} interfaces[] = {
	{ NULL, NULL, IFF_BROADCAST },
	{ "127.0.0.1", "255.0.0.0", IFF_LOOPBACK },
	{ "10.1.2.3", "255.255.255.0", IFF_BROADCAST },
	{ "10.9.0.0", "255.255.255.254", IFF_BROADCAST },
	{ "10.9.0.7", "255.255.255.255", IFF_BROADCAST },
	{ "10.8.0.1", "255.255.255.0", IFF_POINTOPOINT },
	{ "172.16.5.4", "255.255.240.0", IFF_BROADCAST },
};

struct interface {
	struct ifaddrs entry;
	struct sockaddr_in address, netmask;
};

static void set_address(struct sockaddr_in *in, const char *text)
{
	in->sin_family = AF_INET;
	assert_int_equal(inet_pton(AF_INET, text, &in->sin_addr), 1);
}

int getifaddrs(struct ifaddrs **list)
{
	struct interface *all = xcalloc(COUNT(interfaces), sizeof(*all));

	for (size_t i = 0; i < COUNT(interfaces); i++) {
		struct interface *one = &all[i];

		if (i)
			all[i - 1].entry.ifa_next = &one->entry;
		one->entry.ifa_flags = interfaces[i].flags;
		if (!interfaces[i].address)
			continue;
		set_address(&one->address, interfaces[i].address);
		set_address(&one->netmask, interfaces[i].netmask);
		one->entry.ifa_addr = (struct sockaddr *)&one->address;
		one->entry.ifa_netmask = (struct sockaddr *)&one->netmask;
	}
	*list = &all[0].entry;
	return 0;
}

void freeifaddrs(struct ifaddrs *list)
{
	free(list);
}

/* A peer that names such an address would have all hosts there sent to. */
TEST(test_broadcast)
{
	static const struct {
		const char *address;
		bool is;
	} rows[] = {
		{ "10.1.2.255", true },	 { "172.16.15.255", true },
		{ "10.1.2.3", false },	 { "10.1.2.254", false },
		{ "10.1.2.0", false },	 { "10.1.3.255", false },
		{ "172.16.5.255", false }, { "172.16.31.255", false },
		/* of networks that have none */
		{ "127.255.255.255", false }, { "10.8.0.255", false },
		{ "10.9.0.1", false },	 { "10.9.0.7", false },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct ip_address ip = { { [10] = 0xff, [11] = 0xff } };

		assert_int_equal(inet_pton(AF_INET, rows[i].address,
					   ip.bytes + 12), 1);
		if (address_is_broadcast(&ip) != rows[i].is)
			fail_msg("%s", rows[i].address);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_broadcast),
	cmocka_unit_test(test_first_that_answers),
	cmocka_unit_test(test_one_that_says_nothing),
	cmocka_unit_test(test_short_time),
	cmocka_unit_test(test_one_connection_at_a_time),
	cmocka_unit_test(test_nothing_answers),
	cmocka_unit_test(test_nothing_answers_in_turn),
	cmocka_unit_test(test_causes),
	cmocka_unit_test(test_many_that_refuse),
	cmocka_unit_test(test_bind_to_one_of_several),
	cmocka_unit_test(test_bind_of_both_families),
	cmocka_unit_test(test_one_family),
};

TEST_MAIN(tests, 60)
