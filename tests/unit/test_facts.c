/* The facts of a host: of a made-up one that has all of them, of one that has
 * none, and each as it may be otherwise. */
#include "config.h"
#include "test.h"

#include <errno.h>
#include <linux/ethtool.h>

#include "host/facts.h"
#include "host/netdev.h"
#include "made_up_host.h"

#define FUNCTION "/sys/devices/pci0000:00/0000:00:01.0/0000:01:00.0"
#define ROOT_PORT "/sys/devices/pci0000:00/0000:00:01.0"
#define RDMA "/sys/class/infiniband/mlx5_0"
#define NET "/sys/class/net/eth0"
#define CPU "/sys/devices/system/cpu"

/* What the made-up interface answers. */
static struct {
	bool answers;
	uint32_t speed;
	unsigned int mode;
	bool rx_pause, tx_pause;
} made_up_ethtool;

int ethtool_query(const char *netdev, void *request)
{
	struct ethtool_link_settings *settings = request;
	struct ethtool_pauseparam *pause = request;

	assert_string_equal(netdev, "eth0");
	if (!made_up_ethtool.answers)
		return -EOPNOTSUPP;
	if (settings->cmd == ETHTOOL_GPAUSEPARAM) {
		pause->rx_pause = made_up_ethtool.rx_pause;
		pause->tx_pause = made_up_ethtool.tx_pause;
		return 0;
	}
	assert_int_equal(settings->cmd, ETHTOOL_GLINKSETTINGS);
	if (!settings->link_mode_masks_nwords) {
		settings->link_mode_masks_nwords = -4;
		return 0;
	}
	assert_int_equal(settings->link_mode_masks_nwords, 4);
	settings->speed = made_up_ethtool.speed;
	settings->link_mode_masks[made_up_ethtool.mode / 32] |=
		1U << made_up_ethtool.mode % 32;
	return 0;
}

/* tests/unit/test_dcb.c has what the kernel answers. */
long dcb_query(const char *netdev, void *reply)
{
	(void)netdev;
	(void)reply;
	return -EOPNOTSUPP;
}

static const struct parameters first_two = {
	.cpus = { .n = 2, .id = { 0, 1 } },
};

static struct port made_up_port(void)
{
	struct port port = {
		.device = "mlx5_0",
		.number = 1,
		.link_layer = IBV_LINK_LAYER_ETHERNET,
		.n_gids = 1,
		.gids = { { .index = 3, .type = GID_TYPE_ROCE_V2 } },
	};

	port.gids[0].raw.raw[15] = 1;
	return port;
}

static void make_system(void)
{
	host_file("/proc/sys/kernel/osrelease", "6.1.0-18-amd64\n");
	host_file("/etc/os-release", "ID=debian\n"
		  "PRETTY_NAME=\"Debian GNU/Linux 12\"\n");
	host_file("/proc/self/maps",
		  "7f0-7f1 r-xp 0 08:01 1 /usr/lib/libc.so.6\n"
		  "7f2-7f3 r-xp 0 08:01 2 /usr/lib/libibverbs.so.1.14.44.0\n");
	host_file("/proc/cpuinfo", "processor\t: 0\n"
		  "model name\t: AMD EPYC 9354\nflags\t\t: fpu vme de\n\n"
		  "processor\t: 1\nmodel name\t: another\n");
	host_file("/proc/loadavg", "20.25 3.10 1.02 2/345 6789\n");
	host_file("/proc/meminfo", "MemTotal: 1 kB\nMemAvailable: 4096 kB\n"
		  "HugePages_Total:   12\n"
		  "HugePages_Free:     10\nHugePages_Rsvd:      3\n"
		  "Hugepagesize:       2048 kB\n");
	host_file("/sys/kernel/mm/transparent_hugepage/enabled",
		  "always [madvise] never\n");
	host_file("/proc/self/limits",
		  "Limit          Soft Limit   Hard Limit   Units\n"
		  "Max locked memory         8388608      9388608      bytes\n");
	host_file("/proc/self/status", "Name:\ta\nCapEff:\t0000000000000000\n");
	host_file("/proc/self/uid_map", "         0          0 4294967295\n");
}

