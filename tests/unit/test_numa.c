/* Which node is chosen, from what is found, and what becomes of it. */
#include "config.h"
#include "test.h"

#include <errno.h>

#include "base/units.h"
#include "fake_verbs.h"
#include "host/affinity.h"
#include "made_up_host.h"

static void set_online_cpus(const cpu_set_t *set)
{
	char text[1024];

	cpulist_format(set, text, sizeof(text));
	strcat(text, "\n");
	host_file("/sys/devices/system/cpu/online", text);
}

TEST(test_nothing_to_be_seen)
{
	struct numa_host host;

	numa_read("mlx5_0", &host);
	assert_int_equal(host.device_node, PORT_NO_NODE);
	assert_string_equal(host.nodes, "");
	assert_false(host.restricted);
}

TEST(test_node_of_the_device)
{
	static const struct {
		const char *text;
		uint32_t node;
	} rows[] = {
		{ "0\n", 0 }, { "1\n", 1 }, { "1023\n", 1023 },
		{ "-1\n", PORT_NO_NODE }, { "1024\n", PORT_NO_NODE },
	};
	struct numa_host host;

	host_file("/sys/devices/system/node/online", "0-1\n");
	for (size_t i = 0; i < COUNT(rows); i++) {
		host_file("/sys/class/infiniband/mlx5_0/device/numa_node",
			   rows[i].text);
		numa_read("mlx5_0", &host);
		assert_int_equal(host.device_node, rows[i].node);
		assert_string_equal(host.nodes, "0-1");
	}
	numa_read("rxe0", &host);
	assert_int_equal(host.device_node, PORT_NO_NODE);
}

/* More CPUs than this process may use are online, or just as many. */
TEST(test_restricted_from_outside)
{
	struct numa_host host;
	cpu_set_t online;

	assert_int_equal(sched_getaffinity(0, sizeof(online), &online), 0);
	set_online_cpus(&online);
	numa_read("mlx5_0", &host);
	assert_false(host.restricted);
	assert_true(CPU_EQUAL(&host.allowed, &online));
	CPU_SET(1023, &online);
	set_online_cpus(&online);
	numa_read("mlx5_0", &host);
	assert_true(host.restricted);
	host_file("/sys/devices/system/cpu/online", "rubbish\n");
	numa_read("mlx5_0", &host);
	assert_false(host.restricted);
}

TEST(test_choice)
{
	enum { NO = PORT_NO_NODE };
	static const struct {
		uint32_t device;
		bool restricted, policy;
		uint32_t asked, node;
	} rows[] = {
		{ 1, false, false, PLAN_AUTO, 1 },
		{ 0, false, false, PLAN_AUTO, 0 },
		{ (uint32_t)NO, false, false, PLAN_AUTO, (uint32_t)NO },
		{ 1, true, false, PLAN_AUTO, (uint32_t)NO },
		{ 1, false, true, PLAN_AUTO, (uint32_t)NO },
		{ 1, false, false, PARAM_NONE, (uint32_t)NO },
		{ 1, false, false, 0, 0 },
		{ 1, true, true, 0, 0 },	/* who names one means it */
		{ (uint32_t)NO, false, false, 3, 3 },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct numa_host host = {
			.device_node = rows[i].device,
			.restricted = rows[i].restricted,
			.policy = rows[i].policy,
			.nodes = "0-1,3",
		};
		struct error err = { 0 };
		uint32_t node = 77;

		assert_int_equal(numa_choose(&host, rows[i].asked, &node,
					     &err), 0);
		if (node != rows[i].node)
			fail_msg("row %zu: node %u", i, node);
	}
}

static void check_no_such_node(const char *nodes, uint32_t asked,
			       const char *message)
{
	struct numa_host host = { .device_node = 0 };
	struct error err = { 0 };
	uint32_t node;

	strcpy(host.nodes, nodes);
	assert_int_equal(numa_choose(&host, asked, &node, &err), -EINVAL);
	assert_message(&err, message);
}

TEST(test_no_such_node)
{
	check_no_such_node("0-1,3", 2,
			   "--numa 2: no such node; expected 0-1,3");
	check_no_such_node("0", 1023, "--numa 1023: no such node; expected 0");
	check_no_such_node("", 0, "--numa 0: no such node; expected none");
}

/* This machine has a node 0 or none at all; where it is, all of it works. */
TEST(test_placing)
{
	bool has_nodes = !access("/sys/devices/system/node/node0", F_OK);
	struct parameters params;
	struct device device;
	struct error err = { 0 };

	param_defaults(&params);
	fake_verbs_reset();
	assert_int_equal(device_open(&params, &device, &err), 0);
	assert_int_equal(device.port.numa_node, PORT_NO_NODE);
	params.numa = PARAM_NONE;
	assert_int_equal(numa_place(&params, &device, &err), 0);
	assert_int_equal(device.port.numa_node, PORT_NO_NODE);
	params.numa = PLAN_AUTO;	/* the fake is near no node */
	assert_int_equal(numa_place(&params, &device, &err), 0);
	assert_int_equal(params.numa, PARAM_NONE);
	params.numa = 1022;
	assert_int_equal(numa_place(&params, &device, &err), -EINVAL);
	assert_contains(err.message, "--numa 1022: no such node");
	error_clear(&err);
	params.numa = 0;
	if (has_nodes) {
		assert_int_equal(numa_place(&params, &device, &err), 0);
		assert_int_equal(params.numa, 0);
		assert_int_equal(device.port.numa_node, 0);
	}
	device_close(&device);
}

TEST(test_placing_both)
{
	struct parameters params;

	param_defaults(&params);
	fake_verbs_reset();
	numa_place_both(&params);
	assert_int_equal(params.numa, PARAM_NONE);
	assert_int_equal(fake_verbs_alive(), 0);
	fake_verbs.n_devices = 0;	/* that each end says for itself */
	params.numa = PLAN_AUTO;
	numa_place_both(&params);
	assert_int_equal(params.numa, PLAN_AUTO);
	assert_int_equal(fake_verbs_alive(), 0);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_nothing_to_be_seen),
	cmocka_unit_test(test_node_of_the_device),
	cmocka_unit_test(test_restricted_from_outside),
	cmocka_unit_test(test_choice),
	cmocka_unit_test(test_no_such_node),
	cmocka_unit_test(test_placing),
	cmocka_unit_test(test_placing_both),
};

TEST_FILE()
{
	alarm(patient(20));
	return cmocka_run_group_tests(tests, host_begin, host_end);
}
