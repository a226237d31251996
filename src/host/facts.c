#include "config.h"
#include "host/facts.h"

#include <stdio.h>
#include <string.h>

#include "host/facts_of.h"
#include "host/sysfs.h"

static const char rdma[] = "/sys/class/infiniband";

/* A Soft-RoCE device has no driver of a bus, but names its interface. */
void facts_driver(const char *device, char text[FACT_TEXT_SIZE])
{
	char path[SYSFS_PATH_SIZE];

	text[0] = '\0';
	if (sysfs_resolve(path, "%s/%s/device/driver", rdma, device))
		snprintf(text, FACT_TEXT_SIZE, "%s", sysfs_name(path));
	else if (sysfs_exists("%s/%s/parent", rdma, device))
		snprintf(text, FACT_TEXT_SIZE, "rdma_rxe");
}

static void read_driver(const char *device, struct facts *facts)
{
	char line[FACT_TEXT_SIZE];

	facts_driver(device, line);
	if (line[0])
		facts_set_text(facts, FACT_DRIVER, line);
	if (sysfs_read(line, sizeof(line), "%s/%s/device/driver/module/version",
		       rdma, device))
		facts_set_text(facts, FACT_DRIVER_VERSION, line);
}

/* "100 Gb/sec (4X EDR)" */
static void read_link(const struct port *port, struct facts *facts)
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

void facts_read(struct port *port, const struct cpus *cpus)
{
	struct facts *facts = &port->facts;

	memset(facts, 0, sizeof(*facts));
	facts_of_system(facts);
	facts_of_cpus(cpus, facts);
	read_driver(port->device, facts);
	read_link(port, facts);
	facts_of_netdev(port, facts);
	facts_of_pci(port, facts);
}