static void make_cpus(void)
{
	host_file(CPU "/online", "0-3\n");
	host_file(CPU "/isolated", "\n");
	host_file(CPU "/smt/active", "1\n");
	host_file(CPU "/cpu0/cpufreq/scaling_governor", "performance\n");
	host_file(CPU "/cpu1/cpufreq/scaling_governor", "performance\n");
	host_file(CPU "/cpu0/cpufreq/scaling_cur_freq", "3250000\n");
	host_file(CPU "/cpu0/cpufreq/cpuinfo_max_freq", "3799072\n");
	host_file(CPU "/cpu0/cpuidle/state0/name", "POLL\n");
	host_file(CPU "/cpu0/cpuidle/state0/latency", "0\n");
	host_file(CPU "/cpu0/cpuidle/state1/name", "C1\n");
	host_file(CPU "/cpu0/cpuidle/state1/latency", "1\n");
	host_file(CPU "/cpu0/cpuidle/state1/disable", "0\n");
	host_file(CPU "/cpu0/cpuidle/state2/name", "C6\n");
	host_file(CPU "/cpu0/cpuidle/state2/latency", "170\n");
	host_file(CPU "/cpu0/cpuidle/state2/disable", "0\n");
	host_file("/sys/devices/system/node/online", "0-1\n");
	host_file("/sys/devices/system/node/node0/cpulist", "0,2\n");
	host_file("/sys/devices/system/node/node1/cpulist", "1,3\n");
	host_file("/sys/fs/cgroup/system.slice/irqbalance.service/x", "");
}

static void make_link(const char *path, const char *when, const char *speed,
		      const char *width)
{
	char name[200];

	snprintf(name, sizeof(name), "%s/%s_link_speed", path, when);
	host_file(name, speed);
	snprintf(name, sizeof(name), "%s/%s_link_width", path, when);
	host_file(name, width);
}

static void make_pci(void)
{
	make_link(FUNCTION, "current", "16.0 GT/s PCIe\n", "8\n");
	make_link(FUNCTION, "max", "16.0 GT/s PCIe\n", "16\n");
	make_link(ROOT_PORT, "current", "16.0 GT/s PCIe\n", "8\n");
	make_link(ROOT_PORT, "max", "32.0 GT/s PCIe\n", "8\n");
	host_file(FUNCTION "/numa_node", "1\n");
	host_file(FUNCTION "/sriov_totalvfs", "8\n");
	host_file(FUNCTION "/link/l1_aspm", "0\n");
	host_file(FUNCTION "/iommu_group/type", "identity\n");
	host_file("/sys/module/pcie_aspm/parameters/policy",
		  "default [performance] powersave\n");
	host_file("/sys/module/mlx5_core/version", "24.10\n");
	host_file("/sys/bus/pci/drivers/mlx5_core/x", "");
	host_link("/sys/bus/pci/drivers/mlx5_core/module",
		  "../../../../module/mlx5_core");
	host_link(FUNCTION "/driver", "../../../../bus/pci/drivers/mlx5_core");
	host_link(RDMA "/device",
		  "../../../devices/pci0000:00/0000:00:01.0/0000:01:00.0");
}

static void make_network(void)
{
	host_file(RDMA "/ports/1/gid_attrs/ndevs/3", "eth0\n");
	host_file(RDMA "/ports/1/rate", "100 Gb/sec (4X EDR)\n");
	host_file(RDMA "/ports/1/counters/link_downed", "2\n");
	host_link(NET "/device",
		  "../../../devices/pci0000:00/0000:00:01.0/0000:01:00.0");
	host_file(NET "/mtu", "4200\n");
	host_file(NET "/uevent", "INTERFACE=eth0\nIFINDEX=2\n");
	for (char i = '0'; i < '8'; i++) {
		char name[] = NET "/ecn/roce_rp/enable/0";

		name[sizeof(name) - 2] = i;
		host_file(name, i == '3' ? "1\n" : "0\n");
		name[sizeof(name) - 12] = 'n';
		host_file(name, "1\n");
	}
	made_up_ethtool.answers = true;
	made_up_ethtool.speed = 100000;
	made_up_ethtool.mode = 64;	/* 200000baseLR4 */
	made_up_ethtool.rx_pause = true;
	made_up_ethtool.tx_pause = false;
}

