/* The topology of made-up hosts: which GPU each NIC is to use, and why. */
#include "config.h"
#include "test.h"

#include "base/units.h"
#include "host/facts.h"
#include "host/place.h"
#include "host/topology.h"
#include "json_checks.h"
#include "made_up_host.h"
#include "report/report.h"

#define CONFIG_SIZE 4096
/* What everybody may read. */
#define CONFIG_PUBLIC 64

static size_t config_size;

enum acs { NO_ACS, ALLOWED, REDIRECTED };

static void write_config(const char *path, enum acs acs)
{
	char name[2 * SYSFS_PATH_SIZE], file[SYSFS_PATH_SIZE];
	uint8_t config[CONFIG_SIZE] = { 0 };
	FILE *out;

	/* one other capability, at 0x100, whose next one is ACS */
	config[0x100] = 0x01;
	config[0x102] = 0x01;
	config[0x103] = acs ? 0x15 : 0;
	config[0x150] = 0x0d;
	config[0x156] = acs == REDIRECTED ? 0x1d : 0x11;
	snprintf(name, sizeof(name), "%s/config", path);
	host_path(file, name);
	out = fopen(file, "w");
	assert_non_null(out);
	assert_int_equal(fwrite(config, config_size, 1, out), 1);
	fclose(out);
}

struct made_up {
	const char *path;	/* below /sys/devices */
	const char *speed;	/* of its link; NULL: none */
	unsigned int width;
	int node;
	enum acs acs;
	const char *rdma;	/* its RDMA device; NULL: none */
	const char *gpu;	/* its name; NULL: no GPU */
	bool amd;		/* the GPU is of AMD, not of NVIDIA */
	const char *physical;	/* path of the physical function; NULL */
};

static void write_file(const char *folder, const char *name, const char *text)
{
	char path[2 * SYSFS_PATH_SIZE];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	host_file(path, text);
}

static void write_link(const char *from, const char *to)
{
	char target[2 * SYSFS_PATH_SIZE];

	snprintf(target, sizeof(target), "%s%s", made_up_root, to);
	host_link(from, target);
}

static void make_rdma(const char *name, const char *path)
{
	char at[SYSFS_PATH_SIZE];

	snprintf(at, sizeof(at), "/sys/class/infiniband/%s/device", name);
	write_link(at, path);
	snprintf(at, sizeof(at), "/sys/class/infiniband/%s/ports/1", name);
	write_file(at, "state", "4: ACTIVE\n");
	write_file(at, "link_layer", "InfiniBand\n");
	write_file(at, "rate", "400 Gb/sec (4X NDR)\n");
}

static void make(const struct made_up *m)
{
	char path[SYSFS_PATH_SIZE], text[SYSFS_PATH_SIZE];

	snprintf(path, sizeof(path), "/sys/devices/%s", m->path);
	write_file(path, "class", m->amd ? "0x120000\n" :
				  m->gpu ? "0x030200\n" : "0x020700\n");
	write_file(path, "vendor", m->amd ? "0x1002\n" :
				   m->gpu ? "0x10de\n" : "0x15b3\n");
	write_file(path, "device", "0x74a1\n");
	snprintf(text, sizeof(text), "%d\n", m->node);
	write_file(path, "numa_node", text);
	write_config(path, m->acs);
	if (m->speed) {
		write_file(path, "current_link_speed", m->speed);
		snprintf(text, sizeof(text), "%u\n", m->width);
		write_file(path, "current_link_width", text);
	}
	snprintf(text, sizeof(text), "/sys/bus/pci/devices/%s",
		 sysfs_name(path));
	write_link(text, path);
	if (m->rdma)
		make_rdma(m->rdma, path);
	if (m->amd && m->gpu[0])
		write_file(path, "product_name", m->gpu);
	else if (m->gpu && !m->amd) {
		snprintf(text, sizeof(text), "/proc/driver/nvidia/gpus/%s",
			 sysfs_name(path));
		snprintf(path, sizeof(path), "Model: \t\t %s\n", m->gpu);
		write_file(text, "information", path);
	}
}

