/*
 * A PCI function and the way from it up to its host bridge, as /sys shows them.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/sysfs.h"
#include "model/facts.h"

/* "10000:e1:00.0", with its final NUL. */
#define PCI_ADDRESS_SIZE 16
/* Most functions on a way; switches seldom make it longer than seven. */
#define PCI_STEPS_MAX 16

/* Both are 0 if the link is not known. */
struct pci_link {
	double speed_gt;
	uint64_t width;
};

/* Whether a port sends what its devices write to each other up to the root
 * complex (Access Control Services, P2P request redirect). */
enum pci_acs {
	PCI_ACS_DIRECT,		/* it does not, or has no ACS */
	PCI_ACS_UNKNOWN,	/* only root can read it, and of a port only */
	PCI_ACS_REDIRECTS,
};

struct pci_step {
	char address[PCI_ADDRESS_SIZE];
	struct pci_link link;	/* to the next step above; a port shows the one
				 * below it */
	enum pci_acs acs;
};

/* From the root port to the function; a function of the root complex itself is
 * alone. */
struct pci_path {
	char bridge[PCI_ADDRESS_SIZE];	/* the host bridge: "pci0000:16" */
	uint32_t n;		/* 0: not on PCI */
	struct pci_step step[PCI_STEPS_MAX];
};

/* Put the maker of this virtual machine, whose hypervisor makes PCI up, into
 * MAKER; "none": it is none; "": not known. */
void pci_virtual_machine(char maker[FACT_TEXT_SIZE]);

/*
 * Find the PCI function of the RDMA device DEVICE, or else the one that its
 * interface NETDEV, which may be "", belongs to, as for a virtio device.  False
 * if there is none, with PATH "".
 */
bool pci_find(const char *device, const char *netdev,
	      char path[SYSFS_PATH_SIZE]);

/* Cut PATH, of a function, down to that of the port above it; false when there
 * is none. */
bool pci_go_up(char *path);

/* The link of the function at PATH.  KIND is "current" or "max". */
struct pci_link pci_link_read(const char *path, const char *kind);

/* Data rate in Gb/s, after encoding; 0: unknown. */
double pci_link_gbps(const struct pci_link *link);

/* Read the way up from FUNCTION, a path in /sys. */
void pci_path_read(const char *function, struct pci_path *path);

/* The step of PATH with the slowest link, of several the nearest to the
 * function; NULL: none is known. */
const struct pci_step *pci_slowest(const struct pci_path *path);
