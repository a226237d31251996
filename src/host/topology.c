/* Reads where the NICs and GPUs of this host are, and computes how far apart
 * they are. */
#include "config.h"
#include "host/topology.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/sysfs.h"
#include "base/units.h"
#include "base/xalloc.h"
#include "host/netdev.h"

static const char rdma[] = "/sys/class/infiniband";
static const char pci[] = "/sys/bus/pci/devices";

/* The upper byte of a function's class. */
enum { CLASS_DISPLAY = 0x03, CLASS_ACCELERATOR = 0x12 };

static const struct maker {
	unsigned int id;
	const char *name;
} makers[] = { { 0x10de, "NVIDIA" }, { 0x1002, "AMD" } };

/* mlx5_2 is before mlx5_10. */
static int by_number(const void *a, const void *b)
{
	return strverscmp(*(char *const *)a, *(char *const *)b);
}

/* The number that FILE of a folder has, in any base; TOPOLOGY_NONE: none, or a
 * negative one. */
static uint32_t read_number(const char *folder, const char *file)
{
	char line[32];
	long number = -1;

	if (sysfs_read(line, sizeof(line), "%s/%s", folder, file))
		number = strtol(line, NULL, 0);
	return number < 0 ? TOPOLOGY_NONE : (uint32_t)number;
}

static bool read_cpus(uint32_t node, char cpus[128])
{
	cpus[0] = '\0';
	return node != TOPOLOGY_NONE &&
	       sysfs_read(cpus, 128, "/sys/devices/system/node/node%u/cpulist",
			  node);
}

/* The node of the function at PATH; a host with one node need not say it. */
static uint32_t read_node(const char *path)
{
	const uint32_t node = read_number(path, "numa_node");
	char online[32];

	if (node != TOPOLOGY_NONE)
		return node;
	sysfs_read(online, sizeof(online), "/sys/devices/system/node/online");
	return strcmp(online, "0") != 0 ? TOPOLOGY_NONE : 0;
}

/* The processor that NODE belongs to. */
static uint32_t read_socket(uint32_t node)
{
	char cpus[128], folder[SYSFS_PATH_SIZE];

	if (!read_cpus(node, cpus))
		return TOPOLOGY_NONE;
	snprintf(folder, sizeof(folder), "/sys/devices/system/cpu/cpu%u",
		 (unsigned int)strtoul(cpus, NULL, 10));
	return read_number(folder, "topology/physical_package_id");
}

/* PATH is that of a function, or "". */
static void read_place(const char *path, struct pci_place *place)
{
	char physical[SYSFS_PATH_SIZE];

	place->node = place->socket = TOPOLOGY_NONE;
	if (!path[0])
		return;
	snprintf(place->address, sizeof(place->address), "%.*s",
		 PCI_ADDRESS_SIZE - 1, sysfs_name(path));
	if (sysfs_resolve(physical, "%s/physfn", path))
		snprintf(place->physical, sizeof(place->physical), "%.*s",
			 PCI_ADDRESS_SIZE - 1, sysfs_name(physical));
	pci_path_read(physical[0] ? physical : path, &place->path);
	place->node = read_node(path);
	place->socket = read_socket(place->node);
}

/* "Unknown" is what the kernel calls the unspecified one. */
static uint8_t link_layer_of(const char *name)
{
	return !strcmp(name, "Ethernet") ? IBV_LINK_LAYER_ETHERNET :
	       !strcmp(name, "Unknown") ? IBV_LINK_LAYER_UNSPECIFIED :
					  IBV_LINK_LAYER_INFINIBAND;
}

/* Read what DEVICE is into PORT: the kernel's file begins with the number of
 * the node's type, of which most go by InfiniBand's transport. */
static void read_kind(const char *device, struct port *port)
{
	static const uint8_t transports[] = {
		[IBV_NODE_USNIC] = IBV_TRANSPORT_USNIC,
		[IBV_NODE_USNIC_UDP] = IBV_TRANSPORT_USNIC_UDP,
		[IBV_NODE_UNSPECIFIED] = IBV_TRANSPORT_UNSPECIFIED,
	};
	char line[FACT_TEXT_SIZE];
	unsigned long type;

	*port = (struct port){ .number = 0 };
	sysfs_read(line, sizeof(line), "%s/%s/node_type", rdma, device);
	type = strtoul(line, NULL, 10);
	port->iwarp = type == IBV_NODE_RNIC;
	port->transport = type < sizeof(transports) ? transports[type] :
						      PORT_TRANSPORT_UNKNOWN;
	if (sysfs_driver(device, line, sizeof(line)))
		facts_set_text(&port->facts, FACT_DRIVER, line);
}

/* "4: ACTIVE", "InfiniBand", "400 Gb/sec (4X NDR)" */
static void read_port(const char *folder, const struct port *nic,
		      struct topology_port *port)
{
	struct port kind = *nic;
	char line[64];

