/* The facts of a host and its device as people read them. */
#include "config.h"
#include "report/parts.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"

/* Bytes of a value with its unit. */
#define VALUE_SIZE (FACT_TEXT_SIZE + 16)

/* What a fact is called, where that is more than its key with blanks, and the
 * unit of its value. */
static const struct {
	const char *label;
	const char *unit;	/* "bytes": written as 2M; "lanes": as x16 */
} words[FACTS] = {
	[FACT_RDMA_CORE] = { .label = "rdma-core" },
	[FACT_CPU_MODEL] = { .label = "model" },
	[FACT_CPUS_ONLINE] = { .label = "CPUs online" },
	[FACT_CPU_MHZ] = { "frequency now", "MHz" },
	[FACT_CPU_MAX_MHZ] = { "highest frequency", "MHz" },
	[FACT_SMT] = { .label = "several threads a core" },
	[FACT_ISOLATED_CPUS] = { .label = "isolated CPUs" },
	[FACT_IDLE_EXIT_US] = { "to leave that state", "us" },
	[FACT_THREAD_NODES] = { .label = "threads on NUMA node" },
	[FACT_NUMA_NODE] = { .label = "device on NUMA node" },
	[FACT_NUMA_NODES] = { .label = "NUMA nodes" },
	[FACT_HUGE_PAGES_FREE] = { .label = "free huge pages" },
	[FACT_HUGE_PAGE_BYTES] = { "size of huge pages", "bytes" },
	[FACT_MEMLOCK_BYTES] = { "may be locked", "bytes" },
	[FACT_MEMORY_AVAILABLE] = { "available", "bytes" },
	[FACT_PCIE_ADDRESS] = { .label = "PCIe address" },
	[FACT_PCIE_SPEED_GT] = { "link speed", "GT/s" },
	[FACT_PCIE_WIDTH] = { "link width", "lanes" },
	[FACT_PCIE_MAX_SPEED_GT] = { "of the device", "GT/s" },
	[FACT_PCIE_MAX_WIDTH] = { "of the device", "lanes" },
	[FACT_PCIE_SLOT_SPEED_GT] = { "of the slot", "GT/s" },
	[FACT_PCIE_SLOT_WIDTH] = { "of the slot", "lanes" },
	[FACT_PCIE_GBPS] = { "slowest link on the way", "Gb/s" },
	[FACT_PCIE_SLOWEST] = { .label = "that is below" },
	[FACT_SRIOV] = { .label = "SR-IOV function" },
	[FACT_IOMMU] = { .label = "IOMMU" },
	[FACT_ASPM] = { .label = "power saving (ASPM)" },
	[FACT_ASPM_L1] = { .label = "link may enter L1" },
	[FACT_NETDEV] = { .label = "interface" },
	[FACT_NETDEV_MTU] = { .label = "its MTU" },
	[FACT_NETDEV_DRIVER] = { .label = "its driver" },
	[FACT_NETDEV_SPEED] = { "its speed", "Mb/s" },
	[FACT_NETDEV_MAX_SPEED] = { "its highest speed", "Mb/s" },
	[FACT_VLAN] = { .label = "VLAN" },
	[FACT_LINK_DOWNED] = { .label = "link went down" },
	[FACT_PAUSE] = { .label = "pause frames" },
	[FACT_PFC] = { .label = "PFC on priorities" },
	[FACT_PRIORITY_TRUST] = { .label = "priority is by" },
	[FACT_DSCP_PRIORITIES] = { .label = "priorities of DSCPs" },
	[FACT_ROCE_ECN] = { .label = "ECN on priorities" },
	[FACT_GPU] = { .label = "GPU" },
	[FACT_GPU_DISTANCE] = { .label = "its distance" },
	[FACT_NEAREST_GPU] = { .label = "nearest GPU" },
	[FACT_NEAREST_GPU_DISTANCE] = { .label = "its distance" },
	[FACT_ACS_REDIRECT] = { .label = "ACS redirects at" },
};

/* The name of FACT, in TEXT if it has no better one than its key. */
static const char *label_of(enum fact fact, char text[FACT_TEXT_SIZE])
{
	if (words[fact].label)
		return words[fact].label;
	snprintf(text, FACT_TEXT_SIZE, "%s", fact_table[fact].key);
	for (char *c = text; *c; c++)
		if (*c == '_')
			*c = ' ';
	return text;
}

static const char *value_of(const struct facts *facts, enum fact fact,
			    char text[VALUE_SIZE])
{
	const char *unit = words[fact].unit;
	const bool bytes = unit && !strcmp(unit, "bytes");
	const uint64_t count = facts_count(facts, fact);

	facts_format(facts, fact, text, VALUE_SIZE);
	if (fact == FACT_VIRTUAL_MACHINE && !strcmp(text, FACT_UNKNOWN_MAKER))
		snprintf(text, VALUE_SIZE, "yes");
	else if (bytes && count != FACT_UNLIMITED)
		units_format_size(count, text);
	else if (unit && !strcmp(unit, "lanes"))
		snprintf(text, VALUE_SIZE, "x%" PRIu64, count);
	else if (unit && !bytes)
		text_append(text, VALUE_SIZE, " %s", unit);
	return text;
}

/* Print those that are known and of GROUP. */
static void print_group_of_facts(FILE *out, const struct facts *facts,
				 enum fact_group group)
{
	char label[FACT_TEXT_SIZE], value[VALUE_SIZE];
	bool begun = false;

	for (enum fact i = 0; i < FACTS; i++) {
		if (fact_table[i].group != group || !facts_known(facts, i))
			continue;
		if (!begun)
			fprintf(out, "  %s\n", fact_headings[group]);
		begun = true;
		fprintf(out, "    %-23s  %s\n", label_of(i, label),
			value_of(facts, i, value));
	}
}

void facts_print(FILE *out, const struct facts *facts)
{
	for (enum fact_group i = 0; i < FACT_GROUPS; i++)
		print_group_of_facts(out, facts, i);
}
