/* Addresses of both families as 16 bytes. */
#include "config.h"
#include "test.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>

#include "base/ip.h"

TEST(test_texts)
{
	static const struct {
		const char *text, *same;	/* NULL: no address */
		bool ipv4;
	} rows[] = {
		{ "10.0.0.1", "::ffff:10.0.0.1", true },
		{ "::ffff:a00:1", "::ffff:10.0.0.1", true },
		{ "0.0.0.0", "::ffff:0.0.0.0", true },
		{ "::10.0.0.1", "::10.0.0.1", false },
		{ "::fffe:10.0.0.1", "::fffe:10.0.0.1", false },
		{ "1::ffff:10.0.0.1", "1::ffff:10.0.0.1", false },
		{ "fe80::1", "fe80::1", false },
		{ "::", "::", false },
		{ "", NULL, false },
		{ "10.0.0", NULL, false },
		{ "10.0.0.256", NULL, false },
		{ "fe80::1%lo", NULL, false },
		{ "::1/128", NULL, false },
		{ "host", NULL, false },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		uint8_t bytes[IP_SIZE], wanted[IP_SIZE];

		memset(bytes, 0x5a, sizeof(bytes));
		memset(wanted, 0x5a, sizeof(wanted));
		if (ip_parse(rows[i].text, bytes) !=
		    (rows[i].same ? 0 : -EINVAL))
			fail_msg("'%s'", rows[i].text);
		if (rows[i].same) {
			inet_pton(AF_INET6, rows[i].same, wanted);
			assert_true(ip_is_ipv4(bytes) == rows[i].ipv4);
		}
		assert_memory_equal(bytes, wanted, sizeof(wanted));
	}
}

TEST(test_common_prefix)
{
	uint8_t a[IP_SIZE], b[IP_SIZE];

	memset(a, 0xa5, sizeof(a));
	memcpy(b, a, sizeof(b));
	assert_int_equal(ip_common_prefix(a, b), 128);
	for (uint32_t bit = 0; bit < 128; bit++) {
		memcpy(b, a, sizeof(b));
		b[bit / 8] ^= (uint8_t)(0x80 >> bit % 8);
		assert_int_equal(ip_common_prefix(a, b), bit);
		b[15] ^= 1;
		assert_int_equal(ip_common_prefix(a, b),
				 bit == 127 ? 128 : bit);
	}
}

TEST(test_addresses_of_sockets)
{
	struct sockaddr_in in = { .sin_family = AF_INET, .sin_port = 0xffff };
	struct sockaddr_in6 in6 = { .sin6_family = AF_INET6,
				    .sin6_scope_id = 7 };
	const struct sockaddr other = { .sa_family = AF_UNIX };
	static const uint8_t zeros[IP_SIZE];
	uint8_t bytes[IP_SIZE], wanted[IP_SIZE];

	in.sin_addr.s_addr = inet_addr("10.1.2.3");
	assert_true(ip_from_socket((struct sockaddr *)&in, bytes));
	inet_pton(AF_INET6, "::ffff:10.1.2.3", wanted);
	assert_memory_equal(bytes, wanted, sizeof(wanted));
	inet_pton(AF_INET6, "fe80::1:2", &in6.sin6_addr);
	assert_true(ip_from_socket((struct sockaddr *)&in6, bytes));
	assert_memory_equal(bytes, &in6.sin6_addr, sizeof(bytes));
	assert_false(ip_from_socket(&other, bytes));
	assert_memory_equal(bytes, zeros, sizeof(zeros));
	memset(bytes, 0x5a, sizeof(bytes));
	assert_false(ip_from_socket(NULL, bytes));
	assert_memory_equal(bytes, zeros, sizeof(zeros));
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_texts),
	cmocka_unit_test(test_common_prefix),
	cmocka_unit_test(test_addresses_of_sockets),
};

TEST_MAIN(tests, 10)