	if (sysfs_read(line, sizeof(line), "%s/state", folder))
		snprintf(port->state, sizeof(port->state), "%.15s",
			 line + strspn(line, "0123456789: "));
	sysfs_read(port->link_layer, sizeof(port->link_layer),
		   "%s/link_layer", folder);
	kind.link_layer = link_layer_of(port->link_layer);
	if (port->link_layer[0])
		snprintf(port->kind, sizeof(port->kind), "%s",
			 port_kind_name(&kind));
	sysfs_read(line, sizeof(line), "%s/rate", folder);
	port->gbps = strtod(line, NULL);
}

static void read_nic(const char *device, struct topology_nic *nic)
{
	char netdev[NETDEV_NAME_SIZE], path[SYSFS_PATH_SIZE];
	struct port kind;

	snprintf(nic->device, sizeof(nic->device), "%s", device);
	nic->gpu = TOPOLOGY_NONE;
	if (netdev_of_gid(device, 1, 0, netdev))
		netdev_go_down(netdev);
	pci_find(device, netdev, path);
	read_place(path, &nic->place);
	read_cpus(nic->place.node, nic->cpus);
	read_kind(device, &kind);
	while (nic->n_ports < TOPOLOGY_PORTS) {
		snprintf(path, sizeof(path), "%s/%s/ports/%u", rdma, device,
			 nic->n_ports + 1);
		if (!sysfs_exists("%s", path))
			return;
		read_port(path, &kind, &nic->port[nic->n_ports++]);
	}
}

/* The maker of the GPU whose function is FOLDER; NULL: it is none.  AMD's
 * accelerators have a class of their own. */
static const char *maker_of(const char *folder)
{
	const uint32_t class = read_number(folder, "class") >> 16;
	const uint32_t id = read_number(folder, "vendor");

	if (class != CLASS_DISPLAY && class != CLASS_ACCELERATOR)
		return NULL;
	for (size_t i = 0; i < sizeof(makers) / sizeof(*makers); i++)
		if (makers[i].id == id)
			return makers[i].name;
	return NULL;
}

/* As its driver names it, or else by its number. */
static void read_gpu_name(const char *folder, struct topology_gpu *gpu)
{
	const size_t size = sizeof(gpu->name);
	char device[16];

	if (sysfs_find(gpu->name, size, "Model:",
		       "/proc/driver/nvidia/gpus/%s/information",
		       gpu->place.address) ||
	    sysfs_read(gpu->name, size, "%s/product_name", folder))
		return;
	sysfs_read(device, sizeof(device), "%s/device", folder);
	snprintf(gpu->name, size, "%s device %s", gpu->maker, device);
}

static void read_gpus(struct topology *t)
{
	char path[SYSFS_PATH_SIZE], folder[SYSFS_PATH_SIZE];
	glob_t found = { 0 };

	/* sorted by letters: the numbers of addresses are hexadecimal */
	sysfs_path(path, "%s/[!.]*", pci);
	glob(path, 0, NULL, &found);
	t->gpus = xcalloc(found.gl_pathc + 1, sizeof(*t->gpus));
	for (size_t i = 0; i < found.gl_pathc; i++) {
		struct topology_gpu *gpu = &t->gpus[t->n_gpus];

		snprintf(folder, sizeof(folder), "%s/%s", pci,
			 sysfs_name(found.gl_pathv[i]));
		gpu->maker = maker_of(folder);
		if (!gpu->maker || !sysfs_resolve(path, "%s", folder))
			continue;
		read_place(path, &gpu->place);
		read_gpu_name(folder, gpu);
		t->n_gpus++;
	}
	globfree(&found);
}

static void read_nics(struct topology *t)
{
	char path[SYSFS_PATH_SIZE];
	glob_t found = { 0 };

	sysfs_path(path, "%s/[!.]*", rdma);
	if (!glob(path, 0, NULL, &found))
		qsort(found.gl_pathv, found.gl_pathc, sizeof(char *),
		      by_number);
	t->nics = xcalloc(found.gl_pathc + 1, sizeof(*t->nics));
	for (; t->n_nics < found.gl_pathc; t->n_nics++)
		read_nic(sysfs_name(found.gl_pathv[t->n_nics]),
			 &t->nics[t->n_nics]);
	globfree(&found);
}

void topology_read(struct topology *t)
{
	*t = (struct topology){ .n_nics = 0 };
	pci_virtual_machine(t->virtual_machine);
	read_nics(t);
	read_gpus(t);
	topology_choose(t, NULL);
}

void topology_free(struct topology *t)
{
	free(t->nics);
	free(t->gpus);
	*t = (struct topology){ .n_nics = 0 };
}

const struct topology_nic *topology_find(const struct topology *t,
					 const char *device)
{
	for (uint32_t i = 0; i < t->n_nics; i++)
		if (!strcmp(t->nics[i].device, device))
			return &t->nics[i];
	return NULL;
}

bool topology_keep(struct topology *t, const char *device)
{
	const struct topology_nic *nic = topology_find(t, device);

	if (!nic)
		return false;
	t->nics[0] = *nic;
	t->n_nics = 1;
	return true;
}

