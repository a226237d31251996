/* --cpus=auto: which CPUs are taken, of made-up hosts. */
#include "config.h"
#include "test.h"

#include "base/units.h"
#include "host/cores.h"
#include "made_up_host.h"

#define CPU "/sys/devices/system/cpu/cpu"

/* An RDMA device with a PCI function on NODE, at ADDRESS. */
static void make_nic(const char *name, const char *address, const char *node)
{
	char path[SYSFS_PATH_SIZE], target[SYSFS_PATH_SIZE];

	snprintf(path, sizeof(path), "/sys/devices/pci0000:00/%s/numa_node",
		 address);
	host_file(path, node);
	snprintf(path, sizeof(path), "/sys/class/infiniband/%s/device", name);
	snprintf(target, sizeof(target), "%s/sys/devices/pci0000:00/%s",
		 made_up_root, address);
	host_link(path, target);
}

/* N CPUs of ALLOWED with DEVICE are WANTED, in that order. */
static void check(const char *allowed, const char *device, bool client,
		  uint32_t n, const char *wanted)
{
	char text[200] = "";
	struct cpus cpus;
	cpu_set_t set;

	assert_int_equal(cpulist_parse(allowed, &set), 0);
	cores_pick(&set, device, client, n, &cpus);
	for (uint32_t i = 0; i < cpus.n; i++)
		text_append(text, sizeof(text), "%s%u", i ? " " : "",
			    cpus.id[i]);
	assert_string_equal(text, wanted);
	assert_false(cpus.automatic);
}

/* Two NICs on node 0 and one on node 1. */
static void make_nics(void)
{
	make_nic("mlx5_0", "0000:00:01.0", "0\n");
	make_nic("mlx5_1", "0000:00:02.0", "0\n");
	make_nic("mlx5_2", "0000:00:03.0", "1\n");
}

TEST(test_shares)
{
	check("2-5", "rxe0", true, 2, "2 3");
	check("2-5", "rxe0", false, 2, "5 4");
	check("2-5", "rxe0", true, 9, "2 3 4 5");
	make_nics();
	check("0-7", "mlx5_0", true, 1, "0");
	check("0-7", "mlx5_0", false, 1, "7");
	check("0-7", "mlx5_1", true, 2, "4 5");
	check("0-7", "mlx5_1", false, 2, "3 2");
	/* what is not enough goes on in the share of the other */
	check("0-7", "mlx5_1", true, 6, "4 5 6 7 0 1");
	check("0-7", "mlx5_1", false, 6, "3 2 1 0 7 6");
	/* both ends on one host, as few CPUs as there are NICs */
	check("0-1", "mlx5_0", true, 1, "0");
	check("0-1", "mlx5_0", false, 1, "1");
	check("8-15", "mlx5_2", true, 2, "8 9");
}

/* CPUs 0 and 4 have one core, 1 and 5 one, and so on. */
TEST(test_cores)
{
	char name[100], list[16];

	for (int i = 0; i < 8; i++) {
		snprintf(name, sizeof(name),
			 CPU "%d/topology/thread_siblings_list", i);
		snprintf(list, sizeof(list), "%d,%d\n", i % 4, i % 4 + 4);
		host_file(name, list);
	}
	check("0-7", "rxe0", true, 4, "0 1 2 3");
	check("0-7", "rxe0", false, 4, "7 6 5 4");
	check("0-7", "rxe0", true, 6, "0 1 2 3 4 5");
	check("0,4", "rxe0", true, 3, "0 4");
	check("0,4", "rxe0", false, 1, "4");
	make_nics();
	check("0-7", "mlx5_0", true, 1, "0");
	check("0-7", "mlx5_1", true, 5, "2 3 0 1 6");
	check("0-7", "mlx5_1", false, 2, "5 4");
}

TEST(test_interrupts)
{
	make_nics();
	host_file("/sys/class/infiniband/mlx5_0/device/msi_irqs/41", "msix\n");
	host_file("/sys/class/infiniband/mlx5_0/device/msi_irqs/42", "msix\n");
	host_file("/sys/class/infiniband/mlx5_0/device/msi_irqs/43", "msix\n");
	host_file("/proc/irq/41/effective_affinity_list", "0\n");
	host_file("/proc/irq/42/effective_affinity_list", "2-3\n");
	check("0-7", "mlx5_0", true, 1, "1");
	check("0-7", "mlx5_0", true, 2, "1 4");
	check("0-7", "mlx5_1", true, 1, "4");
	check("0-3", "mlx5_0", true, 3, "1 0 2");
}

#define EACH(test) \
	cmocka_unit_test_setup_teardown(test, host_begin, host_end)

TEST_FILE()
{
	const struct CMUnitTest tests[] = {
		EACH(test_shares),
		EACH(test_cores),
		EACH(test_interrupts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
