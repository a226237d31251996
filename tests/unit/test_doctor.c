/* What --check finds of both hosts: each finding, with the value that causes it
 * and with one that does not. */
#include "config.h"
#include "test.h"

#include "model/need.h"
#include "two_ends.h"

/* A fact of the client's, as text. */
struct given {
	enum fact fact;
	const char *value;
};

struct finding {
	const char *check;
	struct given given[7];
	const char *cell;	/* of the client; NULL: there is no row */
	const char *message;	/* NULL: it is ok */
	const char *advice;
};

static void give(struct facts *facts, const struct given *given)
{
	const char *value = given->value;

	switch (fact_table[given->fact].kind) {
	case FACT_TEXT:
		facts_set_text(facts, given->fact, value);
		break;
	case FACT_REAL:
		facts_set_real(facts, given->fact, strtod(value, NULL));
		break;
	default:
		facts_set_count(facts, given->fact,
				strtoull(value, NULL, 10));
	}
}

static void give_all(struct facts *facts, const struct given given[7])
{
	for (int i = 0; i < 7 && given[i].value; i++)
		give(facts, &given[i]);
}

static void check_row(const struct finding *f, const struct preflight_row *row,
		      enum verdict verdict)
{
	if (!f->cell) {
		assert_string_equal(row->check, "");
		return;
	}
	assert_string_equal(row->check, f->check);
	assert_string_equal(row->client, f->cell);
	assert_string_equal(row->server, "");
	if (!f->message) {
		assert_string_equal(row->error.message, "");
		assert_int_equal(row->verdict, VERDICT_OK);
		assert_null(row->cost);
		return;
	}
	assert_string_equal(row->error.message, f->message);
	assert_contains(row->error.advice, f->advice);
	assert_non_null(row->cost);
	assert_int_equal(row->verdict, verdict);
}

static void check_findings(struct two_ends *e, const struct finding *rows,
			   size_t n, enum verdict verdict)
{
	for (size_t i = 0; i < n; i++) {
		struct two_ends now = *e;

		give_all(&now.client.facts, rows[i].given);
		look(&now);
		check_row(&rows[i], find_row(&now, rows[i].check), verdict);
	}
}

TEST(test_nothing_known)
{
	struct two_ends e = good_ends();

	look(&e);
	assert_int_equal(preflight_count(&e.found, VERDICT_OK), e.found.n);
	assert_false(has_row(&e, "governor"));
	assert_false(has_row(&e, "PCIe"));
	assert_false(has_row(&e, "interface MTU"));
}

TEST(test_processors)
{
	static const struct finding rows[] = {
		{ "governor", { { FACT_GOVERNOR, "performance" } },
		  "performance", NULL, NULL },
		{ "governor", { { FACT_GOVERNOR, "performance, powersave" } },
		  "performance, powersave", "the client's processors have the "
		  "governor performance, powersave", "cpupower" },
		{ "load average", { { FACT_LOAD_AVERAGE, "3.5" },
		  { FACT_CPUS_ONLINE, "2" } }, NULL, NULL, NULL },
		{ "load average", { { FACT_LOAD_AVERAGE, "20.25" },
		  { FACT_CPUS_ONLINE, "2" } }, "20.25",
		  "the client's 2 processors have 20.2 tasks to run (the load "
		  "of the last minute)", "--cpus" },
		{ "deepest idle state", { { FACT_IDLE_STATE, "C1" },
		  { FACT_IDLE_EXIT_US, "2" } }, "C1, 2 us", NULL, NULL },
		{ "deepest idle state", { { FACT_IDLE_STATE, "C6" },
		  { FACT_IDLE_EXIT_US, "170" } }, "C6, 170 us",
		  "the client's processors may sleep as deep as C6, and take "
		  "170 us to wake", "--disable-by-latency" },
		{ "irqbalance", { { FACT_IRQBALANCE, "1" } }, NULL, NULL,
		  NULL },
	};
	struct two_ends e = good_ends();

	check_findings(&e, rows, COUNT(rows), VERDICT_WARNING);
}

TEST(test_interrupts)
{
	static const struct finding rows[] = {
		{ "irqbalance", { { FACT_IRQBALANCE, "0" } }, "no", NULL,
		  NULL },
		{ "irqbalance", { { FACT_IRQBALANCE, "1" } }, "yes",
		  "the client's interrupts are moved about by irqbalance",
		  "systemctl" },
	};
	struct two_ends e = good_ends();

	e.plan.events = true;
	check_findings(&e, rows, COUNT(rows), VERDICT_WARNING);
}

