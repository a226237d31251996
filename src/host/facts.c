/* Reads the facts of a port and its PCI function, and calls the readers of the
 * host's other facts. */
#include "config.h"
#include "host/facts.h"

#include <stdio.h>
#include <string.h>

#include "base/sysfs.h"
#include "host/pci.h"

static const char rdma[] = "/sys/class/infiniband";

static void note_link(const struct pci_link *link, enum fact speed,
		      enum fact width, struct facts *facts)
{
	if (!link->width)
		return;
	facts_set_real(facts, speed, link->speed_gt);
	facts_set_count(facts, width, link->width);
}

static void read_slowest(const char *function, struct facts *facts)
{
	const struct pci_step *slowest;
	struct pci_path path;

	pci_path_read(function, &path);
	slowest = pci_slowest(&path);
	if (!slowest)
		return;
	facts_set_real(facts, FACT_PCIE_GBPS, pci_link_gbps(&slowest->link));
	facts_set_text(facts, FACT_PCIE_SLOWEST, slowest->address);
}

static void read_links(const char *function, struct facts *facts)
{
	char path[SYSFS_PATH_SIZE];
	struct pci_link link;

	/* a virtual function shares the link of the physical one */
	if (!sysfs_resolve(path, "%s/physfn", function))
		snprintf(path, sizeof(path), "%s", function);
	link = pci_link_read(path, "current");
	note_link(&link, FACT_PCIE_SPEED_GT, FACT_PCIE_WIDTH, facts);
	link = pci_link_read(path, "max");
	note_link(&link, FACT_PCIE_MAX_SPEED_GT, FACT_PCIE_MAX_WIDTH, facts);
	read_slowest(path, facts);
	if (!pci_go_up(path))
		return;
	link = pci_link_read(path, "max");
	note_link(&link, FACT_PCIE_SLOT_SPEED_GT, FACT_PCIE_SLOT_WIDTH, facts);
}

static const char *sriov_of(const char *path)
{
	uint64_t functions;

	if (sysfs_exists("%s/physfn", path))
		return "virtual";
	return sysfs_count(&functions, "%s/sriov_totalvfs", path) && functions ?
		       "physical" : "none";
}

static const char *iommu_of(const char *path)
{
	char type[32];

	if (!sysfs_exists("%s/iommu_group", path))
		return "none";
	sysfs_read(type, sizeof(type), "%s/iommu_group/type", path);
	if (!strcmp(type, "identity"))
		return "passthrough";
	return !strncmp(type, "DMA", 3) ? "translated" : "";
}

static void read_power(const char *path, struct facts *facts)
{
	char policy[FACT_TEXT_SIZE];
	uint64_t l1;

	if (sysfs_chosen(policy, sizeof(policy),
			 "/sys/module/pcie_aspm/parameters/policy"))
		facts_set_text(facts, FACT_ASPM, policy);
	if (sysfs_count(&l1, "%s/link/l1_aspm", path))
		facts_set_count(facts, FACT_ASPM_L1, l1 != 0);
}

/* The PCIe device of the RDMA device of PORT, or else of FACT_NETDEV. */
static void read_pci(const struct port *port, struct facts *facts)
{
	char path[SYSFS_PATH_SIZE];
	uint64_t node;

	if (!pci_find(port->device, facts_text(facts, FACT_NETDEV), path))
		return;
	facts_set_text(facts, FACT_PCIE_ADDRESS, sysfs_name(path));
	/* -1: near no node in particular */
	if (sysfs_count(&node, "%s/numa_node", path))
		facts_set_count(facts, FACT_NUMA_NODE, node);
	read_links(path, facts);
	facts_set_text(facts, FACT_SRIOV, sriov_of(path));
	facts_set_text(facts, FACT_IOMMU, iommu_of(path));
	read_power(path, facts);
}

static void read_driver(const char *device, struct facts *facts)
{
	char line[FACT_TEXT_SIZE];

	if (sysfs_driver(device, line, sizeof(line)))
		facts_set_text(facts, FACT_DRIVER, line);
	if (sysfs_read(line, sizeof(line), "%s/%s/device/driver/module/version",
		       rdma, device))
		facts_set_text(facts, FACT_DRIVER_VERSION, line);
}

/* "100 Gb/sec (4X EDR)" */
static void read_port(const struct port *port, struct facts *facts)
{
	char line[64], *lanes;
	uint64_t count;

	sysfs_read(line, sizeof(line), "%s/%s/ports/%u/rate", rdma,
		   port->device, port->number);
	lanes = strchr(line, '(');
	if (lanes) {
		lanes[strcspn(lanes, ")")] = '\0';
		facts_set_text(facts, FACT_LINK_LANES, lanes + 1);
	}
	if (sysfs_count(&count, "%s/%s/ports/%u/counters/link_downed", rdma,
			port->device, port->number))
		facts_set_count(facts, FACT_LINK_DOWNED, count);
}

void facts_read(struct port *port, const struct parameters *params)
{
	struct facts *facts = &port->facts;

	memset(facts, 0, sizeof(*facts));
	facts_of_host(&params->cpus, facts);
	read_driver(port->device, facts);
	read_port(port, facts);
	facts_of_netdev(port, facts);
	read_pci(port, facts);
	facts_of_gpus(port->device, &params->memory, facts);
}
