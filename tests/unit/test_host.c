/* What users call a host. */
#include "config.h"
#include "test.h"

#include <errno.h>
#include <string.h>

#include "control/host.h"

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
	check_port("node1:18515", NULL,
		   "server node1:18515: a port is not part of an address",
		   "write node1 --port 18515");
	check_port("10.0.0.1:1", "--bind",
		   "--bind 10.0.0.1:1: a port is not part of an address",
		   "write --bind 10.0.0.1 --port 1");
	check_port("[::1]:18515", NULL,
		   "server [::1]:18515: a port is not part of an address",
		   "write ::1 --port 18515");
	check_port("::1:18515", NULL,
		   "server ::1:18515: a port is not part of an address",
		   "write ::1 --port 18515");
	check_port("1:2:3:4:5:6:7:8:9", NULL,
		   "server 1:2:3:4:5:6:7:8:9: a port is not part of an "
		   "address", "write 1:2:3:4:5:6:7:8 --port 9");
}

TEST(test_too_long)
{
	struct error err = { 0 };
	char text[HOST_SIZE + 1], got[HOST_SIZE];

	memset(text, 'a', HOST_SIZE);
	text[HOST_SIZE] = '\0';
	assert_int_equal(host_parse(text, NULL, got, &err), -EINVAL);
	assert_contains(err.message, "too long");
	text[HOST_SIZE - 1] = '\0';
	check_host(text, text);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_hosts),
	cmocka_unit_test(test_ports),
	cmocka_unit_test(test_too_long),
};

TEST_MAIN(tests, 10)