static void make_physical(const struct made_up *m)
{
	char from[SYSFS_PATH_SIZE], to[SYSFS_PATH_SIZE];

	snprintf(from, sizeof(from), "/sys/devices/%s/physfn", m->path);
	snprintf(to, sizeof(to), "/sys/devices/%s", m->physical);
	write_link(from, to);
}

/* A host of N processors, each of which is a node of 8 CPUs. */
static void make_nodes(int n)
{
	char folder[SYSFS_PATH_SIZE], text[32];

	host_file("/sys/devices/system/node/online", n > 1 ? "0-1\n" : "0\n");
	for (int i = 0; i < n; i++) {
		snprintf(folder, sizeof(folder),
			 "/sys/devices/system/node/node%d", i);
		snprintf(text, sizeof(text), "%d-%d\n", 8 * i, 8 * i + 7);
		write_file(folder, "cpulist", text);
		snprintf(folder, sizeof(folder),
			 "/sys/devices/system/cpu/cpu%d/topology", 8 * i);
		snprintf(text, sizeof(text), "%d\n", i);
		write_file(folder, "physical_package_id", text);
	}
	host_file("/proc/cpuinfo", "flags\t\t: fpu vme\n");
}

static void make_all(const struct made_up *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		make(&list[i]);
	for (size_t i = 0; i < n; i++)
		if (list[i].physical)
			make_physical(&list[i]);
}

#define GEN4 "16.0 GT/s PCIe\n"
#define GEN5 "32.0 GT/s PCIe\n"

/* The text of the made-up host is EXPECTED.  Returns its JSON. */
static json_t *check_text(const char *device, const char *expected)
{
	struct topology t;
	char *text, *json;
	json_t *root;

	topology_read(&t);
	assert_true(!device || topology_keep(&t, device));
	text = report_topology_text(&t);
	json = report_topology_json(&t);
	topology_free(&t);
	if (expected)
		assert_string_equal(text, expected);
	root = parsed(json);
	free(text);
	free(json);
	return root;
}

/* A port or a function below PATH, which becomes its path, as M has it. */
static void make_below(char path[SYSFS_PATH_SIZE], const char *address,
		       struct made_up m)
{
	text_append(path, SYSFS_PATH_SIZE, "/%s", address);
	m.path = path;
	m.speed = GEN5;
	m.width = 16;
	make(&m);
}

/* A switch with two GPUs and two NICs, from number NIC on. */
static void make_switch(unsigned int bus, int node, enum acs acs,
			unsigned int nic)
{
	char top[SYSFS_PATH_SIZE] = "", path[SYSFS_PATH_SIZE];
	char address[PCI_ADDRESS_SIZE], name[16];
	struct made_up end = { .node = node };

	snprintf(top, sizeof(top), "pci0000:%02x", bus);
	snprintf(address, sizeof(address), "0000:%02x:01.0", bus);
	make_below(top, address, end);
	snprintf(address, sizeof(address), "0000:%02x:00.0", bus + 1);
	make_below(top, address, end);
	for (unsigned int i = 0; i < 4; i++) {
		memcpy(path, top, sizeof(path));
		snprintf(address, sizeof(address), "0000:%02x:%02x.0", bus + 2,
			 i);
		make_below(path, address,
			   (struct made_up){ .node = node, .acs = acs });
		snprintf(address, sizeof(address), "0000:%02x:00.0",
			 bus + 3 + i);
		snprintf(name, sizeof(name), "mlx5_%u", nic + i / 2);
		end.rdma = i % 2 ? name : NULL;
		end.gpu = i % 2 ? NULL : "NVIDIA H100 80GB HBM3";
		make_below(path, address, end);
	}
}

static void make_dgx(void)
{
	make_nodes(2);
	make_switch(0x16, 0, ALLOWED, 0);
	make_switch(0x36, 0, ALLOWED, 2);
	make_switch(0x96, 1, ALLOWED, 4);
	make_switch(0xb6, 1, REDIRECTED, 6);
}

/* The GPU to use with NIC number I. */
static json_t *used_gpu(json_t *root, size_t i)
{
	char path[64];
	json_t *gpu, *found = NULL;
	size_t k;

	snprintf(path, sizeof(path), "nics.%zu.gpus", i);
	json_array_foreach(at(root, path), k, gpu)
		if (json_is_true(at(gpu, "use"))) {
			assert_null(found);
			found = gpu;
		}
	return found;
}

