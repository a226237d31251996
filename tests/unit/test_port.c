/* Names, addresses and MTUs. */
#include "config.h"
#include "test.h"

#include <arpa/inet.h>

#include "model/port.h"
#include "model/result.h"

TEST(test_names)
{
	struct port port = { .link_layer = IBV_LINK_LAYER_ETHERNET };

	assert_true(port_is_ethernet(&port));
	assert_string_equal(port_link_layer_name(&port), "Ethernet");
	port.link_layer = IBV_LINK_LAYER_INFINIBAND;
	assert_false(port_is_ethernet(&port));
	assert_string_equal(port_link_layer_name(&port), "InfiniBand");
	port.state = IBV_PORT_ACTIVE;
	assert_string_equal(port_state_name(&port), "ACTIVE");
	port.state = IBV_PORT_DOWN;
	assert_string_equal(port_state_name(&port), "DOWN");
	port.state = 200;
	assert_string_equal(port_state_name(&port), "unknown");
	assert_string_equal(gid_type_name(IBV_GID_TYPE_IB), "IB");
	assert_string_equal(gid_type_name(IBV_GID_TYPE_ROCE_V1), "RoCE v1");
	assert_string_equal(gid_type_name(IBV_GID_TYPE_ROCE_V2), "RoCE v2");
	assert_string_equal(gid_type_name(77), "unknown");
}

TEST(test_gids)
{
	static const struct {
		const char *text;
		bool ipv4;
		bool link_local;
		bool multicast;
	} rows[] = {
		{ "::ffff:10.0.0.1", true, false, false },
		{ "::ffff:169.254.3.4", true, true, false },
		{ "::ffff:169.253.3.4", true, false, false },
		{ "fe80::1", false, true, false },
		{ "febf::1", false, true, false },
		{ "fec0::1", false, false, false },
		{ "2001:db8::1", false, false, false },
		{ "::1", false, false, false },
		{ "::fffe:10.0.0.1", false, false, false },
		{ "1::ffff:10.0.0.1", false, false, false },
		{ "ff0e::1", false, false, true },
		{ "feff::1", false, false, false },
		{ "::ffff:224.0.0.1", true, false, true },
		{ "::ffff:223.255.255.255", true, false, false },
		{ "::ffff:255.255.255.255", true, false, true },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		char text[GID_TEXT_SIZE];
		union ibv_gid gid, again;

		assert_int_equal(inet_pton(AF_INET6, rows[i].text, gid.raw), 1);
		assert_int_equal(gid_is_ipv4(&gid), rows[i].ipv4);
		assert_int_equal(gid_is_link_local(&gid), rows[i].link_local);
		assert_int_equal(gid_is_multicast(&gid), rows[i].multicast);
		assert_ptr_equal(gid_format(&gid, text), text);
		assert_int_equal(inet_pton(AF_INET6, text, again.raw), 1);
		assert_memory_equal(again.raw, gid.raw, 16);
	}
}

TEST(test_mtus)
{
	uint32_t bytes = 256;

	for (uint8_t mtu = IBV_MTU_256; mtu <= IBV_MTU_4096; mtu++) {
		assert_int_equal(mtu_bytes(mtu), bytes);
		assert_int_equal(mtu_from_bytes(bytes), mtu);
		assert_int_equal(mtu_from_bytes(bytes + 1), 0);
		bytes *= 2;
	}
	assert_int_equal(mtu_bytes(0), 0);
	assert_int_equal(mtu_bytes(6), 0);
	assert_int_equal(mtu_bytes(255), 0);
	assert_int_equal(mtu_from_bytes(0), 0);
	assert_int_equal(mtu_from_bytes(8192), 0);
}

TEST(test_which_gid_is_whose)
{
	struct result r = { .has_path = true, .path = { .global = true } };

	assert_ptr_equal(result_gid(&r, true), &r.path.local);
	assert_ptr_equal(result_gid(&r, false), &r.path.remote);
	r.at_server = true;
	assert_ptr_equal(result_gid(&r, true), &r.path.remote);
	assert_ptr_equal(result_gid(&r, false), &r.path.local);
	r.path.global = false;
	assert_null(result_gid(&r, true));
	r.path.global = true;
	r.has_path = false;
	assert_null(result_gid(&r, true));
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_names),
	cmocka_unit_test(test_gids),
	cmocka_unit_test(test_mtus),
	cmocka_unit_test(test_which_gid_is_whose),
};

TEST_MAIN(tests, 10)