#define NODES(device, all, threads) \
	"device's NUMA node", { { FACT_NUMA_NODE, device }, \
		{ FACT_NUMA_NODES, all }, { FACT_THREAD_NODES, threads } }

TEST(test_nodes)
{
	static const struct finding rows[] = {
		{ NODES("0", "1", "0"), NULL, NULL, NULL },
		{ NODES("1", "2", "1"), "1, threads on 1", NULL, NULL },
		{ NODES("1", "2", NULL), "1, threads on ", NULL, NULL },
		{ NODES("1", "2", "0"), "1, threads on 0",
		  "the client's threads may run on NUMA node 0, mlx5_0 is on "
		  "node 1", "numactl --cpunodebind=1 --membind=1" },
		{ NODES("1", "2", "0-1"), "1, threads on 0-1",
		  "the client's threads may run on NUMA nodes 0-1, mlx5_0 is "
		  "on node 1", "--cpunodebind=1" },
	};
	static const struct finding memory[] = {
		{ NODES("1", "2", "1"), "1, threads on 1",
		  "the client's memory is on NUMA node 0, mlx5_0 is on node 1",
		  "leave --numa" },
		{ NODES("0", "2", "0"), "0, threads on 0", NULL, NULL },
	};
	struct two_ends e = good_ends();

	check_findings(&e, rows, COUNT(rows), VERDICT_WARNING);
	e.client.numa_node = 0;
	check_findings(&e, memory, COUNT(memory), VERDICT_WARNING);
}

TEST(test_memory)
{
	static const struct finding rows[] = {
		{ "locked memory", { { FACT_MEMLOCK_BYTES,
		  "18446744073709551615" } }, "unlimited", NULL, NULL },
		{ "locked memory", { { FACT_MEMLOCK_BYTES, "65536" },
		  { FACT_DRIVER, "rdma_rxe" } }, "65536", NULL, NULL },
		{ "locked memory", { { FACT_MEMLOCK_BYTES, "65535" },
		  { FACT_DRIVER, "rdma_rxe" } },
		  "65535", "the client's process may lock 65535 bytes of "
		  "memory, the messages need 65536", "ulimit -l" },
		{ "free huge pages", { { FACT_HUGE_PAGES_FREE, "0" },
		  { FACT_HUGE_PAGE_BYTES, "2097152" } }, NULL, NULL, NULL },
	};
	static const struct finding paged[] = {
		{ "locked memory", { { FACT_MEMLOCK_BYTES, "0" } }, NULL, NULL,
		  NULL },
	};
	struct two_ends e = good_ends();

	check_findings(&e, rows, COUNT(rows), VERDICT_ERROR);
	e.plan.odp = true;
	check_findings(&e, paged, COUNT(paged), VERDICT_ERROR);
}

/* A NIC's driver locks the queues, too, which the messages of a short test need
 * more memory for than for themselves. */
TEST(test_memory_of_queues)
{
	struct two_ends e = good_ends();
	const struct preflight_row *row;
	struct need need;

	facts_set_text(&e.client.facts, FACT_DRIVER, "mlx5_core");
	facts_set_count(&e.client.facts, FACT_MEMLOCK_BYTES, 65536);
	look(&e);
	/* how much queues need is an estimate: it refuses nothing */
	assert_int_equal(find_row(&e, "locked memory")->verdict, VERDICT_OK);
	row = find_row(&e, "locked, with queues");
	assert_int_equal(row->verdict, VERDICT_WARNING);
	assert_contains(row->error.message, "queues about");
	assert_contains(row->error.advice, "ulimit -l");
	need_of(&e.plan, true, &e.client, &need);
	facts_set_count(&e.client.facts, FACT_MEMLOCK_BYTES,
			need.messages + need.objects);
	facts_set_count(&e.client.facts, FACT_MEMORY_AVAILABLE,
			need.messages + need.objects - 1);
	look(&e);
	assert_int_equal(find_row(&e, "locked, with queues")->verdict, VERDICT_OK);
	row = find_row(&e, "available memory");
	assert_int_equal(row->verdict, VERDICT_WARNING);
	assert_contains(row->error.advice, "memory.max");
	/* huge pages are set aside */
	e.plan.hugepages = true;
	look(&e);
	assert_false(has_row(&e, "available memory"));
}