TEST(test_dgx)
{
	static const char *const used[] = {
		"0000:19:00.0", "0000:1b:00.0", "0000:39:00.0", "0000:3b:00.0",
		"0000:99:00.0", "0000:9b:00.0", "0000:b9:00.0", "0000:bb:00.0",
	};
	json_t *root;

	config_size = CONFIG_SIZE;
	make_dgx();
	root = check_text("mlx5_7",
		"mlx5_7 at 0000:bc:00.0, NUMA node 1, CPUs 8-15\n"
		"  port 1: ACTIVE, InfiniBand 400 Gb/s\n"
		"  PCIe: 32 GT/s x16 to switch 0000:b7:00.0 (ACS redirect on)\n"
		"        32 GT/s x16 to root port 0000:b6:01.0 of host "
		"bridge pci0000:b6\n"
		"  narrowest link: 504.1 Gb/s at 0000:bc:00.0, enough for "
		"the port's 400\n"
		"  use GPU 0000:bb:00.0, NVIDIA H100 80GB HBM3: same switch\n"
		"    but ACS of port 0000:b8:03.0, above the NIC, sends peer "
		"to peer through the root\n"
		"    complex\n"
		"\n"
		"GPU           mlx5_7\n"
		"0000:19:00.0     far   NVIDIA H100 80GB HBM3, "
		"NUMA node 0, 32 GT/s x16\n"
		"0000:1b:00.0     far   NVIDIA H100 80GB HBM3, "
		"NUMA node 0, 32 GT/s x16\n"
		"0000:39:00.0     far   NVIDIA H100 80GB HBM3, "
		"NUMA node 0, 32 GT/s x16\n"
		"0000:3b:00.0     far   NVIDIA H100 80GB HBM3, "
		"NUMA node 0, 32 GT/s x16\n"
		"0000:99:00.0    node   NVIDIA H100 80GB HBM3, "
		"NUMA node 1, 32 GT/s x16\n"
		"0000:9b:00.0    node   NVIDIA H100 80GB HBM3, "
		"NUMA node 1, 32 GT/s x16\n"
		"0000:b9:00.0     acs   NVIDIA H100 80GB HBM3, "
		"NUMA node 1, 32 GT/s x16\n"
		"0000:bb:00.0     acs*  NVIDIA H100 80GB HBM3, "
		"NUMA node 1, 32 GT/s x16\n"
		"  *       the GPU to use with that NIC; --memory=cuda:auto "
		"or hip:auto takes it\n"
		"  acs     below one PCIe switch, but its ACS sends peer to "
		"peer through the root\n"
		"          complex; as root, setpci -s PORT ECAP_ACS+6.w=0 "
		"ends that until the next boot\n"
		"  node    on one NUMA node: peer to peer through the root "
		"complex\n"
		"  far     on two processors: peer to peer through both, and "
		"the link between them\n");
	json_decref(root);
	root = check_text(NULL, NULL);
	for (size_t i = 0; i < COUNT(used); i++) {
		check_string(used_gpu(root, i), "gpu", used[i]);
		check_string(used_gpu(root, i), "distance", "same switch");
		check_string(used_gpu(root, i), "peer_to_peer",
			     i < 6 ? "switch" : "root complex");
	}
	assert_true(json_is_true(at(root, "nics.7.place.path.1."
				    "acs_redirects")));
	json_decref(root);
}

