/*
 * The settings of the host of an end and of its device: read by host/facts.h,
 * sent to the peer, the JSON "environment", judged by preflight/host.c.  A fact
 * that is not known has no value: nothing is guessed.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum fact_kind {
	FACT_TEXT,
	FACT_COUNT,
	FACT_REAL,
	FACT_FLAG,		/* 0 or 1 */
	FACT_LIMIT,		/* a count, or FACT_UNLIMITED */
	FACT_KINDS,
};

#define FACT_UNLIMITED UINT64_MAX
/* Longest text, with its final NUL. */
#define FACT_TEXT_SIZE 72

/* X(name, heading) */
#define FACT_GROUP_LIST(X) \
	X(HOST, "host") \
	X(CPU, "processors") \
	X(MEMORY, "memory") \
	X(PCIE, "PCIe") \
	X(NETWORK, "network")

enum fact_group {
#define X(name, heading) FACT_GROUP_##name,
	FACT_GROUP_LIST(X)
#undef X
	FACT_GROUPS,
};

/*
 * X(id on the wire, name, JSON key, kind, group, most, compared)
 *
 * Ids ascend; a new one goes to the end.  A number above "most" is neither
 * believed nor taken from a peer.  verbsperf-compare compares a fact that is
 * "compared", because results may depend on it and it stays as it is from one
 * run to the next.
 */
// clang-format off
#define FACT_LIST(X) \
	X(1, KERNEL, kernel, TEXT, HOST, 0, true) \
	X(2, DISTRIBUTION, distribution, TEXT, HOST, 0, true) \
	X(3, RDMA_CORE, rdma_core, TEXT, HOST, 0, true) \
	X(4, DRIVER, driver, TEXT, HOST, 0, true) \
	X(5, DRIVER_VERSION, driver_version, TEXT, HOST, 0, true) \
	X(6, CONTAINER, container, TEXT, HOST, 0, true) \
	X(7, VIRTUAL_MACHINE, virtual_machine, TEXT, HOST, 0, true) \
	X(8, CPU_MODEL, cpu_model, TEXT, CPU, 0, true) \
	X(9, CPUS_ONLINE, cpus_online, COUNT, CPU, 1 << 20, true) \
	X(10, GOVERNOR, governor, TEXT, CPU, 0, true) \
	X(11, CPU_MHZ, cpu_mhz, REAL, CPU, 1000000, false) \
	X(12, CPU_MAX_MHZ, cpu_max_mhz, REAL, CPU, 1000000, true) \
	X(13, SMT, smt, FLAG, CPU, 1, true) \
	X(14, ISOLATED_CPUS, isolated_cpus, TEXT, CPU, 0, true) \
	X(15, IDLE_STATE, deepest_idle_state, TEXT, CPU, 0, true) \
	X(16, IDLE_EXIT_US, idle_exit_us, COUNT, CPU, 10000000, true) \
	X(17, IRQBALANCE, irqbalance, FLAG, CPU, 1, true) \
	X(18, THREAD_NODES, thread_nodes, TEXT, CPU, 0, true) \
	X(19, NUMA_NODE, numa_node, COUNT, MEMORY, 4096, true) \
	X(20, NUMA_NODES, numa_nodes, COUNT, MEMORY, 4096, true) \
	X(21, HUGE_PAGES_FREE, huge_pages_free, COUNT, MEMORY, 1ULL << 52, \
	  false) \
	X(22, HUGE_PAGE_BYTES, huge_page_bytes, COUNT, MEMORY, 1ULL << 40, \
	  true) \
	X(23, TRANSPARENT_HUGE_PAGES, transparent_huge_pages, TEXT, MEMORY, 0, \
	  true) \
	X(24, MEMLOCK_BYTES, memlock_bytes, LIMIT, MEMORY, UINT64_MAX, false) \
	X(25, PCIE_ADDRESS, pcie_address, TEXT, PCIE, 0, false) \
	X(26, PCIE_SPEED_GT, pcie_speed_gt, REAL, PCIE, 1024, true) \
	X(27, PCIE_WIDTH, pcie_width, COUNT, PCIE, 64, true) \
	X(28, PCIE_MAX_SPEED_GT, pcie_max_speed_gt, REAL, PCIE, 1024, true) \
	X(29, PCIE_MAX_WIDTH, pcie_max_width, COUNT, PCIE, 64, true) \
	X(30, PCIE_SLOT_SPEED_GT, pcie_slot_speed_gt, REAL, PCIE, 1024, true) \
	X(31, PCIE_SLOT_WIDTH, pcie_slot_width, COUNT, PCIE, 64, true) \
	X(32, PCIE_GBPS, pcie_gbps, REAL, PCIE, 100000, true) \
	X(33, PCIE_SLOWEST, pcie_slowest, TEXT, PCIE, 0, false) \
	X(34, SRIOV, sriov, TEXT, PCIE, 0, true) \
	X(35, IOMMU, iommu, TEXT, PCIE, 0, true) \
	X(36, ASPM, aspm, TEXT, PCIE, 0, true) \
	X(37, ASPM_L1, aspm_l1, FLAG, PCIE, 1, true) \
	X(38, NETDEV, netdev, TEXT, NETWORK, 0, false) \
	X(39, NETDEV_MTU, netdev_mtu, COUNT, NETWORK, 1 << 20, true) \
	X(40, NETDEV_DRIVER, netdev_driver, TEXT, NETWORK, 0, true) \
	X(41, NETDEV_SPEED, netdev_speed, COUNT, NETWORK, 100000000, true) \
	X(42, NETDEV_MAX_SPEED, netdev_max_speed, COUNT, NETWORK, 100000000, \
	  true) \
	X(43, BONDING, bonding, TEXT, NETWORK, 0, true) \
	X(44, VLAN, vlan, TEXT, NETWORK, 0, true) \
	X(45, LINK_LANES, link_lanes, TEXT, NETWORK, 0, true) \
	X(46, LINK_DOWNED, link_downed, COUNT, NETWORK, INT64_MAX, false) \
	X(47, PAUSE, pause, TEXT, NETWORK, 0, true) \
	X(48, PFC, pfc, TEXT, NETWORK, 0, true) \
	X(49, PRIORITY_TRUST, priority_trust, TEXT, NETWORK, 0, true) \
	X(50, DSCP_PRIORITIES, dscp_priorities, TEXT, NETWORK, 0, true) \
	X(51, ROCE_ECN, roce_ecn, TEXT, NETWORK, 0, true) \
	X(52, GPU, gpu, TEXT, PCIE, 0, false) \
	X(53, GPU_DISTANCE, gpu_distance, TEXT, PCIE, 0, true) \
	X(54, NEAREST_GPU, nearest_gpu, TEXT, PCIE, 0, false) \
	X(55, NEAREST_GPU_DISTANCE, nearest_gpu_distance, TEXT, PCIE, 0, \
	  false) \
	X(56, ACS_REDIRECT, acs_redirect, TEXT, PCIE, 0, false) \
	X(57, LOAD_AVERAGE, load_average, REAL, CPU, 1000000, false) \
	X(58, PROVIDER_VARIABLES, provider_variables, TEXT, HOST, 0, true) \
	X(59, MEMORY_AVAILABLE, memory_available_bytes, COUNT, MEMORY, \
	  INT64_MAX, false)