TEST(test_huge_pages)
{
	static const struct finding rows[] = {
		{ "free huge pages", { { FACT_HUGE_PAGES_FREE, "2" },
		  { FACT_HUGE_PAGE_BYTES, "2097152" } }, "2 of 2048 KiB",
		  NULL, NULL },
		{ "free huge pages", { { FACT_HUGE_PAGES_FREE, "1" },
		  { FACT_HUGE_PAGE_BYTES, "2097152" } }, "1 of 2048 KiB",
		  "the client's kernel has 1 free huge pages, --hugepages "
		  "needs 2", "echo 2 > /proc/sys/vm/nr_hugepages" },
		{ "free huge pages", { { FACT_HUGE_PAGES_FREE, "1" } },
		  "1 of 0 KiB", NULL, NULL },
	};
	struct two_ends e = good_ends();

	e.plan.hugepages = true;
	e.plan.sizes.bytes[0] = 4 << 20;
	check_findings(&e, rows, COUNT(rows), VERDICT_ERROR);
}

#define AMD_MLX5 { FACT_CPU_MODEL, "AMD EPYC 9354" }, \
		 { FACT_DRIVER, "mlx5_core" }

TEST(test_ordering)
{
	static const struct finding rows[] = {
		{ "ordering", { { FACT_CPU_MODEL, "Intel Xeon" },
		  { FACT_DRIVER, "mlx5_core" } }, NULL, NULL, NULL },
		{ "ordering", { { FACT_CPU_MODEL, "AMD EPYC" },
		  { FACT_DRIVER, "bnxt_en" } }, NULL, NULL, NULL },
	};
	struct two_ends e = good_ends();
	const struct preflight_row *row;

	check_findings(&e, rows, COUNT(rows), VERDICT_WARNING);
	give_all(&e.client.facts, (const struct given[7]){ AMD_MLX5 });
	look(&e);
	row = find_row(&e, "ordering");
	assert_string_equal(row->client, "strict");
	assert_string_equal(row->error.message, "the client's device writes "
			    "in strict order to a host with AMD processors");
	assert_contains(row->error.advice, "--relaxed-ordering");
	e.plan.relaxed_ordering = true;
	look(&e);
	assert_int_equal(find_row(&e, "ordering")->verdict, VERDICT_OK);
	e.plan.relaxed_ordering = false;
	e.client.rate_mbps = 25000;
	look(&e);
	assert_false(has_row(&e, "ordering"));
}

#define PCIE_NOW(gt, width, gbps, slowest) \
	{ FACT_PCIE_SPEED_GT, gt }, { FACT_PCIE_WIDTH, width }, \
	{ FACT_PCIE_GBPS, gbps }, { FACT_PCIE_SLOWEST, slowest }, \
	{ FACT_PCIE_ADDRESS, "0000:41:00.0" }

TEST(test_pcie)
{
	static const struct finding rows[] = {
		{ "PCIe", { PCIE_NOW("16", "16", "252.06", "0000:41:00.0") },
		  "16 GT/s x16, 252.1 Gb/s", NULL, NULL },
		{ "PCIe", { PCIE_NOW("8", "8", "63.02", "0000:41:00.0") },
		  "8 GT/s x8, 63.02 Gb/s", "the client's PCIe carries 63.02 "
		  "Gb/s (8 GT/s x8), the link 100 Gb/s",
		  "lspci -vv -s 0000:41:00.0" },
		{ "PCIe", { PCIE_NOW("16", "16", "2", "0000:40:01.1") },
		  "16 GT/s x16, 2 Gb/s", "the client's PCIe carries 2 Gb/s "
		  "(16 GT/s x16, slowest at 0000:40:01.1), the link 100 Gb/s",
		  "lspci -vv -s 0000:40:01.1" },
		{ "PCIe", { { FACT_PCIE_GBPS, "100" } }, "100 Gb/s", NULL,
		  NULL },
		{ "IOMMU", { { FACT_IOMMU, "none" } }, "none", NULL, NULL },
		{ "IOMMU", { { FACT_IOMMU, "passthrough" } }, "passthrough",
		  NULL, NULL },
		{ "IOMMU", { { FACT_IOMMU, "translated" } }, "translated",
		  "the client's IOMMU translates each address that the device "
		  "uses", "iommu=pt" },
	};
	struct two_ends e = good_ends();

	check_findings(&e, rows, COUNT(rows), VERDICT_WARNING);
	look(&e);
	give(&e.client.facts, &(const struct given){ FACT_PCIE_GBPS, "126" });
	look(&e);
	assert_string_equal(find_row(&e, "PCIe")->needed, "100 Gb/s");
}

