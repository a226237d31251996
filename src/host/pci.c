/* Reads a PCI function from /sys: its way up to the host bridge, its links,
 * its access control (ACS). */
#include "config.h"
#include "host/pci.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Where extended capabilities begin in the configuration space, behind what
 * everybody may read, and most of them that fit. */
#define CAPABILITIES 0x100
#define CAPABILITIES_MOST 480

/* The extended capability of ACS, and in it the lower byte of the control
 * register and the bit that redirects requests. */
#define ACS_ID 0x000d
#define ACS_CONTROL 6
#define ACS_REQUEST_REDIRECT 4

static bool is_address(const char *path)
{
	unsigned int domain, bus, device, function;
	char rest;

	return sscanf(sysfs_name(path), "%x:%x:%x.%x%c", &domain, &bus, &device,
		      &function, &rest) == 4;
}

/* Cut the last part of PATH off; false when nothing would be left. */
static bool go_up(char *path)
{
	char *slash = strrchr(path, '/');

	if (!slash || slash == path)
		return false;
	*slash = '\0';
	return true;
}

void pci_virtual_machine(char maker[FACT_TEXT_SIZE])
{
	char flags[1024];
	const bool has_flags = sysfs_find(flags, sizeof(flags), "flags",
					  "/proc/cpuinfo");

	if (!sysfs_read(maker, FACT_TEXT_SIZE, "/sys/hypervisor/type") &&
	    !sysfs_read(maker, FACT_TEXT_SIZE, "/sys/class/dmi/id/sys_vendor"))
		strcpy(maker, FACT_UNKNOWN_MAKER);
	/* where there are no flags, the maker's name tells */
	if (has_flags && !strstr(flags, " hypervisor"))
		strcpy(maker, "none");
	else if (!has_flags && strcmp(maker, "QEMU") != 0)
		maker[0] = '\0';
}

bool pci_find(const char *device, const char *netdev,
	      char path[SYSFS_PATH_SIZE])
{
	if (!sysfs_resolve(path, "/sys/class/infiniband/%s/device", device) &&
	    (!netdev[0] ||
	     !sysfs_resolve(path, "/sys/class/net/%s/device", netdev)))
		return false;
	while (!is_address(path))
		if (!go_up(path)) {
			path[0] = '\0';
			return false;
		}
	return true;
}

bool pci_go_up(char *path)
{
	return go_up(path) && is_address(path);
}

struct pci_link pci_link_read(const char *path, const char *kind)
{
	struct pci_link link = { 0 };
	char line[64];

	/* "16.0 GT/s PCIe", or "Unknown" */
	if (sysfs_read(line, sizeof(line), "%s/%s_link_speed", path, kind))
		link.speed_gt = strtod(line, NULL);
	sysfs_count(&link.width, "%s/%s_link_width", path, kind);
	/* a device without a link shows a width of 255 */
	if (!(link.speed_gt > 0 && link.speed_gt < 1000) || !link.width ||
	    link.width > 32)
		link = (struct pci_link){ 0 };
	return link;
}

double pci_link_gbps(const struct pci_link *link)
{
	return pcie_gbps(link->speed_gt, link->width);
}

static enum pci_acs read_acs(const char *path)
{
	size_t at = CAPABILITIES;
	uint8_t head[8];

	/* each begins with its number and where the next one is; they may be in
	 * a circle if the device is broken */
	for (int i = 0; i < CAPABILITIES_MOST; i++) {
		if (!sysfs_bytes(head, sizeof(head), at, "%s/config", path))
			return PCI_ACS_UNKNOWN;
		if ((head[0] | head[1] << 8) == ACS_ID)
			return head[ACS_CONTROL] & ACS_REQUEST_REDIRECT ?
				       PCI_ACS_REDIRECTS : PCI_ACS_DIRECT;
		at = (size_t)(head[3] << 4 | (head[2] & 0xc0) >> 4);
		if (at < CAPABILITIES)
			return PCI_ACS_DIRECT;
	}
	return PCI_ACS_UNKNOWN;
}

void pci_path_read(const char *function, struct pci_path *path)
{
	char at[SYSFS_PATH_SIZE];
	struct pci_step step;

	*path = (struct pci_path){ .n = 0 };
	snprintf(at, sizeof(at), "%s", function);
	for (; is_address(at) && path->n < PCI_STEPS_MAX; path->n++) {
		step = (struct pci_step){
			.link = pci_link_read(at, "current"),
			.acs = path->n ? read_acs(at) : PCI_ACS_UNKNOWN,
		};
		snprintf(step.address, sizeof(step.address), "%.*s",
			 PCI_ADDRESS_SIZE - 1, sysfs_name(at));
		memmove(path->step + 1, path->step,
			path->n * sizeof(*path->step));
		path->step[0] = step;
		if (!go_up(at))
			break;
	}
	snprintf(path->bridge, sizeof(path->bridge), "%.*s",
		 PCI_ADDRESS_SIZE - 1, sysfs_name(at));
}

const struct pci_step *pci_slowest(const struct pci_path *path)
{
	const struct pci_step *slowest = NULL;
	double least = 0;

	for (uint32_t i = path->n; i-- > 0;) {
		const double gbps = pci_link_gbps(&path->step[i].link);

		if (!gbps || (slowest && gbps >= least))
			continue;
		slowest = &path->step[i];
		least = gbps;
	}
	return slowest;
}
