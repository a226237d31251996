/* Lists of networks: what is one, and who is in it. */
#include "config.h"
#include "test.h"

#include <arpa/inet.h>
#include <errno.h>

#include "base/ip.h"

static struct ip_address address_of(const char *text)
{
	struct ip_address a = { .bytes = { [10] = 0xff, [11] = 0xff } };

	if (inet_pton(AF_INET, text, a.bytes + 12) != 1)
		assert_int_equal(inet_pton(AF_INET6, text, a.bytes), 1);
	return a;
}

static bool contains(const char *list, const char *address)
{
	struct ip_address a = address_of(address);
	struct networks networks;

	assert_int_equal(networks_parse(list, &networks), 0);
	assert_string_equal(networks.text, list);
	return networks_contain(&networks, &a);
}

TEST(test_who_is_in_a_network)
{
	static const struct {
		const char *list, *in, *out;
	} cases[] = {
		{ "10.0.0.0/8", "10.255.0.1", "11.0.0.0" },
		{ "10.0.0.0/8", "::ffff:10.1.2.3", "::10.1.2.3" },
		{ "192.0.2.7", "192.0.2.7", "192.0.2.6" },
		{ "192.0.2.7/32", "192.0.2.7", "192.0.2.8" },
		{ "192.0.2.6/31", "192.0.2.7", "192.0.2.8" },
		{ "128.0.0.0/1", "255.255.255.255", "127.255.255.255" },
		{ "172.16.0.0/12", "172.31.255.255", "172.32.0.0" },
		{ "0.0.0.0/0", "203.0.113.1", "2001:db8::1" },
		{ "::/0", "2001:db8::1", "203.0.113.1" },
		{ "::/95", "::1", "203.0.113.1" },
		{ "::ffff:0.0.0.0/96", "203.0.113.1", "::1" },
		{ "::ffff:10.0.0.0/104", "10.9.9.9", "11.0.0.0" },
		{ "2001:db8::/32", "2001:db8:ffff::", "2001:db9::" },
		{ "2001:db8::/33", "2001:db8:7fff::", "2001:db8:8000::" },
		{ "fe80::1", "fe80::1", "fe80::2" },
		{ "::1/128", "::1", "::" },
		{ "10.0.0.1,::1", "::1", "10.0.0.2" },
		{ "10.0.0.1,::1", "10.0.0.1", "127.0.0.1" },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		assert_true(contains(cases[i].list, cases[i].in));
		assert_false(contains(cases[i].list, cases[i].out));
	}
}

TEST(test_nobody_is_in_none)
{
	const struct networks none = { 0 };
	struct ip_address a = address_of("::");

	assert_false(networks_contain(&none, &a));
}

TEST(test_what_is_no_network)
{
	static const char *const texts[] = {
		"", ",", "10.0.0.0/8,", ",10.0.0.0/8", "10.0.0.0/8,,::1",
		"10", "10.0.0", "10.0.0.256", "010.0.0.1", "0x0a.0.0.1",
		"10.0.0.0/", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/+8",
		"10.0.0.0/8/8", "10.0.0.0/255.0.0.0", "10.0.0.0/ 8",
		" 10.0.0.0/8", "10.0.0.0/8 ", "10.0.0.1/8", "192.0.2.7/31",
		"0.0.0.1/0", "::/129", "::1/127", "2001:db8::1/32", ":::/8",
		"fe80::1%lo", "localhost", "[::1]", "10.0.0.0/99999999999999",
		"10.0.0.0/18446744073709551624", "::1/0",
		"1111:2222:3333:4444:5555:6666:7777:8888:9999/128",
		"00000000000000000000000000000000000000000000000000000000::",
	};
	struct networks networks = { .n = 77 };

	for (size_t i = 0; i < COUNT(texts); i++) {
		assert_int_equal(networks_parse(texts[i], &networks), -EINVAL);
		assert_int_equal(networks.n, 77);
	}
}

TEST(test_how_many_networks)
{
	char text[(NETWORKS_MAX + 1) * 4 + 1] = "";
	struct networks networks;

	for (int i = 0; i < NETWORKS_MAX; i++)
		strcat(text, i ? ",::1" : "::1");
	assert_int_equal(networks_parse(text, &networks), 0);
	assert_int_equal(networks.n, NETWORKS_MAX);
	strcat(text, ",::1");
	assert_int_equal(networks_parse(text, &networks), -E2BIG);
}

static bool same_host(const char *one, const char *other)
{
	struct networks a, b;

	assert_int_equal(networks_parse(one, &a), 0);
	assert_int_equal(networks_parse(other, &b), 0);
	return networks_same_host(&a.list[0].address, &b.list[0].address);
}

TEST(test_same_host)
{
	assert_true(same_host("10.0.0.1", "10.0.0.1"));
	assert_true(same_host("10.0.0.1", "::ffff:10.0.0.1"));
	assert_false(same_host("10.0.0.1", "10.0.0.2"));
	assert_true(same_host("2001:db8:0:1::1", "2001:db8:0:1:ffff::2"));
	assert_false(same_host("2001:db8:0:1::1", "2001:db8:0:2::1"));
	/* all of IPv4 shares its first 64 bits with these */
	assert_false(same_host("10.0.0.1", "::1"));
	assert_false(same_host("::1", "10.0.0.1"));
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_who_is_in_a_network),
	cmocka_unit_test(test_nobody_is_in_none),
	cmocka_unit_test(test_what_is_no_network),
	cmocka_unit_test(test_how_many_networks),
	cmocka_unit_test(test_same_host),
};

TEST_MAIN(tests, 10)