#define GUEST(driver) { FACT_VIRTUAL_MACHINE, "QEMU" }, \
	{ FACT_NETDEV_DRIVER, driver }

/* Of a guest only the link of a device that was passed through is hardware. */
TEST(test_pcie_of_a_guest)
{
	static const struct finding rows[] = {
		{ "PCIe", { PCIE_NOW("2.5", "1", "2", "0000:41:00.0"),
			    GUEST("virtio_net") }, "2.5 GT/s x1, emulated",
		  NULL, NULL },
		{ "PCIe", { PCIE_NOW("2.5", "1", "2", "0000:41:00.0"),
			    GUEST("e1000e") }, "2.5 GT/s x1, emulated", NULL,
		  NULL },
		/* as a DPU presents it to its host */
		{ "PCIe", { PCIE_NOW("2.5", "1", "2", "0000:41:00.0"),
			    { FACT_VIRTUAL_MACHINE, "none" },
			    { FACT_NETDEV_DRIVER, "virtio_net" } },
		  "2.5 GT/s x1, 2 Gb/s", "the client's PCIe carries 2 Gb/s "
		  "(2.5 GT/s x1), the link 100 Gb/s",
		  "lspci -vv -s 0000:41:00.0" },
		{ "PCIe", { PCIE_NOW("16", "16", "2", "0000:00:01.0"),
			    GUEST("mlx5_core") }, "16 GT/s x16, 252.1 Gb/s",
		  NULL, NULL },
		{ "PCIe", { PCIE_NOW("8", "8", "2", "0000:00:01.0"),
			    GUEST("mlx5_core") }, "8 GT/s x8, 63.02 Gb/s",
		  "the client's PCIe carries 63.02 Gb/s (8 GT/s x8), the link "
		  "100 Gb/s", "lspci -vv -s 0000:41:00.0" },
		{ "PCIe supported", { { FACT_PCIE_WIDTH, "8" },
		  { FACT_PCIE_SPEED_GT, "16" }, { FACT_PCIE_MAX_SPEED_GT, "16" },
		  { FACT_PCIE_MAX_WIDTH, "16" },
		  { FACT_PCIE_SLOT_SPEED_GT, "16" },
		  { FACT_PCIE_SLOT_WIDTH, "32" },
		  { FACT_VIRTUAL_MACHINE, "QEMU" } },
		  "16 GT/s x16 in 16 GT/s x32", NULL, NULL },
	};
	struct two_ends e = good_ends();

	check_findings(&e, rows, COUNT(rows), VERDICT_WARNING);
}

#define PCIE_LINK(gt, width, slot_gt, slot_width) \
	{ FACT_PCIE_SPEED_GT, gt }, { FACT_PCIE_WIDTH, width }, \
	{ FACT_PCIE_MAX_SPEED_GT, "16" }, { FACT_PCIE_MAX_WIDTH, "16" }, \
	{ FACT_PCIE_SLOT_SPEED_GT, slot_gt }, \
	{ FACT_PCIE_SLOT_WIDTH, slot_width }

/* Of a fast card in a slow slot nobody has to mend the link. */
TEST(test_pcie_training)
{
	static const struct finding rows[] = {
		{ "PCIe supported", { PCIE_LINK("16", "16", "16", "16") },
		  "16 GT/s x16 in 16 GT/s x16", NULL, NULL },
		{ "PCIe supported", { PCIE_LINK("8", "8", "8", "8") },
		  "16 GT/s x16 in 8 GT/s x8", NULL, NULL },
		{ "PCIe supported", { PCIE_LINK("8", "16", "32", "16") },
		  "16 GT/s x16 in 32 GT/s x16", "the client's PCIe link runs "
		  "at 8 GT/s x16, device and slot can do 16 GT/s x16 in 32 "
		  "GT/s x16", "reseat" },
		{ "PCIe supported", { PCIE_LINK("16", "4", "32", "8") },
		  "16 GT/s x16 in 32 GT/s x8", "the client's PCIe link runs "
		  "at 16 GT/s x4, device and slot can do 16 GT/s x16 in 32 "
		  "GT/s x8", "reseat" },
		{ "PCIe supported", { { FACT_PCIE_SPEED_GT, "8" },
		  { FACT_PCIE_WIDTH, "8" }, { FACT_PCIE_MAX_SPEED_GT, "16" },
		  { FACT_PCIE_MAX_WIDTH, "16" } }, "16 GT/s x16", NULL, NULL },
	};
	struct two_ends e = good_ends();

	check_findings(&e, rows, COUNT(rows), VERDICT_WARNING);
}