static int make_host(void **state)
{
	if (host_begin(state))
		return -1;
	make_system();
	make_cpus();
	make_pci();
	make_network();
	return 0;
}

static void check(enum fact fact, const char *wanted)
{
	struct port port = made_up_port();
	char text[FACT_TEXT_SIZE];

	facts_read(&port, &first_two);
	facts_format(&port.facts, fact, text, sizeof(text));
	if (strcmp(text, wanted) != 0)
		fail_msg("%s is '%s', not '%s'", fact_table[fact].key, text,
			 wanted);
	assert_int_equal(facts_known(&port.facts, fact), wanted[0] != '\0');
}

TEST(test_all_of_them)
{
	static const char *const wanted[FACTS] = {
		[FACT_KERNEL] = "6.1.0-18-amd64",
		[FACT_DISTRIBUTION] = "Debian GNU/Linux 12",
		[FACT_RDMA_CORE] = "44.0",
		[FACT_DRIVER] = "mlx5_core",
		[FACT_DRIVER_VERSION] = "24.10",
		[FACT_CONTAINER] = "none",
		[FACT_VIRTUAL_MACHINE] = "none",
		[FACT_CPU_MODEL] = "AMD EPYC 9354",
		[FACT_CPUS_ONLINE] = "4",
		[FACT_GOVERNOR] = "performance",
		[FACT_CPU_MHZ] = "3250",
		[FACT_CPU_MAX_MHZ] = "3799.07",
		[FACT_SMT] = "yes",
		[FACT_ISOLATED_CPUS] = "none",
		[FACT_IDLE_STATE] = "C6",
		[FACT_IDLE_EXIT_US] = "170",
		[FACT_IRQBALANCE] = "yes",
		[FACT_THREAD_NODES] = "0-1",
		[FACT_NUMA_NODE] = "1",
		[FACT_NUMA_NODES] = "2",
		[FACT_HUGE_PAGES_FREE] = "7",
		[FACT_HUGE_PAGE_BYTES] = "2097152",
		[FACT_TRANSPARENT_HUGE_PAGES] = "madvise",
		[FACT_MEMLOCK_BYTES] = "8388608",
		[FACT_PCIE_ADDRESS] = "0000:01:00.0",
		[FACT_PCIE_SPEED_GT] = "16",
		[FACT_PCIE_WIDTH] = "8",
		[FACT_PCIE_MAX_SPEED_GT] = "16",
		[FACT_PCIE_MAX_WIDTH] = "16",
		[FACT_PCIE_SLOT_SPEED_GT] = "32",
		[FACT_PCIE_SLOT_WIDTH] = "8",
		[FACT_PCIE_GBPS] = "126.031",
		[FACT_PCIE_SLOWEST] = "0000:01:00.0",
		[FACT_SRIOV] = "physical",
		[FACT_IOMMU] = "passthrough",
		[FACT_ASPM] = "performance",
		[FACT_ASPM_L1] = "no",
		[FACT_NETDEV] = "eth0",
		[FACT_NETDEV_MTU] = "4200",
		[FACT_NETDEV_DRIVER] = "mlx5_core",
		[FACT_NETDEV_SPEED] = "100000",
		[FACT_NETDEV_MAX_SPEED] = "200000",
		[FACT_BONDING] = "none",
		[FACT_VLAN] = "none",
		[FACT_LINK_LANES] = "4X EDR",
		[FACT_LINK_DOWNED] = "2",
		[FACT_PAUSE] = "receive",
		[FACT_ROCE_ECN] = "3",
		[FACT_LOAD_AVERAGE] = "20.25",
		[FACT_PROVIDER_VARIABLES] = "none",
		[FACT_MEMORY_AVAILABLE] = "4194304",
	};

	for (int i = 0; i < FACTS; i++)
		check((enum fact)i, wanted[i] ? wanted[i] : "");
}

