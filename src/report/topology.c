/* The report of verbsperf devices --topology. */
#include "config.h"
#include "host/topology.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/numbers.h"
#include "base/xalloc.h"
#include "report/json_value.h"
#include "report/report.h"

/* The least width of a column. */
#define COLUMN 7

/* What a cell of the table says of a NIC and a GPU: how far apart they are and,
 * below one switch, what its ports do (enum pci_acs). */
static const struct {
	const char *word;
	const char *meaning;
	const char *peer;	/* what peer to peer goes through; NULL: not
				 * known */
} cells[] = {
	{ "switch", "below one PCIe switch: peer to peer without the root "
	  "complex", "switch" },
	{ "switch?", "below one PCIe switch, whose ACS only root can read: it "
	  "decides whether\n          peer to peer goes through the root "
	  "complex", NULL },
	{ "acs", "below one PCIe switch, but its ACS sends peer to peer "
	  "through the root\n          complex; as root, setpci -s PORT "
	  "ECAP_ACS+6.w=0 ends that until the next boot", "root complex" },
	{ "bridge", "below one host bridge: peer to peer through the root "
	  "complex", "root complex" },
	{ "node", "on one NUMA node: peer to peer through the root complex",
	  "root complex" },
	{ "socket", "on two NUMA nodes of one processor: peer to peer through "
	  "the root complex", "root complex" },
	{ "far", "on two processors: peer to peer through both, and the link "
	  "between them", "root complex" },
	{ "?", "not known", NULL },
};

#define CELLS (sizeof(cells) / sizeof(*cells))

static size_t cell_of(const struct way *way)
{
	return way->distance == DISTANCE_SWITCH ?
		       (size_t)way->acs : way->distance + 2U;
}

static void print_place(FILE *out, const struct pci_place *place)
{
	if (place->address[0])
		fprintf(out, " at %s", place->address);
	else
		fputs(", not on PCI", out);
	if (place->physical[0])
		fprintf(out, ", virtual function of %s", place->physical);
	if (place->node != TOPOLOGY_NONE)
		fprintf(out, ", NUMA node %u", place->node);
}

static void print_acs(FILE *out, const struct pci_step *port)
{
	static const char *const words[] = {
		[PCI_ACS_DIRECT] = "redirect off",
		[PCI_ACS_REDIRECTS] = "redirect on",
		[PCI_ACS_UNKNOWN] = "unknown: only root can read it",
	};

	fprintf(out, " (ACS %s)", words[port->acs]);
}

static void print_link(FILE *out, const struct pci_link *link)
{
	if (link->width)
		fprintf(out, "%g GT/s x%u", link->speed_gt,
			(unsigned int)link->width);
	else
		fputs("unknown link", out);
}

/* A link a line, from the function up.  Above a function is a root port, or a
 * port of a switch, whose upper end is the next step. */
static void print_path(FILE *out, const struct pci_path *path)
{
	for (uint32_t i = path->n - 1; i;) {
		const struct pci_link *link = &path->step[i].link;
		const char *what = i > 2 ? "switch" :
				   i > 1 ? "bridge" : "root port";

		fputs(i + 1 == path->n ? "  PCIe: " : "        ", out);
		print_link(out, link);
		i -= i > 2 ? 2 : 1;
		fprintf(out, " to %s %s", what, path->step[i].address);
		if (!i)
			fprintf(out, " of host bridge %s", path->bridge);
		else
			print_acs(out, &path->step[i + 1]);
		fputs("\n", out);
	}
}

static double fastest_port(const struct topology_nic *nic)
{
	double gbps = 0;

	for (uint32_t i = 0; i < nic->n_ports; i++)
		if (nic->port[i].gbps > gbps)
			gbps = nic->port[i].gbps;
	return gbps;
}

static void print_slowest(FILE *out, const struct topology_nic *nic)
{
	const struct pci_step *step = pci_slowest(&nic->place.path);
	const double port = fastest_port(nic);

	if (!step)
		return;
	fprintf(out, "  narrowest link: %.4g Gb/s at %s",
		pci_link_gbps(&step->link), step->address);
	if (port > 0)
		fprintf(out, ", %s the port's %g",
			pci_link_gbps(&step->link) < port ? "less than" :
							    "enough for", port);
	fputs("\n", out);
}