#define NEAREST { FACT_NEAREST_GPU, "0000:19:00.0" }, \
	{ FACT_NEAREST_GPU_DISTANCE, "same switch" }
#define USED(address, distance) \
	{ FACT_GPU, address }, { FACT_GPU_DISTANCE, distance }

TEST(test_gpu)
{
	static const struct finding rows[] = {
		{ "GPU", { NEAREST }, NULL, NULL, NULL },
		{ "GPU", { NEAREST, USED("0000:1b:00.0", "same switch") },
		  "0000:1b:00.0, same switch", NULL, NULL },
		{ "GPU", { NEAREST, USED("0000:b9:00.0", "same NUMA node") },
		  "0000:b9:00.0, same NUMA node", "the client's GPU "
		  "0000:b9:00.0 is far from mlx5_0 (same NUMA node), GPU "
		  "0000:19:00.0 is near (same switch)", "cuda:auto" },
		{ "GPU", { { FACT_NEAREST_GPU, "0000:19:00.0" },
			   { FACT_NEAREST_GPU_DISTANCE, "across sockets" },
			   USED("0000:19:00.0", "across sockets") },
		  "0000:19:00.0, across sockets", "the client's GPU "
		  "0000:19:00.0 is far from mlx5_0 (across sockets)",
		  "devices --topology" },
		{ "ACS redirect", { NEAREST }, NULL, NULL, NULL },
		{ "ACS redirect", { { FACT_ACS_REDIRECT, "none" } }, "none",
		  NULL, NULL },
		{ "ACS redirect", { { FACT_ACS_REDIRECT, "0000:18:03.0" } },
		  "0000:18:03.0", "the client's PCIe switch sends peer to "
		  "peer with the GPU to the root complex (ACS of "
		  "0000:18:03.0)", "setpci -s 0000:18:03.0 ECAP_ACS+6.w=0" },
	};
	struct two_ends e = good_ends();

	check_findings(&e, rows, COUNT(rows), VERDICT_WARNING);
}

TEST(test_pcie_power)
{
	static const char sleeps[] = "the client's PCIe link sleeps when it "
				     "is idle (ASPM powersave)";
	static const struct finding rows[] = {
		{ "PCIe power saving", { { FACT_ASPM, "default" } },
		  "default", NULL, NULL },
		{ "PCIe power saving", { { FACT_ASPM, "powersave" } },
		  "powersave", sleeps, "echo performance" },
		{ "PCIe power saving", { { FACT_ASPM, "powersave" },
		  { FACT_ASPM_L1, "0" } }, "powersave, L1 off", NULL, NULL },
		{ "PCIe power saving", { { FACT_ASPM, "powersave" },
		  { FACT_ASPM_L1, "1" } }, "powersave, L1 on", sleeps,
		  "echo performance" },
		{ "PCIe power saving", { { FACT_ASPM, "powersupersave" } },
		  "powersupersave", "the client's PCIe link sleeps when it is "
		  "idle (ASPM powersupersave)", "echo" },
	};
	struct two_ends e = good_ends();

	check_findings(&e, rows, COUNT(rows), VERDICT_WARNING);
}

TEST(test_mtu)
{
	static const struct finding rows[] = {
		{ "interface MTU", { { FACT_NETDEV, "eth0" },
		  { FACT_NETDEV_MTU, "1500" } }, "eth0 1500",
		  "the client's eth0 has MTU 1500, which leaves RDMA a path "
		  "MTU of 1024", "ip link set eth0 mtu 4200" },
		{ "interface MTU", { { FACT_NETDEV, "eth0" },
		  { FACT_NETDEV_MTU, "4192" } }, "eth0 4192", NULL, NULL },
	};
	static const struct finding small[] = {
		{ "interface MTU", { { FACT_NETDEV, "eth0" },
		  { FACT_NETDEV_MTU, "1500" } }, "eth0 1500", NULL, NULL },
	};
	struct two_ends e = good_ends();

	check_findings(&e, rows, COUNT(rows), VERDICT_WARNING);
	e.server.active_mtu = IBV_MTU_512;	/* is what limits it */
	check_findings(&e, small, COUNT(small), VERDICT_WARNING);
	e = good_ends();
	e.plan.mtu = 512;
	check_findings(&e, small, COUNT(small), VERDICT_WARNING);
	e = good_ends();
	e.plan.sizes.bytes[0] = 1024;
	check_findings(&e, small, COUNT(small), VERDICT_WARNING);
}

