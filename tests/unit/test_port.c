/* Names, addresses and MTUs. */
#include "config.h"
#include "test.h"

#include <arpa/inet.h>
#include <errno.h>

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
	assert_string_equal(gid_type_name(GID_TYPE_IB), "IB");
	assert_string_equal(gid_type_name(GID_TYPE_ROCE_V1), "RoCE v1");
	assert_string_equal(gid_type_name(GID_TYPE_ROCE_V2), "RoCE v2");
	assert_string_equal(gid_type_name(GID_TYPE_IWARP), "iWARP");
	assert_string_equal(gid_type_name(77), "unknown");
}

TEST(test_iwarp)
{
	struct port port = { .device = "siw0", .iwarp = true,
			     .link_layer = IBV_LINK_LAYER_ETHERNET };
	struct port roce = { .link_layer = IBV_LINK_LAYER_ETHERNET };
	struct gid gid = { .type = GID_TYPE_IWARP };
	char text[GID_TEXT_SIZE];
	struct error err = { 0 };

	assert_string_equal(port_kind_name(&port), "iWARP");
	assert_string_equal(port_link_layer_name(&port), "Ethernet");
	assert_string_equal(port_kind_name(&roce), "Ethernet");
	assert_true(port_kinds_fit(&port, &port));
	assert_false(port_kinds_fit(&port, &roce));
	assert_int_equal(port_lacks(&port, "atomics", &err), -EOPNOTSUPP);
	assert_string_equal(err.message,
			    "siw0 is an iWARP device, which has no atomics");
	assert_int_equal(inet_pton(AF_INET6, "::ffff:10.0.0.7", gid.raw.raw),
			 1);
	assert_string_equal(gid_show(&gid, text), "10.0.0.7");
	gid.type = GID_TYPE_ROCE_V2;
	assert_string_equal(gid_show(&gid, text), "::ffff:10.0.0.7");
	gid.type = GID_TYPE_IWARP;
	assert_int_equal(inet_pton(AF_INET6, "fd00::7", gid.raw.raw), 1);
	assert_string_equal(gid_show(&gid, text), "fd00::7");
}

/* Each transport and link layer that libibverbs knows has its name, and each
 * device what it has. */
TEST(test_kinds)
{
	static const struct {
		const char *name;
		const char *link_layer;
		uint8_t transport, layer;
		const char *driver;
		bool lids, rdma_cm, rc, ud;
	} rows[] = {
		{ "InfiniBand", "InfiniBand", 0, IBV_LINK_LAYER_INFINIBAND,
		  "mlx5_core", true, true, true, true },
		/* of an end that does not say its transport */
		{ "InfiniBand", "InfiniBand", 0, IBV_LINK_LAYER_UNSPECIFIED,
		  "", true, true, true, true },
		{ "Ethernet", "Ethernet", 0, IBV_LINK_LAYER_ETHERNET,
		  "mlx5_core", false, true, true, true },
		{ "Ethernet", "Ethernet", IBV_TRANSPORT_UNSPECIFIED,
		  IBV_LINK_LAYER_ETHERNET, "", false, true, true, true },
		{ "usnic", "Ethernet", IBV_TRANSPORT_USNIC_UDP,
		  IBV_LINK_LAYER_ETHERNET, "", false, false, false, true },
		{ "Omni-Path", "InfiniBand", 0, IBV_LINK_LAYER_INFINIBAND,
		  "hfi1", true, true, true, true },
		{ "EFA", "unspecified", IBV_TRANSPORT_UNSPECIFIED,
		  IBV_LINK_LAYER_UNSPECIFIED, "efa", false, false, false,
		  true },
		{ "unspecified (efa)", "unspecified", IBV_TRANSPORT_UNSPECIFIED,
		  IBV_LINK_LAYER_UNSPECIFIED, "", false, false, false, true },
		{ "unspecified", "unspecified", IBV_TRANSPORT_UNSPECIFIED,
		  IBV_LINK_LAYER_UNSPECIFIED, "other", false, false, true,
		  true },
		{ "unspecified", "unspecified", PORT_TRANSPORT_UNKNOWN,
		  IBV_LINK_LAYER_UNSPECIFIED, "", false, false, true, true },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct port port = { .transport = rows[i].transport,
				     .link_layer = rows[i].layer };
		struct error err = { 0 };

		if (rows[i].driver[0])
			facts_set_text(&port.facts, FACT_DRIVER,
				       rows[i].driver);
		assert_string_equal(port_kind_name(&port), rows[i].name);
		assert_string_equal(port_link_layer_name(&port),
				    rows[i].link_layer);
		assert_int_equal(port_has_lids(&port), rows[i].lids);
		assert_int_equal(port_manager_name(&port) != NULL,
				 rows[i].lids);
		assert_int_equal(port_has_rdma_cm(&port), rows[i].rdma_cm);
		assert_int_equal(port_check_transport(&port, TRANSPORT_RC,
						      &err),
				 rows[i].rc ? 0 : -EOPNOTSUPP);
		assert_int_equal(port_check_transport(&port, TRANSPORT_UD,
						      &err),
				 rows[i].ud ? 0 : -EOPNOTSUPP);
	}
}

/* Width and speed are bits: no other number is a rate. */
TEST(test_rates)
{
	static const struct {
		uint8_t width;
		uint32_t speed, mbps;
	} rows[] = {
		{ 1, 1, 2500 }, { 2, 1, 10000 }, { 2, 2, 20000 },
		{ 2, 4, 40000 }, { 2, 8, 40000 }, { 2, 16, 56000 },
		{ 2, 32, 100000 }, { 2, 64, 200000 }, { 2, 128, 400000 },
		{ 2, 256, 800000 }, { 16, 64, 100000 }, { 16, 256, 400000 },
		{ 4, 128, 800000 }, { 8, 32, 300000 }, { 8, 256, 2400000 },
		{ 0, 32, 0 }, { 2, 0, 0 }, { 3, 32, 0 }, { 2, 33, 0 },
		{ 32, 32, 0 }, { 2, 512, 0 }, { 255, UINT32_MAX, 0 },
	};

	for (size_t i = 0; i < COUNT(rows); i++)
		assert_int_equal(port_rate(rows[i].width, rows[i].speed),
				 rows[i].mbps);
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
	cmocka_unit_test(test_iwarp),
	cmocka_unit_test(test_kinds),
	cmocka_unit_test(test_rates),
	cmocka_unit_test(test_gids),
	cmocka_unit_test(test_mtus),
	cmocka_unit_test(test_which_gid_is_whose),
};

TEST_MAIN(tests, 10)