void topology_share(const char *device, uint32_t *rank, uint32_t *nics)
{
	const struct topology_nic *nic;
	struct topology t;

	*rank = *nics = 0;
	topology_read(&t);
	nic = topology_find(&t, device);
	for (uint32_t i = 0; nic && i < t.n_nics; i++) {
		if (t.nics[i].place.node != nic->place.node)
			continue;
		*rank += &t.nics[i] < nic;
		*nics += 1;
	}
	*nics += !nic;
	topology_free(&t);
}

bool topology_is_guest(const struct topology *t)
{
	return t->virtual_machine[0] && strcmp(t->virtual_machine, "none") != 0;
}

/* The number of steps that A and B share, from the root port on. */
static uint32_t shared_steps(const struct pci_path *a, const struct pci_path *b)
{
	uint32_t n = 0;

	while (n < a->n && n < b->n &&
	       !strcmp(a->step[n].address, b->step[n].address))
		n++;
	return n;
}

/* What the ports of PATH do between the switch, the last of N steps, and the
 * function at its end. */
static void note_ports(const struct pci_path *path, uint32_t n, struct way *way)
{
	for (; n + 1 < path->n; n++) {
		if (path->step[n].acs <= way->acs)
			continue;
		way->acs = path->step[n].acs;
		way->port = path->step[n].address;
	}
}

/* By nodes, where no PCIe is shared. */
static enum distance node_distance(const struct pci_place *a,
				   const struct pci_place *b)
{
	if (a->node == TOPOLOGY_NONE || b->node == TOPOLOGY_NONE)
		return DISTANCE_UNKNOWN;
	if (a->node == b->node)
		return DISTANCE_NODE;
	return a->socket != TOPOLOGY_NONE && a->socket == b->socket ?
		       DISTANCE_SOCKET : DISTANCE_FAR;
}

struct way topology_way(const struct pci_place *a, const struct pci_place *b)
{
	struct way way = { .acs = PCI_ACS_DIRECT };
	uint32_t n;

	if (!a->path.n || strcmp(a->path.bridge, b->path.bridge) != 0) {
		way.distance = node_distance(a, b);
		return way;
	}
	n = shared_steps(&a->path, &b->path);
	/* the first step is the root port, which is no switch */
	way.distance = n > 1 ? DISTANCE_SWITCH : DISTANCE_BRIDGE;
	if (n < 2)
		return way;
	way.steps = a->path.n + b->path.n - 2 * n;
	note_ports(&a->path, n, &way);
	note_ports(&b->path, n, &way);
	return way;
}

/* True when GPU is better for NIC than BEST. */
static bool is_better(const struct topology_nic *nic,
		      const struct topology_gpu *gpu,
		      const struct topology_gpu *best)
{
	const struct way way = topology_way(&nic->place, &gpu->place);
	const struct way other = topology_way(&nic->place, &best->place);

	if (way.distance != other.distance)
		return way.distance < other.distance;
	if (way.steps != other.steps)
		return way.steps < other.steps;
	return gpu->used < best->used;
}

static void choose(struct topology *t, struct topology_nic *nic,
		   const char *maker)
{
	nic->gpu = TOPOLOGY_NONE;
	for (uint32_t i = 0; nic->place.path.n && i < t->n_gpus; i++)
		if ((!maker || !strcmp(t->gpus[i].maker, maker)) &&
		    (nic->gpu == TOPOLOGY_NONE ||
		     is_better(nic, &t->gpus[i], &t->gpus[nic->gpu])))
			nic->gpu = i;
	if (nic->gpu != TOPOLOGY_NONE)
		t->gpus[nic->gpu].used++;
}

/* The NIC whose physical function NIC is a virtual one of; NULL: none, or it
 * has no RDMA device here. */
static const struct topology_nic *physical_of(const struct topology *t,
					      const struct topology_nic *nic)
{
	for (uint32_t i = 0; nic->place.physical[0] && i < t->n_nics; i++)
		if (!strcmp(t->nics[i].place.address, nic->place.physical))
			return &t->nics[i];
	return NULL;
}

void topology_choose(struct topology *t, const char *maker)
{
	for (uint32_t i = 0; i < t->n_gpus; i++)
		t->gpus[i].used = 0;
	for (uint32_t i = 0; i < t->n_nics; i++)
		if (!physical_of(t, &t->nics[i]))
			choose(t, &t->nics[i], maker);
	for (uint32_t i = 0; i < t->n_nics; i++)
		if (physical_of(t, &t->nics[i]))
			t->nics[i].gpu = physical_of(t, &t->nics[i])->gpu;
}

const char *distance_name(enum distance distance)
{
	static const char *const names[DISTANCES] = {
		[DISTANCE_SWITCH] = "same switch",
		[DISTANCE_BRIDGE] = "same host bridge",
		[DISTANCE_NODE] = "same NUMA node",
		[DISTANCE_SOCKET] = "same socket",
		[DISTANCE_FAR] = "across sockets",
		[DISTANCE_UNKNOWN] = "unknown",
	};

	return names[distance];
}