TEST(test_links)
{
	static const struct finding rows[] = {
		{ "link speed", { { FACT_NETDEV_SPEED, "100000" },
		  { FACT_NETDEV_MAX_SPEED, "100000" } }, "100 of 100 Gb/s",
		  NULL, NULL },
		{ "link speed", { { FACT_NETDEV_SPEED, "25000" },
		  { FACT_NETDEV_MAX_SPEED, "100000" },
		  { FACT_NETDEV, "eth0" } }, "25 of 100 Gb/s",
		  "the client's link runs at 25 Gb/s, eth0 supports 100 Gb/s",
		  "ethtool eth0" },
		{ "link speed", { { FACT_NETDEV_SPEED, "25000" } }, NULL,
		  NULL, NULL },
		{ "link speed", { { FACT_LINK_LANES, "1X FDR10" } }, NULL,
		  NULL, NULL },
		{ "bonding", { { FACT_BONDING, "none" } }, NULL, NULL, NULL },
		{ "bonding", { { FACT_BONDING, "active-backup" } }, NULL, NULL,
		  NULL },
		{ "bonding", { { FACT_BONDING, "802.3ad" },
		  { FACT_NETDEV, "bond0" } }, "802.3ad", "the client's "
		  "interface bond0 is a bond (802.3ad), and a queue pair uses "
		  "one of its ports", "-q 2" },
		{ "link downs", { { FACT_LINK_DOWNED, "3" } }, "3", NULL,
		  NULL },
		{ "link downs", { { FACT_LINK_DOWNED, "4" } }, "4",
		  "the client's link went down 4 times since the driver was "
		  "loaded", "dmesg" },
	};
	static const struct finding lanes[] = {
		{ "link speed", { { FACT_LINK_LANES, "4X EDR" } }, "4X EDR",
		  NULL, NULL },
		{ "link speed", { { FACT_LINK_LANES, "1X HDR" } }, "1X HDR",
		  "the client's link runs with one lane (1X HDR)",
		  "ibportstate" },
	};
	struct two_ends e = good_ends();

	check_findings(&e, rows, COUNT(rows), VERDICT_WARNING);
	e = good_infiniband();
	check_findings(&e, lanes, COUNT(lanes), VERDICT_WARNING);
}

/* DSCP 26 has priority 3, all others 0. */
#define DSCP_26 "0000000000000000000000000030000000000000" \
		"000000000000000000000000"

TEST(test_flow_control)
{
	static const struct finding rows[] = {
		{ "flow control", { { FACT_PAUSE, "none" } }, NULL, NULL,
		  NULL },
		{ "flow control", { { FACT_PFC, "0, 3" },
		  { FACT_PAUSE, "none" } }, "PFC 0, 3, pause none", NULL,
		  NULL },
		{ "flow control", { { FACT_PFC, "none" },
		  { FACT_PAUSE, "both" } }, "PFC none, pause both", NULL,
		  NULL },
		{ "flow control", { { FACT_PFC, "none" },
		  { FACT_ROCE_ECN, "0" } }, "PFC none, pause unknown", NULL,
		  NULL },
		{ "flow control", { { FACT_PFC, "none" },
		  { FACT_NETDEV, "eth0" }, { FACT_PAUSE, "receive" } },
		  "PFC none, pause receive", "the client's packets have "
		  "priority 0, and PFC is off",
		  "dcb pfc set dev eth0 prio-pfc 0:on" },
		{ "flow control", { { FACT_PFC, "3" },
		  { FACT_DSCP_PRIORITIES, DSCP_26 } },
		  "PFC 3, pause unknown", "the client's packets have "
		  "priority 0, and PFC is on for 3", "add --dscp 26, or dcb" },
		{ "flow control", { { FACT_PFC, "5" } },
		  "PFC 5, pause unknown", "the client's packets have "
		  "priority 0, and PFC is on for 5", "add --sl 5, or dcb" },
	};
	struct two_ends e = good_ends();

	check_findings(&e, rows, COUNT(rows), VERDICT_WARNING);
	e = good_infiniband();
	check_findings(&e, rows, 1, VERDICT_WARNING);
	give(&e.client.facts, &(const struct given){ FACT_PFC, "none" });
	look(&e);
	assert_false(has_row(&e, "flow control"));
}