TEST(test_two_sockets)
{
	static const struct made_up list[] = {
		{ .path = "pci0000:3a/0000:3a:00.0" },
		{ .path = "pci0000:3a/0000:3a:00.0/0000:3b:00.0",
		  .speed = GEN4, .width = 8, .rdma = "mlx5_0" },
		{ .path = "pci0000:5d/0000:5d:02.0/0000:5e:00.0",
		  .speed = GEN4, .width = 16, .gpu = "NVIDIA A30" },
		{ .path = "pci0000:ae/0000:ae:00.0/0000:af:00.0", .node = 1,
		  .speed = GEN5, .width = 16, .rdma = "mlx5_1" },
		{ .path = "pci0000:d7/0000:d7:00.0/0000:d8:00.0", .node = 1,
		  .speed = GEN4, .width = 16, .gpu = "NVIDIA A30" },
	};

	config_size = CONFIG_SIZE;
	make_nodes(2);
	make_all(list, COUNT(list));
	json_decref(check_text(NULL,
		"mlx5_0 at 0000:3b:00.0, NUMA node 0, CPUs 0-7\n"
		"  port 1: ACTIVE, InfiniBand 400 Gb/s\n"
		"  PCIe: 16 GT/s x8 to root port 0000:3a:00.0 of host bridge "
		"pci0000:3a\n"
		"  narrowest link: 126 Gb/s at 0000:3b:00.0, less than the "
		"port's 400\n"
		"  use GPU 0000:5e:00.0, NVIDIA A30: same NUMA node\n"
		"mlx5_1 at 0000:af:00.0, NUMA node 1, CPUs 8-15\n"
		"  port 1: ACTIVE, InfiniBand 400 Gb/s\n"
		"  PCIe: 32 GT/s x16 to root port 0000:ae:00.0 of host "
		"bridge pci0000:ae\n"
		"  narrowest link: 504.1 Gb/s at 0000:af:00.0, enough for "
		"the port's 400\n"
		"  use GPU 0000:d8:00.0, NVIDIA A30: same NUMA node\n"
		"\n"
		"GPU           mlx5_0   mlx5_1\n"
		"0000:5e:00.0    node*     far   NVIDIA A30, NUMA node 0, 16 GT/s "
		"x16\n"
		"0000:d8:00.0     far     node*  NVIDIA A30, NUMA node 1, 16 GT/s "
		"x16\n"
		"  *       the GPU to use with that NIC; --memory=cuda:auto "
		"or hip:auto takes it\n"
		"  node    on one NUMA node: peer to peer through the root "
		"complex\n"
		"  far     on two processors: peer to peer through both, and "
		"the link between them\n"));
}

TEST(test_virtual_functions)
{
	static const struct made_up list[] = {
		{ .path = "pci0000:3a/0000:3a:00.0" },
		{ .path = "pci0000:3a/0000:3a:00.0/0000:3b:00.0",
		  .speed = GEN4, .width = 16, .rdma = "mlx5_0" },
		{ .path = "pci0000:3a/0000:3a:00.0/0000:3b:00.2",
		  .speed = "Unknown\n", .width = 0, .rdma = "mlx5_2",
		  .physical = "pci0000:3a/0000:3a:00.0/0000:3b:00.0" },
		{ .path = "pci0000:3a/0000:3a:00.0/0000:3b:00.3",
		  .speed = "Unknown\n", .width = 0, .rdma = "mlx5_10",
		  .physical = "pci0000:3a/0000:3a:00.0/0000:3b:00.0" },
		{ .path = "pci0000:5d/0000:5d:02.0/0000:5e:00.0",
		  .speed = GEN4, .width = 16, .gpu = "NVIDIA A30" },
		{ .path = "pci0000:5d/0000:5d:03.0/0000:5f:00.0",
		  .speed = GEN4, .width = 16, .gpu = "NVIDIA A30" },
	};

	config_size = CONFIG_SIZE;
	make_nodes(2);
	make_all(list, COUNT(list));
	json_decref(check_text(NULL,
		"mlx5_0 at 0000:3b:00.0, NUMA node 0, CPUs 0-7\n"
		"  port 1: ACTIVE, InfiniBand 400 Gb/s\n"
		"  PCIe: 16 GT/s x16 to root port 0000:3a:00.0 of host "
		"bridge pci0000:3a\n"
		"  narrowest link: 252.1 Gb/s at 0000:3b:00.0, less than the "
		"port's 400\n"
		"  use GPU 0000:5e:00.0, NVIDIA A30: same NUMA node\n"
		"mlx5_2 at 0000:3b:00.2, virtual function of 0000:3b:00.0, "
		"NUMA node 0, CPUs 0-7\n"
		"  port 1: ACTIVE, InfiniBand 400 Gb/s\n"
		"  PCIe: 16 GT/s x16 to root port 0000:3a:00.0 of host "
		"bridge pci0000:3a\n"
		"  narrowest link: 252.1 Gb/s at 0000:3b:00.0, less than the "
		"port's 400\n"
		"  use GPU 0000:5e:00.0, NVIDIA A30: same NUMA node\n"
		"mlx5_10 at 0000:3b:00.3, virtual function of 0000:3b:00.0, "
		"NUMA node 0, CPUs 0-7\n"
		"  port 1: ACTIVE, InfiniBand 400 Gb/s\n"
		"  PCIe: 16 GT/s x16 to root port 0000:3a:00.0 of host "
		"bridge pci0000:3a\n"
		"  narrowest link: 252.1 Gb/s at 0000:3b:00.0, less than the "
		"port's 400\n"
		"  use GPU 0000:5e:00.0, NVIDIA A30: same NUMA node\n"
		"\n"
		"GPU           mlx5_0   mlx5_2  mlx5_10\n"
		"0000:5e:00.0    node*    node*    node*  NVIDIA A30, NUMA "
		"node 0, 16 GT/s x16\n"
		"0000:5f:00.0    node     node     node   NVIDIA A30, NUMA "
		"node 0, 16 GT/s x16\n"
		"  *       the GPU to use with that NIC; --memory=cuda:auto "
		"or hip:auto takes it\n"
		"  node    on one NUMA node: peer to peer through the root "
		"complex\n"));
}

