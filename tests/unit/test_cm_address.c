/* Where a connection manager listens, and which address it calls. */
#include "config.h"
#include "test.h"

#include <arpa/inet.h>

#include "net/oob.h"

/* Of the connection over TCP. */
static struct sockaddr_storage tcp;

/* In place of that of the C library. */
int getpeername(int fd, struct sockaddr *address, socklen_t *length)
{
	(void)fd;
	memcpy(address, &tcp, sizeof(tcp));
	*length = sizeof(tcp);
	return 0;
}

static void check(const char *gid, bool global, const char *text,
		  uint32_t scope)
{
	const struct connection conn = { .fd = -1 };
	struct path path = { .global = global,
			     .remote.type = GID_TYPE_ROCE_V2 };
	struct sockaddr_storage address;
	const struct sockaddr_in6 *in6 = (const void *)&address;
	const struct sockaddr_in *in = (const void *)&address;
	const bool ipv4 = !strchr(text, ':');
	char got[INET6_ADDRSTRLEN];

	inet_pton(AF_INET6, gid, path.remote.raw.raw);
	cm_address_remote(&conn, &path, 4711, &address);
	assert_int_equal(address.ss_family, ipv4 ? AF_INET : AF_INET6);
	inet_ntop(address.ss_family, ipv4 ? (const void *)&in->sin_addr :
					    &in6->sin6_addr, got, sizeof(got));
	assert_string_equal(got, text);
	assert_int_equal(ntohs(in->sin_port), 4711);
	if (!ipv4)
		assert_int_equal(in6->sin6_scope_id, scope);
}

/* The address of a GID where it is a host's, or else that of TCP. */
TEST(test_addresses)
{
	struct sockaddr_in6 *in6 = (void *)&tcp;
	struct sockaddr_in *in = (void *)&tcp;

	in6->sin6_family = AF_INET6;
	in6->sin6_scope_id = 3;
	inet_pton(AF_INET6, "fe80::7", &in6->sin6_addr);
	check("2001:db8::1", true, "2001:db8::1", 0);
	check("::ffff:192.0.2.1", true, "192.0.2.1", 0);
	check("2001:db8::1", false, "fe80::7", 3);
	check("fe80::1", true, "fe80::7", 3);
	memset(&tcp, 0, sizeof(tcp));
	in->sin_family = AF_INET;
	inet_pton(AF_INET, "192.0.2.7", &in->sin_addr);
	check("2001:db8::1", true, "2001:db8::1", 0);
	check("fe80::1", true, "192.0.2.7", 0);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_addresses),
};

TEST_MAIN(tests, 10)
