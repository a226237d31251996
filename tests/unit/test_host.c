/* What users call a host, and the order of its addresses. */
#include "config.h"
#include "test.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "net/address.h"

#define MOST 12

static void check_host(const char *text, const char *host)
{
	struct error err = { 0 };
	char got[HOST_SIZE];

	assert_int_equal(host_parse(text, NULL, got, &err), 0);
	assert_string_equal(got, host);
}

TEST(test_hosts)
{
	check_host("node1", "node1");
	check_host("10.0.0.1", "10.0.0.1");
	check_host("::1", "::1");
	check_host("[::1]", "::1");
	check_host("[a]", "a");
	check_host("[fe80::1%eth0]", "fe80::1%eth0");
	check_host("fe80::1%eth0", "fe80::1%eth0");
	check_host("2001:db8::18515", "2001:db8::18515");
	check_host("1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7:8");
	/* of which getaddrinfo() says what is wrong */
	check_host("", "");
	check_host("[]", "[]");
	check_host("[::1", "[::1");
	check_host(":1", ":1");
	check_host("node1:", "node1:");
	check_host("node1:ssh", "node1:ssh");
	check_host("a:b:1", "a:b:1");
}

static void check_port(const char *text, const char *option,
		       const char *message, const char *advice)
{
	struct error err = { 0 };
	char got[HOST_SIZE];

	assert_int_equal(host_parse(text, option, got, &err), -EINVAL);
	assert_message(&err, message);
	assert_string_equal(err.advice, advice);
}

TEST(test_ports)
{
	check_port("10.0.0.1:1", "--bind",
		   "--bind 10.0.0.1:1: a port is not part of an address",
		   "write --bind 10.0.0.1 --port 1");
	check_port("[::1]:18515", "--bind",
		   "--bind [::1]:18515: a port is not part of an address",
		   "write --bind ::1 --port 18515");
	check_port("::1:18515", NULL,
		   "server ::1:18515: a port is not part of an address",
		   "write [::1]:18515");
	check_port("1:2:3:4:5:6:7:8:9", NULL,
		   "server 1:2:3:4:5:6:7:8:9: a port is not part of an "
		   "address", "write [1:2:3:4:5:6:7:8]:9");
}

/* The port of TEXT is PORT, 0 for none, and what is left is HOST. */
static void check_cut(const char *text, const char *host, uint32_t port)
{
	char copy[HOST_SIZE];
	struct error err = { 0 };
	uint32_t found = 0;

	strcpy(copy, text);
	assert_int_equal(host_cut_port(copy, &found, &err), 0);
	assert_string_equal(copy, host);
	assert_int_equal(found, port);
}

TEST(test_ports_of_servers)
{
	static const struct {
		const char *text, *message;
	} refused[] = {
		{ "a:0", "a port is 1 to 65535" },
		{ "a:65536", "a port is 1 to 65535" },
		{ "[::1]:99999", "a port is 1 to 65535" },
		{ "::1:18515", "a port is not part of an address" },
		{ "a:99999999999999999999", "a port is 1 to 65535" },
		{ "node1:ssh", "'ssh' is no port: expected 1 to 65535" },
		{ "node1:", "'' is no port" },
		{ "10.0.0.1:1x", "'1x' is no port" },
		{ "[::1]:abc", "'abc' is no port" },
		{ "user@node1", "a user is not part of it" },
		{ "user@node1:22x", "a user is not part of it" },
		{ "http://node1", "a protocol is not part of it" },
	};
	uint32_t port = 7;

	check_cut("node1:18515", "node1", 18515);
	check_cut("10.0.0.1:1", "10.0.0.1", 1);
	check_cut("[::1]:65535", "[::1]", 65535);
	check_cut("[fe80::1%eth0]:5", "[fe80::1%eth0]", 5);
	check_cut("node1", "node1", 0);
	check_cut("::1", "::1", 0);
	check_cut("[::1]", "[::1]", 0);
	check_cut("fe80::1%eth0", "fe80::1%eth0", 0);
	for (size_t i = 0; i < COUNT(refused); i++) {
		struct error err = { 0 };
		char copy[HOST_SIZE];

		strcpy(copy, refused[i].text);
		assert_int_equal(host_cut_port(copy, &port, &err), -EINVAL);
		assert_contains(err.message, refused[i].message);
		assert_int_equal(port, 7);
	}
}

TEST(test_too_long)
{
	uint32_t port = 0;
	struct error err = { 0 };
	char text[HOST_SIZE + 1], got[HOST_SIZE];

	memset(text, 'a', HOST_SIZE);
	text[HOST_SIZE] = '\0';
	assert_int_equal(host_parse(text, NULL, got, &err), -EINVAL);
	assert_contains(err.message, "too long");
	memcpy(text + HOST_SIZE - 2, ":1", 2);
	error_clear(&err);
	assert_int_equal(host_cut_port(text, &port, &err), 0);
	assert_int_equal(port, 0);
	text[HOST_SIZE - 2] = 'a';
	text[HOST_SIZE - 1] = '\0';
	check_host(text, text);
}