TEST(test_virtual_machine)
{
	static const struct made_up list[] = {
		{ .path = "pci0000:00/0000:00:05.0", .node = -1,
		  .rdma = "mlx5_0" },
		{ .path = "pci0000:00/0000:00:06.0", .node = -1,
		  .gpu = "NVIDIA A100-SXM4-40GB" },
	};

	config_size = CONFIG_PUBLIC;
	make_nodes(1);
	host_file("/proc/cpuinfo", "flags\t\t: fpu hypervisor\n");
	host_file("/sys/class/dmi/id/sys_vendor", "QEMU\n");
	make_all(list, COUNT(list));
	/* it has no PCI function at all */
	host_file("/sys/class/infiniband/siw0/node_type", "4: RNIC\n");
	host_file("/sys/class/infiniband/siw0/ports/1/state", "1: DOWN\n");
	host_file("/sys/class/infiniband/siw0/ports/1/link_layer",
		  "Ethernet\n");
	json_decref(check_text(NULL,
		"virtual machine (QEMU): what is shown of PCIe is what its "
		"hypervisor made up\n"
		"mlx5_0 at 0000:00:05.0, NUMA node 0, CPUs 0-7\n"
		"  port 1: ACTIVE, InfiniBand 400 Gb/s\n"
		"  use GPU 0000:00:06.0, NVIDIA A100-SXM4-40GB: same host "
		"bridge\n"
		"siw0, not on PCI\n"
		"  port 1: DOWN, iWARP 0 Gb/s\n"
		"\n"
		"GPU           mlx5_0     siw0\n"
		"0000:00:06.0  bridge*       ?   NVIDIA A100-SXM4-40GB, NUMA "
		"node 0\n"
		"  *       the GPU to use with that NIC; --memory=cuda:auto "
		"or hip:auto takes it\n"
		"  bridge  below one host bridge: peer to peer through the "
		"root complex\n"
		"  ?       not known\n"));
}

TEST(test_alone)
{
	char path[SYSFS_PATH_SIZE] = "pci0000:16";
	const struct made_up any = { .acs = ALLOWED };
	struct made_up nic = { .rdma = "mlx5_0" };
	json_t *root;

	config_size = CONFIG_PUBLIC;
	make_nodes(1);
	make_below(path, "0000:16:01.0", any);
	make_below(path, "0000:17:00.0", any);
	make_below(path, "0000:18:00.0", any);
	make_below(path, "0000:19:00.0", nic);
	root = check_text(NULL,
		"mlx5_0 at 0000:19:00.0, NUMA node 0, CPUs 0-7\n"
		"  port 1: ACTIVE, InfiniBand 400 Gb/s\n"
		"  PCIe: 32 GT/s x16 to switch 0000:17:00.0 (ACS unknown: "
		"only root can read it)\n"
		"        32 GT/s x16 to root port 0000:16:01.0 of host "
		"bridge pci0000:16\n"
		"  narrowest link: 504.1 Gb/s at 0000:19:00.0, enough for "
		"the port's 400\n"
		"no GPU of NVIDIA or AMD\n");
	assert_true(json_is_null(at(root, "nics.0.place.path.1."
				     "acs_redirects")));
	json_decref(root);
}