static bool is_above(const char *port, const struct pci_place *place)
{
	for (uint32_t i = 0; i < place->path.n; i++)
		if (!strcmp(place->path.step[i].address, port))
			return true;
	return false;
}

static void print_gpu(FILE *out, const struct topology *t,
		      const struct topology_nic *nic)
{
	const struct topology_gpu *gpu;
	struct way way;

	if (nic->gpu == TOPOLOGY_NONE)
		return;
	gpu = &t->gpus[nic->gpu];
	way = topology_way(&nic->place, &gpu->place);
	fprintf(out, "  use GPU %s, %s: %s\n", gpu->place.address, gpu->name,
		distance_name(way.distance));
	if (way.acs == PCI_ACS_REDIRECTS)
		fprintf(out, "    but ACS of port %s, above the %s, sends peer "
			"to peer through the root\n    complex\n", way.port,
			is_above(way.port, &nic->place) ? "NIC" : "GPU");
}

static void print_nic(FILE *out, const struct topology *t,
		      const struct topology_nic *nic)
{
	fputs(nic->device, out);
	print_place(out, &nic->place);
	fprintf(out, "%s%s\n", nic->cpus[0] ? ", CPUs " : "", nic->cpus);
	for (uint32_t i = 0; i < nic->n_ports; i++)
		fprintf(out, "  port %u: %s, %s %g Gb/s\n", i + 1,
			nic->port[i].state, nic->port[i].kind,
			nic->port[i].gbps);
	if (nic->place.path.n > 1)
		print_path(out, &nic->place.path);
	print_slowest(out, nic);
	print_gpu(out, t, nic);
}

static int column_of(const struct topology_nic *nic)
{
	return (int)larger(strlen(nic->device), COLUMN);
}

static void print_row(FILE *out, const struct topology *t, uint32_t number,
		      bool found[CELLS])
{
	const struct topology_gpu *gpu = &t->gpus[number];
	const struct pci_path *path = &gpu->place.path;

	fprintf(out, "%-12s", gpu->place.address);
	for (uint32_t i = 0; i < t->n_nics; i++) {
		const struct topology_nic *nic = &t->nics[i];
		const struct way way = topology_way(&nic->place, &gpu->place);

		found[cell_of(&way)] = true;
		fprintf(out, " %*s%c", column_of(nic),
			cells[cell_of(&way)].word,
			nic->gpu == number ? '*' : ' ');
	}
	fprintf(out, "  %s", gpu->name);
	if (gpu->place.node != TOPOLOGY_NONE)
		fprintf(out, ", NUMA node %u", gpu->place.node);
	if (path->n > 1) {
		fputs(", ", out);
		print_link(out, &path->step[path->n - 1].link);
	}
	fputs("\n", out);
}

static void print_table(FILE *out, const struct topology *t)
{
	bool found[CELLS] = { false };

	fprintf(out, "\n%-12s", "GPU");
	/* a blank, and behind the first one that of the star, too */
	for (uint32_t i = 0; i < t->n_nics; i++)
		fprintf(out, "%*s", (i ? 2 : 1) + column_of(&t->nics[i]),
			t->nics[i].device);
	fputs("\n", out);
	for (uint32_t i = 0; i < t->n_gpus; i++)
		print_row(out, t, i, found);
	fputs("  *       the GPU to use with that NIC; --memory=cuda:auto or "
	      "hip:auto takes it\n", out);
	for (size_t i = 0; i < CELLS; i++)
		if (found[i])
			fprintf(out, "  %-7s %s\n", cells[i].word,
				cells[i].meaning);
}

char *report_topology_text(const struct topology *t)
{
	char *text = NULL;
	FILE *out = xmemstream(&text);

	if (topology_is_guest(t))
		fprintf(out, "virtual machine (%s): what is shown of PCIe is "
			"what its hypervisor made up\n", t->virtual_machine);
	for (uint32_t i = 0; i < t->n_nics; i++)
		print_nic(out, t, &t->nics[i]);
	if (t->n_gpus)
		print_table(out, t);
	else
		fputs("no GPU of NVIDIA or AMD\n", out);
	fclose(out);
	return text;
}