/* Nothing can be read: nothing is known, and nothing is said. */
TEST(test_none_of_them)
{
	struct port port = made_up_port();
	const struct parameters none = { .cpus.n = 0 };

	made_up_ethtool.answers = false;
	memset(&port.facts, 0xff, sizeof(port.facts));
	facts_read(&port, &none);
	assert_false(facts_any(&port.facts));
	port.link_layer = IBV_LINK_LAYER_INFINIBAND;
	port.n_gids = 0;
	facts_read(&port, &first_two);
	assert_false(facts_any(&port.facts));
}

/* A file of the made-up host that has other contents. */
struct other {
	const char *file, *text;
	enum fact fact;
	const char *wanted;
};

static void check_others(const struct other *rows, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		host_file(rows[i].file, rows[i].text);
		check(rows[i].fact, rows[i].wanted);
	}
}

TEST(test_other_systems)
{
	static const struct other rows[] = {
		{ "/etc/os-release", "PRETTY_NAME=Arch\n", FACT_DISTRIBUTION,
		  "Arch" },
		{ "/etc/os-release", "ID=x\n", FACT_DISTRIBUTION, "" },
		{ "/proc/self/maps", "1-2 r 0 1 1 /x/libibverbs.so.1 (deleted)\n",
		  FACT_RDMA_CORE, "" },
		{ "/proc/self/maps", "1-2 r 0 1 1 /x/libibverbs.so.1.15.56.0 x\n",
		  FACT_RDMA_CORE, "56.0" },
		{ "/proc/cpuinfo", "flags : fpu hypervisor lahf\n",
		  FACT_VIRTUAL_MACHINE, "unknown maker" },
		{ "/sys/class/dmi/id/sys_vendor", "QEMU\n",
		  FACT_VIRTUAL_MACHINE, "QEMU" },
		{ "/sys/hypervisor/type", "xen\n", FACT_VIRTUAL_MACHINE,
		  "xen" },
		{ "/proc/cpuinfo", "processor : 0\n", FACT_VIRTUAL_MACHINE,
		  "" },
		{ "/proc/cpuinfo", "processor : 0\n", FACT_CPU_MODEL, "" },
		{ "/var/run/secrets/kubernetes.io/x", "", FACT_CONTAINER,
		  "kubernetes" },
		{ "/run/.containerenv", "", FACT_CONTAINER, "podman" },
		{ "/.dockerenv", "", FACT_CONTAINER, "docker" },
		{ "/run/systemd/container", "lxc\n", FACT_CONTAINER, "lxc" },
		{ "/proc/meminfo", "HugePages_Free: 2\nHugePages_Rsvd: 3\n",
		  FACT_HUGE_PAGES_FREE, "0" },
		{ "/proc/meminfo", "HugePages_Free: x\n",
		  FACT_HUGE_PAGES_FREE, "" },
		{ "/sys/kernel/mm/transparent_hugepage/enabled", "always\n",
		  FACT_TRANSPARENT_HUGE_PAGES, "" },
		{ "/proc/self/limits", "Max locked memory unlimited x bytes\n",
		  FACT_MEMLOCK_BYTES, "unlimited" },
		{ "/proc/self/limits", "Max locked memory x\n",
		  FACT_MEMLOCK_BYTES, "" },
		{ "/proc/self/limits", "Max locked memory 0 0 bytes\n",
		  FACT_MEMLOCK_BYTES, "0" },
		/* a capability within a user namespace does not count */
		{ "/proc/self/status", "CapEff: 000001ffffffffff\n",
		  FACT_MEMLOCK_BYTES, "unlimited" },
		{ "/proc/self/uid_map", "0 1000 1\n", FACT_MEMLOCK_BYTES,
		  "0" },
	};

	check_others(rows, COUNT(rows));
}