/* Of two GPUs below one switch, the one that is also below the NIC's own. */
TEST(test_switch_below_a_switch)
{
#define OUTER "pci0000:16/0000:16:01.0/0000:17:00.0"
#define INNER OUTER "/0000:18:01.0/0000:1b:00.0"
	static const struct made_up list[] = {
		{ .path = OUTER "/0000:18:00.0/0000:19:00.0/0000:1a:00.0/"
			  "0000:1a:10.0", .gpu = "far" },
		{ .path = INNER "/0000:1c:00.0/0000:1d:00.0",
		  .rdma = "mlx5_0" },
		{ .path = INNER "/0000:1c:01.0/0000:1e:00.0", .gpu = "near" },
	};
	json_t *root;

	config_size = CONFIG_SIZE;
	make_nodes(1);
	make_all(list, COUNT(list));
	root = check_text(NULL, NULL);
	check_string(root, "nics.0.gpus.0.distance", "same switch");
	check_string(root, "nics.0.gpus.1.distance", "same switch");
	check_string(used_gpu(root, 0), "gpu", "0000:1e:00.0");
	json_decref(root);
}

TEST(test_amd)
{
	static const struct made_up list[] = {
		{ .path = "pci0000:00/0000:00:01.0/0000:01:00.0",
		  .rdma = "bnxt_re0" },
		{ .path = "pci0000:20/0000:20:01.0/0000:21:00.0", .node = 1,
		  .gpu = "AMD Instinct MI300X\n", .amd = true },
		{ .path = "pci0000:40/0000:40:01.0/0000:41:00.0", .node = -1,
		  .gpu = "", .amd = true },
	};
	json_t *root;

	config_size = CONFIG_SIZE;
	make_nodes(2);
	/* both nodes are of one processor */
	host_file("/sys/devices/system/cpu/cpu8/topology/physical_package_id",
		  "0\n");
	/* a display that is nobody's GPU, and a bridge of a GPU's maker */
	host_file("/sys/bus/pci/devices/0000:03:00.0/class", "0x030000\n");
	host_file("/sys/bus/pci/devices/0000:03:00.0/vendor", "0x1a03\n");
	host_file("/sys/bus/pci/devices/0000:04:00.0/class", "0x060400\n");
	host_file("/sys/bus/pci/devices/0000:04:00.0/vendor", "0x1002\n");
	make_all(list, COUNT(list));
	root = check_text(NULL, NULL);
	assert_int_equal(json_array_size(at(root, "gpus")), 2);
	check_string(root, "gpus.0.name", "AMD Instinct MI300X");
	check_string(root, "gpus.1.name", "AMD device 0x74a1");
	check_string(root, "nics.0.gpus.0.distance", "same socket");
	check_string(root, "nics.0.gpus.1.distance", "unknown");
	check_string(used_gpu(root, 0), "gpu", "0000:21:00.0");
	json_decref(root);
}

/* --memory=TEXT with DEVICE is the GPU EXPECTED, or the message. */
static void check_chosen(const char *text, const char *device,
			 const char *expected)
{
	struct memory_choice choice;
	struct error err = { 0 };
	int ret;

	assert_int_equal(memory_choice_parse(text, &choice), 0);
	ret = gpus_choose(&choice, device, &err);
	assert_int_equal(choice.automatic, ret != 0);
	assert_string_equal(ret ? err.message : choice.pci, expected);
}

