/*
 * The RDMA devices and the GPUs of this host, and how far apart they are.  All
 * of it is in /sys and /proc, so no library of a GPU and no hwloc, which reads
 * the same files, is needed; and no device is opened.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "host/pci.h"
#include "model/facts.h"
#include "model/port.h"

/* Most ports of an RDMA device that are described. */
#define TOPOLOGY_PORTS 4
/* Not known, or there is none. */
#define TOPOLOGY_NONE UINT32_MAX

/* From near to far. */
enum distance {
	DISTANCE_SWITCH,	/* below one PCIe switch */
	DISTANCE_BRIDGE,	/* below one host bridge, which is a part of the
				 * root complex */
	DISTANCE_NODE,		/* on one NUMA node */
	DISTANCE_SOCKET,	/* on two nodes of one processor */
	DISTANCE_FAR,		/* on two processors, or on two nodes of which
				 * no more is known */
	DISTANCE_UNKNOWN,
	DISTANCES,
};

/* Where something is. */
struct pci_place {
	char address[PCI_ADDRESS_SIZE];	/* "": not on PCI */
	char physical[PCI_ADDRESS_SIZE];	/* of a virtual function: the
						 * physical one; else "" */
	struct pci_path path;	/* of the physical function, whose link a
				 * virtual one shares */
	uint32_t node;		/* TOPOLOGY_NONE: not known */
	uint32_t socket;	/* likewise */
};

/* Between two places. */
struct way {
	enum distance distance;
	uint32_t steps;		/* functions below the switch, both ends
				 * included */
	/* of DISTANCE_SWITCH: what the ports between do to peer to peer, and
	 * the first port that does it */
	enum pci_acs acs;
	const char *port;
};

struct topology_port {
	char state[16];		/* "ACTIVE"; "": not known, as the next two */
	char link_layer[16];	/* "InfiniBand", as the kernel names it */
	char kind[24];		/* the same by port_kind_name() */
	double gbps;		/* 0 */
};

struct topology_nic {
	char device[PORT_NAME_SIZE];
	struct pci_place place;
	char cpus[128];		/* of its node: "0-31,64-95"; "": not known */
	uint32_t n_ports;
	struct topology_port port[TOPOLOGY_PORTS];
	uint32_t gpu;		/* the one to use; TOPOLOGY_NONE */
};

struct topology_gpu {
	const char *maker;	/* "NVIDIA" or "AMD" */
	char name[FACT_TEXT_SIZE];
	struct pci_place place;
	uint32_t used;		/* how many NICs have it as the one to use */
};

struct topology {
	char virtual_machine[FACT_TEXT_SIZE];	/* its maker, as the fact */
	struct topology_nic *nics;	/* by name */
	struct topology_gpu *gpus;	/* by address */
	uint32_t n_nics, n_gpus;
};

/* Read the topology of this host, with the GPU to use for each NIC.
 * topology_free() it. */
void topology_read(struct topology *t);

void topology_free(struct topology *t);

/* The NIC that is the RDMA device DEVICE; NULL: there is none. */
const struct topology_nic *topology_find(const struct topology *t,
					 const char *device);

/* Keep that one as the only NIC of T; false when there is none. */
bool topology_keep(struct topology *t, const char *device);

/*
 * Choose the GPU to use for each NIC: the nearest one, of several that are
 * equally near the one that fewest other NICs use.  A virtual function uses
 * that of the physical one, and a device that is not on PCI uses none.  MAKER:
 * only GPUs of that maker; NULL: any.
 */
void topology_choose(struct topology *t, const char *maker);

/* Find how many NICs the node of the RDMA device DEVICE has, and which of them
 * it is, from 0; one that is not known is the only one. */
void topology_share(const char *device, uint32_t *rank, uint32_t *nics);

/* True in a virtual machine, whose PCIe is made up by the hypervisor. */
bool topology_is_guest(const struct topology *t);

struct way topology_way(const struct pci_place *a, const struct pci_place *b);

/* "same switch", "across sockets", ... */
const char *distance_name(enum distance distance);