TEST(test_other_processors)
{
	static const struct other rows[] = {
		{ CPU "/cpu1/cpufreq/scaling_governor", "powersave\n",
		  FACT_GOVERNOR, "performance, powersave" },
		{ CPU "/cpu0/cpufreq/scaling_governor", "power\n",
		  FACT_GOVERNOR, "power, powersave" },
		{ CPU "/cpu0/cpufreq/scaling_cur_freq", "<unknown>\n",
		  FACT_CPU_MHZ, "" },
		{ CPU "/isolated", "2-3\n", FACT_ISOLATED_CPUS, "2-3" },
		{ CPU "/smt/active", "0\n", FACT_SMT, "no" },
		{ CPU "/cpu0/cpuidle/state2/disable", "1\n", FACT_IDLE_STATE,
		  "C1" },
		{ CPU "/cpu0/cpuidle/state2/disable", "1\n",
		  FACT_IDLE_EXIT_US, "1" },
		{ "/sys/devices/system/node/node1/cpulist", "3\n",
		  FACT_THREAD_NODES, "0" },
		{ CPU "/online", "rubbish\n", FACT_CPUS_ONLINE, "" },
	};

	check_others(rows, COUNT(rows));
}

/* What a control group leaves, or one above it: of the unified hierarchy, and of
 * the older one, where a container sees its own as the root. */
TEST(test_memory_of_control_groups)
{
	host_file("/proc/self/cgroup", "12:pids:/x\n4:memory:/pod/one\n"
		  "0::/a/b\n");
	check(FACT_MEMORY_AVAILABLE, "4194304");
	host_file("/sys/fs/cgroup/a/b/memory.max", "max\n");
	host_file("/sys/fs/cgroup/a/b/memory.current", "1000\n");
	check(FACT_MEMORY_AVAILABLE, "4194304");
	host_file("/sys/fs/cgroup/a/memory.max", "2000000\n");
	host_file("/sys/fs/cgroup/a/memory.current", "500000\n");
	check(FACT_MEMORY_AVAILABLE, "1500000");
	host_file("/sys/fs/cgroup/a/memory.stat",
		  "anon 1\ninactive_file 100000\n");
	check(FACT_MEMORY_AVAILABLE, "1600000");
	host_file("/sys/fs/cgroup/memory/memory.limit_in_bytes", "900000\n");
	host_file("/sys/fs/cgroup/memory/memory.usage_in_bytes", "1000000\n");
	check(FACT_MEMORY_AVAILABLE, "0");
}

/* Sorted, and no others. */
TEST(test_provider_variables)
{
	setenv("RDMAV_HUGEPAGES_SAFE", "1", 1);
	setenv("MLX5_SINGLE_THREADED", "1", 1);
	setenv("HOME_FORK_SAFE", "yes", 1);
	setenv("FORK_SAFE_NOT", "1", 1);
	setenv("PATH_OF", "MLX5_X_FORK_SAFE=1", 1);
	check(FACT_PROVIDER_VARIABLES, "HOME_FORK_SAFE=yes, "
	      "MLX5_SINGLE_THREADED=1, RDMAV_HUGEPAGES_SAFE=1");
	unsetenv("RDMAV_HUGEPAGES_SAFE");
	unsetenv("MLX5_SINGLE_THREADED");
	unsetenv("HOME_FORK_SAFE");
	unsetenv("FORK_SAFE_NOT");
	unsetenv("PATH_OF");
	check(FACT_PROVIDER_VARIABLES, "none");
}

TEST(test_irqbalance)
{
	char path[SYSFS_PATH_SIZE];

	sysfs_path(path, "/sys/fs/cgroup/system.slice/irqbalance.service/x");
	assert_int_equal(unlink(path), 0);
	*strrchr(path, '/') = '\0';
	assert_int_equal(rmdir(path), 0);
	check(FACT_IRQBALANCE, "no");
	*strrchr(path, '/') = '\0';
	assert_int_equal(rmdir(path), 0);
	check(FACT_IRQBALANCE, "");
	host_file("/run/irqbalance.pid", "7\n");
	check(FACT_IRQBALANCE, "yes");
}