struct addresses {
	struct addrinfo list[MOST];
	struct sockaddr_storage of[MOST];
	size_t n;
};

static void add(struct addresses *a, const char *text)
{
	struct addrinfo *info = &a->list[a->n];
	struct sockaddr_in *in = (struct sockaddr_in *)&a->of[a->n];
	struct sockaddr_in6 *in6 = (struct sockaddr_in6 *)&a->of[a->n];

	info->ai_addr = (struct sockaddr *)in;
	info->ai_family = strchr(text, ':') ? AF_INET6 : AF_INET;
	info->ai_addr->sa_family = (sa_family_t)info->ai_family;
	info->ai_addrlen = strchr(text, ':') ? sizeof(*in6) : sizeof(*in);
	assert_int_equal(inet_pton(info->ai_family, text,
				   strchr(text, ':') ? (void *)&in6->sin6_addr :
						       &in->sin_addr), 1);
	if (a->n)
		a->list[a->n - 1].ai_next = info;
	a->n++;
}

static void add_all(struct addresses *a, const char *texts)
{
	char copy[200], *place = NULL;

	memset(a, 0, sizeof(*a));
	snprintf(copy, sizeof(copy), "%s", texts);
	for (char *t = strtok_r(copy, " ", &place); t;
	     t = strtok_r(NULL, " ", &place))
		add(a, t);
}

/* The addresses TEXTS of FAMILY, with a --bind to LOCAL, are tried as in
 * WANTED. */
static void check_order_of(int family, const char *texts, const char *local,
			   const char *wanted)
{
	const struct addrinfo *order[MOST];
	struct addresses a, from;
	char got[200] = "";
	size_t n;

	add_all(&a, texts);
	add_all(&from, local);
	n = host_order(a.list, family, from.n ? from.list : NULL, order);
	for (size_t i = 0; i < n; i++) {
		const struct sockaddr *at = order[i]->ai_addr;
		size_t used = strlen(got);
		char text[50];

		inet_ntop(at->sa_family, at->sa_family == AF_INET ?
			  (const void *)&((struct sockaddr_in *)at)->sin_addr :
			  &((struct sockaddr_in6 *)at)->sin6_addr, text,
			  sizeof(text));
		snprintf(got + used, sizeof(got) - used, "%s%s", i ? " " : "",
			 text);
	}
	assert_string_equal(got, wanted);
}

static void check_order(const char *texts, const char *local,
			const char *wanted)
{
	check_order_of(0, texts, local, wanted);
}

TEST(test_families_take_turns)
{
	check_order("10.0.0.1", "", "10.0.0.1");
	check_order("fd00::1 fd00::2 fd00::3 10.0.0.1 10.0.0.2", "",
		    "fd00::1 10.0.0.1 fd00::2 10.0.0.2 fd00::3");
	check_order("10.0.0.1 fd00::1 fd00::2 fd00::3", "",
		    "10.0.0.1 fd00::1 fd00::2 fd00::3");
	check_order("10.0.0.2 10.0.0.1 fd00::2 fd00::1", "",
		    "10.0.0.2 fd00::2 10.0.0.1 fd00::1");
	check_order("fd00::1 fd00::2", "", "fd00::1 fd00::2");
}

TEST(test_each_address_once)
{
	check_order("10.0.0.1 10.0.0.1 fd00::1 10.0.0.2 fd00::1 10.0.0.1", "",
		    "10.0.0.1 fd00::1 10.0.0.2");
}

TEST(test_families_of_bind)
{
	check_order("fd00::1 10.0.0.1 fd00::2 10.0.0.2", "127.0.0.1",
		    "10.0.0.1 10.0.0.2");
	check_order("10.0.0.1 fd00::1 10.0.0.2 fd00::2", "::1",
		    "fd00::1 fd00::2");
	check_order("fd00::1 fd00::2 10.0.0.2", "::1 127.0.0.1",
		    "fd00::1 10.0.0.2 fd00::2");
	check_order("fd00::1 fd00::2", "127.0.0.1", "");
	check_order_of(AF_INET, "fd00::1 10.0.0.1 fd00::2 10.0.0.2", "",
		       "10.0.0.1 10.0.0.2");
	check_order_of(AF_INET6, "10.0.0.1 fd00::1 fd00::2", "::1",
		       "fd00::1 fd00::2");
	check_order_of(AF_INET6, "10.0.0.1 fd00::1", "127.0.0.1", "");
	check_order_of(AF_INET6, "10.0.0.1", "", "");
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_hosts),
	cmocka_unit_test(test_ports),
	cmocka_unit_test(test_ports_of_servers),
	cmocka_unit_test(test_too_long),
	cmocka_unit_test(test_families_take_turns),
	cmocka_unit_test(test_each_address_once),
	cmocka_unit_test(test_families_of_bind),
};

TEST_MAIN(tests, 10)