// clang-format on

/* The maker of a virtual machine that says not who made it. */
#define FACT_UNKNOWN_MAKER "unknown maker"

enum fact {
#define X(id, name, ...) FACT_##name,
	FACT_LIST(X)
#undef X
	FACTS,
};

struct fact_row {
	uint16_t id;
	const char *key;
	enum fact_kind kind;
	enum fact_group group;
	uint64_t most;
	bool compared;
};

extern const struct fact_row fact_table[FACTS];

struct fact_value {
	bool known;
	union {
		uint64_t count;		/* also of a flag and a limit */
		double real;
		char text[FACT_TEXT_SIZE];
	};
};

/* All zero: nothing is known. */
struct facts {
	struct fact_value value[FACTS];
};

/* Set a fact of the fitting kind.  An empty text, or a number out of its range,
 * makes it unknown; a text too long is cut. */
void facts_set_text(struct facts *facts, enum fact fact, const char *text);
void facts_set_count(struct facts *facts, enum fact fact, uint64_t count);
void facts_set_real(struct facts *facts, enum fact fact, double real);

bool facts_known(const struct facts *facts, enum fact fact);

/* The text of a fact; "" if it is not known. */
const char *facts_text(const struct facts *facts, enum fact fact);

/* The number of a count, a flag or a limit, or of a real; 0 if it is not
 * known. */
uint64_t facts_count(const struct facts *facts, enum fact fact);
double facts_real(const struct facts *facts, enum fact fact);

/* True if any is known. */
bool facts_any(const struct facts *facts);

/* Write the value of a fact for people into TEXT of SIZE bytes: "" if it is not
 * known, "yes" or "no" of a flag.  Returns TEXT. */
char *facts_format(const struct facts *facts, enum fact fact, char *text,
		   size_t size);

/* The row with ID on the wire; NULL if there is none. */
const struct fact_row *facts_find(uint16_t id);

/* The heading of each group. */
extern const char *const fact_headings[FACT_GROUPS];

/* "text", "count", ... */
extern const char *const fact_kind_names[FACT_KINDS];

/* Data rate in Gb/s, after encoding, of WIDTH lanes of SPEED_GT GT/s each:
 * 8b10b up to 5 GT/s, 128b130b up to 32, flits above.  Headers of packets,
 * about a tenth of it, are not taken off. */
static inline double pcie_gbps(double speed_gt, uint64_t width)
{
	/* a flit has 236 bytes of packets in 256 */
	const double share = speed_gt <= 5 ? 8.0 / 10 :
			     speed_gt <= 32 ? 128.0 / 130 : 236.0 / 256;

	return speed_gt * (double)width * share;
}