TEST(test_other_links)
{
	static const struct other rows[] = {
		{ FUNCTION "/numa_node", "-1\n", FACT_NUMA_NODE, "" },
		{ FUNCTION "/sriov_totalvfs", "0\n", FACT_SRIOV, "none" },
		{ FUNCTION "/iommu_group/type", "DMA-FQ\n", FACT_IOMMU,
		  "translated" },
		{ FUNCTION "/iommu_group/type", "blocked\n", FACT_IOMMU, "" },
		{ FUNCTION "/link/l1_aspm", "1\n", FACT_ASPM_L1, "yes" },
		{ "/sys/module/pcie_aspm/parameters/policy",
		  "default [powersave]\n", FACT_ASPM, "powersave" },
		{ ROOT_PORT "/current_link_speed", "2.5 GT/s PCIe\n",
		  FACT_PCIE_GBPS, "16" },
		{ ROOT_PORT "/current_link_width", "1\n", FACT_PCIE_GBPS,
		  "2" },
		{ ROOT_PORT "/current_link_width", "1\n", FACT_PCIE_SLOWEST,
		  "0000:00:01.0" },
		{ FUNCTION "/current_link_speed", "64.0 GT/s PCIe\n",
		  FACT_PCIE_SPEED_GT, "64" },
		{ FUNCTION "/current_link_speed", "Unknown\n",
		  FACT_PCIE_SPEED_GT, "" },
		{ FUNCTION "/current_link_speed", "Unknown\n",
		  FACT_PCIE_WIDTH, "" },
		{ FUNCTION "/max_link_width", "255\n", FACT_PCIE_MAX_WIDTH,
		  "" },
		{ ROOT_PORT "/max_link_width", "0\n", FACT_PCIE_SLOT_WIDTH,
		  "" },
	};

	check_others(rows, COUNT(rows));
}

TEST(test_virtual_function)
{
	make_link(FUNCTION, "current", "Unknown\n", "0\n");
	make_link(ROOT_PORT "/0000:01:00.7", "current", "8.0 GT/s PCIe\n",
		  "16\n");
	host_link(FUNCTION "/physfn", "../0000:01:00.7");
	check(FACT_SRIOV, "virtual");
	check(FACT_PCIE_ADDRESS, "0000:01:00.0");
	check(FACT_PCIE_SPEED_GT, "8");
	check(FACT_PCIE_WIDTH, "16");
	check(FACT_PCIE_GBPS, "126.031");
}

/* A software device has the bus of its interface, if that has one. */
TEST(test_software_device)
{
	char path[SYSFS_PATH_SIZE];

	sysfs_path(path, RDMA "/device");
	assert_int_equal(unlink(path), 0);
	host_file(RDMA "/parent", "eth0\n");
	host_file(FUNCTION "/virtio0/x", "");
	sysfs_path(path, NET "/device");
	assert_int_equal(unlink(path), 0);
	host_link(NET "/device", "../../../devices/pci0000:00/0000:00:01.0/"
		  "0000:01:00.0/virtio0");
	check(FACT_DRIVER, "rdma_rxe");
	check(FACT_DRIVER_VERSION, "");
	check(FACT_PCIE_ADDRESS, "0000:01:00.0");
	check(FACT_PCIE_GBPS, "126.031");
	assert_int_equal(unlink(path), 0);	/* as of a veth */
	check(FACT_PCIE_ADDRESS, "");
	check(FACT_NETDEV, "eth0");
	check(FACT_SRIOV, "");
}

TEST(test_other_interfaces)
{
	static const struct other rows[] = {
		{ NET "/mtu", "no\n", FACT_NETDEV_MTU, "" },
		{ NET "/master/bonding/mode", "802.3ad 4\n", FACT_BONDING,
		  "802.3ad" },
		{ NET "/bonding/mode", "active-backup 1\n", FACT_BONDING,
		  "active-backup" },
		{ NET "/uevent", "DEVTYPE=bond\n", FACT_VLAN, "none" },
		{ NET "/uevent", "DEVTYPE=vlan\n", FACT_VLAN,
		  "unknown number" },
		{ "/proc/net/vlan/eth0", "eth0  VID: 100\t REORDER_HDR: 1\n",
		  FACT_VLAN, "100" },
		{ RDMA "/ports/1/rate", "100 Gb/sec\n", FACT_LINK_LANES, "" },
		{ RDMA "/ports/1/counters/link_downed", "N/A\n",
		  FACT_LINK_DOWNED, "" },
		{ NET "/ecn/roce_rp/enable/3", "0\n", FACT_ROCE_ECN, "none" },
		{ RDMA "/ports/1/gid_attrs/ndevs/3", "", FACT_NETDEV, "" },
		{ RDMA "/ports/1/gid_attrs/ndevs/3", "", FACT_NETDEV_SPEED,
		  "" },
	};

	check_others(rows, COUNT(rows));
}