/* What is about packets of RoCE. */
TEST(test_nothing_of_roce_on_iwarp)
{
	struct two_ends e = good_ends();

	e.client.iwarp = e.server.iwarp = true;
	give(&e.client.facts, &(const struct given){ FACT_PFC, "none" });
	give(&e.client.facts, &(const struct given){ FACT_ROCE_ECN, "0" });
	give(&e.client.facts, &(const struct given){ FACT_NETDEV, "eth0" });
	give(&e.client.facts, &(const struct given){ FACT_NETDEV_MTU,
						     "1500" });
	look(&e);
	assert_null(preflight_first(&e.found));
	assert_int_equal(preflight_count(&e.found, VERDICT_WARNING), 0);
	assert_false(has_row(&e, "flow control"));
	assert_false(has_row(&e, "RoCE ECN"));
}

static void check_priority(uint32_t dscp, uint32_t tclass, uint32_t sl,
			   const char *of_dscp, const char *wanted)
{
	struct two_ends e = good_ends();

	e.plan.dscp = dscp;
	e.plan.tclass = tclass;
	e.plan.sl = sl;
	for (int i = 0; i < 2; i++) {
		struct facts *facts = i ? &e.server.facts : &e.client.facts;

		facts_set_text(facts, FACT_PFC, "3");
		facts_set_text(facts, FACT_DSCP_PRIORITIES, of_dscp);
	}
	look(&e);
	assert_string_equal(find_row(&e, "flow control")->needed, wanted);
}

TEST(test_priorities)
{
	check_priority(26, 0, 5, DSCP_26, "priority 3");
	check_priority(PLAN_AUTO, 26 << 2 | 2, 5, DSCP_26, "priority 3");
	check_priority(PLAN_AUTO, 0, 5, DSCP_26, "priority 0");
	check_priority(26, 0, 5, "", "priority 5");
	/* as a peer may send it */
	check_priority(1, 0, 2, "0", "priority 2");
	check_priority(0, 0, 2, "x", "priority 0");
}

TEST(test_priorities_of_both_ends)
{
	struct two_ends e = good_ends();
	const struct preflight_row *row;

	e.plan.dscp = 26;
	facts_set_text(&e.client.facts, FACT_PFC, "3");
	facts_set_text(&e.client.facts, FACT_DSCP_PRIORITIES, DSCP_26);
	facts_set_text(&e.server.facts, FACT_PFC, "0, 3");
	look(&e);
	row = find_row(&e, "flow control");
	assert_string_equal(row->needed, "priorities 3, 0");
	assert_string_equal(row->error.message,
			    "PFC of the client is 3, of the server 0, 3");
	facts_set_text(&e.server.facts, FACT_PFC, "3");
	e.server.facts.value[FACT_DSCP_PRIORITIES] =
		e.client.facts.value[FACT_DSCP_PRIORITIES];
	look(&e);
	assert_int_equal(find_row(&e, "flow control")->verdict, VERDICT_OK);
}

TEST(test_ecn)
{
	static const struct finding rows[] = {
		{ "RoCE ECN", { { FACT_ROCE_ECN, "0, 1" } }, "0, 1", NULL,
		  NULL },
		{ "RoCE ECN", { { FACT_ROCE_ECN, "none" },
		  { FACT_NETDEV, "eth0" } }, "none", "the client's device "
		  "does not react to ECN marks on priority 0",
		  "/sys/class/net/eth0/ecn/" },
	};
	struct two_ends e = good_ends();

	check_findings(&e, rows, COUNT(rows), VERDICT_WARNING);
}