TEST(test_memory_of_the_nearest)
{
	config_size = CONFIG_SIZE;
	make_dgx();
	make_rdma("rxe0", "/sys/devices/none");
	check_chosen("cuda:auto", "mlx5_0", "0000:19:00.0");
	check_chosen("cuda:auto", "mlx5_3", "0000:3b:00.0");
	check_chosen("cuda:0000:99:00.0", "mlx5_3", "0000:99:00.0");
	check_chosen("cuda:1", "mlx5_3", "");
	check_chosen("hip:auto", "mlx5_0",
		     "--memory=hip:auto: this host shows no GPU of AMD");
	check_chosen("cuda:auto", "rxe0", "--memory=cuda:auto: rxe0 is not on "
		     "PCI, so none of the 8 GPUs is near it");
}

/* Where there is one GPU of the maker, a device that is not on PCI, or of
 * which nothing is known, uses that one. */
TEST(test_memory_of_the_only_gpu)
{
	static const struct made_up list[] = {
		{ .path = "pci0000:00/0000:00:01.0/0000:01:00.0",
		  .gpu = "NVIDIA H200" },
		{ .path = "pci0000:20/0000:20:01.0/0000:21:00.0",
		  .gpu = "AMD Instinct MI300X", .amd = true },
		{ .path = "pci0000:40/0000:40:01.0/0000:41:00.0",
		  .gpu = "AMD Instinct MI300X", .amd = true },
	};

	config_size = CONFIG_SIZE;
	make_nodes(1);
	make_all(list, COUNT(list));
	make_rdma("rxe0", "/sys/devices/none");
	check_chosen("cuda:auto", "rxe0", "0000:01:00.0");
	check_chosen("cuda:auto", "fake0", "0000:01:00.0");
	check_chosen("hip:auto", "rxe0", "--memory=hip:auto: rxe0 is not on "
		     "PCI, so none of the 2 GPUs is near it");
}

/* With MEMORY the device DEVICE has the facts EXPECTED, from FACT_GPU on. */
static void check_facts(const char *memory, const char *device,
			const char *const expected[5])
{
	struct memory_choice choice;
	struct facts facts = { 0 };

	assert_int_equal(memory_choice_parse(memory, &choice), 0);
	facts_of_gpus(device, &choice, &facts);
	for (int i = 0; i < 5; i++)
		assert_string_equal(facts_text(&facts, FACT_GPU + i),
				    expected[i]);
}

/* The stand-in for NVIDIA's library has GPU 0 at 0000:19:00.0, and no address
 * of others. */
TEST(test_facts)
{
	static const char *const unused[] = { "", "", "0000:19:00.0",
					      "same switch", "none" };
	static const char *const used[] = { "0000:19:00.0", "same switch",
					    "0000:19:00.0", "same switch",
					    "none" };
	static const char *const far[] = { "0000:19:00.0", "across sockets",
					   "0000:b9:00.0", "same switch", "" };
	static const char *const near[] = { "0000:bb:00.0", "same switch",
					    "0000:b9:00.0", "same switch",
					    "0000:b8:01.0" };
	static const char *const nothing[] = { "", "", "", "", "" };

	config_size = CONFIG_SIZE;
	make_dgx();
	make_rdma("rxe0", "/sys/devices/none");
	check_facts("anonymous", "mlx5_0", unused);
	check_facts("cuda:0", "mlx5_0", used);
	check_facts("cuda:19:00.0", "mlx5_0", used);
	check_facts("cuda:4", "mlx5_0", unused);
	check_facts("cuda:00000000:19:00.0", "mlx5_6", far);
	check_facts("cuda:BB:00.0", "mlx5_6", near);
	check_facts("anonymous", "rxe0", nothing);
	check_facts("anonymous", "none", nothing);
}

#define EACH(test) \
	cmocka_unit_test_setup_teardown(test, host_begin, host_end)

TEST_FILE()
{
	const struct CMUnitTest tests[] = {
		EACH(test_dgx),
		EACH(test_two_sockets),
		EACH(test_virtual_functions),
		EACH(test_virtual_machine),
		EACH(test_alone),
		EACH(test_switch_below_a_switch),
		EACH(test_amd),
		EACH(test_memory_of_the_nearest),
		EACH(test_memory_of_the_only_gpu),
		EACH(test_facts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