TEST(test_other_answers)
{
	made_up_ethtool.rx_pause = false;
	check(FACT_PAUSE, "none");
	made_up_ethtool.tx_pause = true;
	check(FACT_PAUSE, "send");
	made_up_ethtool.rx_pause = true;
	check(FACT_PAUSE, "both");
	made_up_ethtool.speed = (uint32_t)SPEED_UNKNOWN;
	check(FACT_NETDEV_SPEED, "");
	made_up_ethtool.mode = 27;	/* 56000baseKR4 */
	check(FACT_NETDEV_MAX_SPEED, "");
	made_up_ethtool.mode = 5;
	check(FACT_NETDEV_MAX_SPEED, "1000");
	made_up_ethtool.mode = 97;
	check(FACT_NETDEV_MAX_SPEED, "800000");
	/* 200G, 400G, 800G and 1.6T by lanes of 200G */
	made_up_ethtool.mode = 103;
	check(FACT_NETDEV_MAX_SPEED, "200000");
	made_up_ethtool.mode = 114;
	check(FACT_NETDEV_MAX_SPEED, "400000");
	made_up_ethtool.mode = 115;
	check(FACT_NETDEV_MAX_SPEED, "800000");
	made_up_ethtool.mode = 124;
	check(FACT_NETDEV_MAX_SPEED, "1600000");
	made_up_ethtool.mode = 102;	/* 10baseT1BRR */
	check(FACT_NETDEV_MAX_SPEED, "");
	made_up_ethtool.answers = false;
	check(FACT_PAUSE, "");
	check(FACT_NETDEV_SPEED, "");
	check(FACT_NETDEV_MAX_SPEED, "");
}

/* What is out of its range is not believed, or a peer would refuse it. */
TEST(test_values_out_of_range)
{
	struct facts facts = { 0 };

	facts_set_count(&facts, FACT_PCIE_WIDTH, 65);
	facts_set_real(&facts, FACT_CPU_MHZ, -1);
	facts_set_real(&facts, FACT_PCIE_GBPS, (double)NAN);
	facts_set_text(&facts, FACT_KERNEL, "");
	assert_false(facts_any(&facts));
	facts_set_count(&facts, FACT_PCIE_WIDTH, 64);
	assert_true(facts_any(&facts));
	facts_set_count(&facts, FACT_PCIE_WIDTH, 65);
	assert_false(facts_any(&facts));
}

TEST(test_table)
{
	for (int i = 0; i < FACTS; i++) {
		const struct fact_row *row = &fact_table[i];

		assert_true(i == 0 || row->id > row[-1].id);
		assert_ptr_equal(facts_find(row->id), row);
		assert_true(strlen(row->key) < 64);
		assert_int_equal(!row->most, row->kind == FACT_TEXT);
		assert_true(row->kind != FACT_FLAG || row->most == 1);
	}
	assert_null(facts_find(0));
	assert_null(facts_find(60000));
}

#define ON_HOST(name) cmocka_unit_test_setup_teardown(name, make_host, host_end)

TEST_FILE()
{
	const struct CMUnitTest tests[] = {
		ON_HOST(test_all_of_them),
		cmocka_unit_test_setup_teardown(test_none_of_them, host_begin,
						host_end),
		ON_HOST(test_other_systems),
		ON_HOST(test_other_processors),
		ON_HOST(test_memory_of_control_groups),
		ON_HOST(test_provider_variables),
		ON_HOST(test_irqbalance),
		ON_HOST(test_other_links),
		ON_HOST(test_virtual_function),
		ON_HOST(test_software_device),
		ON_HOST(test_other_interfaces),
		ON_HOST(test_other_answers),
		cmocka_unit_test(test_values_out_of_range),
		cmocka_unit_test(test_table),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