TEST(test_gid_kinds)
{
	struct two_ends e = good_ends();
	const struct preflight_row *row;

	/* the client has RoCE v2 over IPv4, too */
	set_gid(&e.server, GID_TYPE_ROCE_V1, "::ffff:10.0.0.2");
	e.client.gids[e.client.n_gids++] = e.client.gids[0];
	e.client.gids[1].type = GID_TYPE_ROCE_V1;
	look(&e);
	row = find_row(&e, "GID types");
	assert_int_equal(row->verdict, VERDICT_WARNING);
	assert_string_equal(row->error.message, "the server has no RoCE v2 "
			    "IPv4 GID, so that RoCE v1 IPv4 is used");
	assert_non_null(row->cost);
	e = good_ends();
	set_gid(&e.client, GID_TYPE_ROCE_V2, "fd00::1");
	e.server.gids[e.server.n_gids++] = e.client.gids[0];
	look(&e);
	assert_string_equal(find_row(&e, "GID types")->error.message,
			    "the client has no RoCE v2 IPv4 GID, so that "
			    "RoCE v2 IPv6 is used");
	e.server.gid_forced = true;
	look(&e);
	assert_int_equal(find_row(&e, "GID types")->verdict, VERDICT_OK);
}

/* What is found at both ends is said once; what is not alike, of each. */
TEST(test_both_ends)
{
	struct two_ends e = good_ends();
	const struct preflight_row *row;
	struct error err = { 0 };

	facts_set_text(&e.server.facts, FACT_GOVERNOR, "powersave");
	look(&e);
	row = find_row(&e, "governor");
	assert_string_equal(row->client, "");
	assert_string_equal(row->error.message, "the server's processors have "
			    "the governor powersave");
	assert_string_equal(row->error.stage, "plan");
	facts_set_text(&e.client.facts, FACT_GOVERNOR, "powersave");
	look(&e);
	row = find_row(&e, "governor");
	assert_string_equal(row->error.message, "both ends' processors have "
			    "the governor powersave");
	assert_string_equal(row->error.advice,
			    "cpupower frequency-set --governor performance");
	facts_set_text(&e.client.facts, FACT_GOVERNOR, "ondemand");
	look(&e);
	assert_string_equal(find_row(&e, "governor")->error.message,
			    "the client's processors have the governor "
			    "ondemand; the server's processors have the "
			    "governor powersave");
	/* an ordinary run does not stop for it, nor for what is wrong */
	facts_set_count(&e.client.facts, FACT_MEMLOCK_BYTES, 1);
	look(&e);
	assert_string_equal(preflight_first(&e.found)->check, "locked memory");
	assert_int_equal(plan_fit(&e.plan, &e.client, &e.server, &err), 0);
}

/* "verbsperf check": no server, and no test. */
TEST(test_alone)
{
	struct two_ends e = good_ends();
	struct preflight found = { .alone = true };

	e.client.state = IBV_PORT_DOWN;
	facts_set_text(&e.client.facts, FACT_GOVERNOR, "powersave");
	plan_choose(&e.plan, &e.client, &e.client);
	preflight_run(&e.plan, &e.client, NULL, &e.ways, &found);
	e.found = found;
	assert_string_equal(find_row(&e, "state")->error.message,
			    "port 1 of this host's mlx5_0 is DOWN");
	assert_string_equal(find_row(&e, "state")->error.advice,
			    "bring its link up (ip link set ... up), or choose "
			    "another port with -d and -i");
	assert_string_equal(find_row(&e, "governor")->error.message,
			    "this host's processors have the governor "
			    "powersave");
	assert_false(has_row(&e, "max_qp"));
	assert_false(has_row(&e, "GID types"));
	preflight_free(&found);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_nothing_known),
	cmocka_unit_test(test_processors),
	cmocka_unit_test(test_interrupts),
	cmocka_unit_test(test_nodes),
	cmocka_unit_test(test_memory),
	cmocka_unit_test(test_memory_of_queues),
	cmocka_unit_test(test_huge_pages),
	cmocka_unit_test(test_ordering),
	cmocka_unit_test(test_pcie),
	cmocka_unit_test(test_pcie_of_a_guest),
	cmocka_unit_test(test_pcie_training),
	cmocka_unit_test(test_gpu),
	cmocka_unit_test(test_pcie_power),
	cmocka_unit_test(test_mtu),
	cmocka_unit_test(test_links),
	cmocka_unit_test(test_flow_control),
	cmocka_unit_test(test_nothing_of_roce_on_iwarp),
	cmocka_unit_test(test_priorities),
	cmocka_unit_test(test_priorities_of_both_ends),
	cmocka_unit_test(test_ecn),
	cmocka_unit_test(test_gid_kinds),
	cmocka_unit_test(test_both_ends),
	cmocka_unit_test(test_alone),
};

TEST_MAIN(tests, 20)