static json_t *acs_json(enum pci_acs acs)
{
	return acs == PCI_ACS_UNKNOWN ? json_null() :
					json_boolean(acs == PCI_ACS_REDIRECTS);
}

/* From the function up. */
static json_t *path_json(const struct pci_path *path)
{
	json_t *array = json_array();

	for (uint32_t i = path->n; i-- > 0;) {
		const struct pci_step *step = &path->step[i];
		const bool known = step->link.width;

		json_add(array, json_pack(
			"{s:o, s:o, s:o, s:o, s:o}", "address",
			json_text(step->address), "speed_gt",
			known ? json_real(step->link.speed_gt) : json_null(),
			"width", known ? json_count(step->link.width) :
					 json_null(),
			"gbps", known ? json_real(pci_link_gbps(&step->link)) :
					json_null(),
			"acs_redirects", acs_json(step->acs)));
	}
	return array;
}

static json_t *place_json(const struct pci_place *place)
{
	const struct pci_step *slowest = pci_slowest(&place->path);

	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "address",
			 json_text(place->address), "physical_function",
			 json_text(place->physical), "numa_node",
			 json_number(place->node), "socket",
			 json_number(place->socket), "host_bridge",
			 json_text(place->path.bridge), "narrowest",
			 json_text(slowest ? slowest->address : NULL), "path",
			 path_json(&place->path));
}

static json_t *ports_json(const struct topology_nic *nic)
{
	json_t *array = json_array();

	for (uint32_t i = 0; i < nic->n_ports; i++) {
		const struct topology_port *port = &nic->port[i];

		json_add(array, json_pack(
			"{s:o, s:o, s:o, s:o, s:o}", "port",
			json_count(i + 1U), "state", json_text(port->state),
			"link_layer", json_text(port->link_layer), "port_kind",
			json_text(port->kind), "rate_gbps",
			port->gbps > 0 ? json_real(port->gbps) : json_null()));
	}
	return array;
}

static json_t *ways_json(const struct topology *t,
			 const struct topology_nic *nic)
{
	json_t *array = json_array();

	for (uint32_t i = 0; i < t->n_gpus; i++) {
		const struct pci_place *place = &t->gpus[i].place;
		const struct way way = topology_way(&nic->place, place);

		json_add(array, json_pack(
			"{s:o, s:o, s:o, s:b}", "gpu",
			json_text(place->address), "distance",
			json_text(distance_name(way.distance)),
			"peer_to_peer", json_text(cells[cell_of(&way)].peer),
			"use", nic->gpu == i));
	}
	return array;
}

static json_t *nics_json(const struct topology *t)
{
	json_t *array = json_array();

	for (uint32_t i = 0; i < t->n_nics; i++) {
		const struct topology_nic *nic = &t->nics[i];

		json_add(array, json_pack(
			"{s:o, s:o, s:o, s:o, s:o}", "device",
			json_text(nic->device), "place",
			place_json(&nic->place), "cpus", json_text(nic->cpus),
			"ports", ports_json(nic), "gpus", ways_json(t, nic)));
	}
	return array;
}

static json_t *gpus_json(const struct topology *t)
{
	json_t *array = json_array();

	for (uint32_t i = 0; i < t->n_gpus; i++)
		json_add(array, json_pack(
			"{s:s, s:o, s:o}", "maker", t->gpus[i].maker, "name",
			json_text(t->gpus[i].name), "place",
			place_json(&t->gpus[i].place)));
	return array;
}

char *report_topology_json(const struct topology *t)
{
	char host[PORT_NAME_SIZE] = "";

	gethostname(host, sizeof(host) - 1);
	return json_to_text(json_pack(
		"{s:s, s:o, s:o, s:o, s:o, s:o}", "schema",
		"verbsperf-topology/1", "tool", json_tool(), "hostname",
		json_text(host), "virtual_machine",
		json_text(t->virtual_machine), "nics", nics_json(t),
		"gpus", gpus_json(t)));
}
