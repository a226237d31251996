/* The facts of the operating system, of memory and of the processors, mainly of
 * those that threads may use. */
#include "config.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/sysfs.h"
#include "base/units.h"
#include "base/xalloc.h"
#include "host/facts.h"
#include "host/pci.h"

/* Capability CAP_IPC_LOCK: the limit of locked memory does not apply. */
#define IPC_LOCK (1ULL << 14)
/* Most processors whose governors are read: each is a file. */
#define CPUS_LOOKED_AT 64

static const char cpus_folder[] = "/sys/devices/system/cpu";

static void read_names(struct facts *facts)
{
	char text[FACT_TEXT_SIZE], *name = text;

	if (sysfs_read(text, sizeof(text), "/proc/sys/kernel/osrelease"))
		facts_set_text(facts, FACT_KERNEL, text);
	if (!sysfs_find(text, sizeof(text), "PRETTY_NAME=", "/etc/os-release"))
		return;
	name += *name == '"';
	name[strcspn(name, "\"")] = '\0';
	facts_set_text(facts, FACT_DISTRIBUTION, name);
}

/* Only the file names of its libraries tell rdma-core's version:
 * libibverbs.so.1.14.44.0 is of 44.0, behind the version of the interface. */
static void read_rdma_core(struct facts *facts)
{
	static const char name[] = "/libibverbs.so.";
	char line[512], path[SYSFS_PATH_SIZE], *version = NULL;
	FILE *maps;

	sysfs_path(path, "/proc/self/maps");
	maps = fopen(path, "re");
	while (maps && !version && fgets(line, sizeof(line), maps))
		version = strstr(line, name);
	if (maps)
		fclose(maps);
	if (!version)
		return;
	version += sizeof(name) - 1;
	version[strcspn(version, "\n ")] = '\0';
	for (int i = 0; i < 2 && version; i++) {
		version = strchr(version, '.');
		if (version)
			version++;
	}
	if (version)
		facts_set_text(facts, FACT_RDMA_CORE, version);
}

/* What container managers leave in the file system for programs to see. */
static void read_container(struct facts *facts)
{
	static const struct {
		const char *file, *kind;
	} signs[] = {
		{ "/.dockerenv", "docker" },
		{ "/run/.containerenv", "podman" },
		{ "/var/run/secrets/kubernetes.io", "kubernetes" },
	};
	char text[FACT_TEXT_SIZE];

	if (sysfs_read(text, sizeof(text), "/run/systemd/container")) {
		facts_set_text(facts, FACT_CONTAINER, text);
		return;
	}
	for (size_t i = 0; i < sizeof(signs) / sizeof(*signs); i++)
		if (sysfs_exists("%s", signs[i].file)) {
			facts_set_text(facts, FACT_CONTAINER, signs[i].kind);
			return;
		}
	if (facts_known(facts, FACT_KERNEL))
		facts_set_text(facts, FACT_CONTAINER, "none");
}

/* A comparison of strings for qsort(3). */
static int compare_texts(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* True for an environment variable that changes what libibverbs or one of its
 * providers does. */
static bool is_of_provider(const char *variable)
{
	static const char *const beginnings[] = {
		"BNXT_RE_", "CXGB4_", "EFA_", "ERDMA_", "HNS_ROCE_", "IBV_",
		"IONIC_", "IRDMA_", "MANA_", "MLX4_", "MLX5_", "MLX_",
		"QELR_", "RDMAV_", "RXE_", "SIW_",
	};
	const char *fork = strstr(variable, "_FORK_SAFE=");
	const size_t n = sizeof(beginnings) / sizeof(*beginnings);

	for (size_t i = 0; i < n; i++)
		if (!strncmp(variable, beginnings[i], strlen(beginnings[i])))
			return true;
	return fork && fork == strchr(variable, '=') - strlen("_FORK_SAFE");
}

/* Sorted, so that the same ones are alike on each host. */
static void read_variables(struct facts *facts)
{
	char list[FACT_TEXT_SIZE] = "";
	const char **found;
	size_t n = 0, all = 0;

	while (environ[all])
		all++;
	found = xcalloc(all + 1, sizeof(*found));
	for (size_t i = 0; i < all; i++)
		if (is_of_provider(environ[i]))
			found[n++] = environ[i];
	qsort(found, n, sizeof(*found), compare_texts);
	for (size_t i = 0; i < n; i++)
		list_add(list, sizeof(list), found[i]);
	free(found);
	if (n || facts_known(facts, FACT_KERNEL))
		facts_set_text(facts, FACT_PROVIDER_VARIABLES,
			       n ? list : "none");
}

static void read_load(struct facts *facts)
{
	char text[FACT_TEXT_SIZE], *end;
	double load;

	if (!sysfs_read(text, sizeof(text), "/proc/loadavg"))
		return;
	load = strtod(text, &end);
	if (end != text && load >= 0)
		facts_set_real(facts, FACT_LOAD_AVERAGE, load);
}

static void read_pages(struct facts *facts)
{
	uint64_t idle, promised = 0, kib;
	char text[FACT_TEXT_SIZE];

	if (sysfs_meminfo(&idle, "HugePages_Free:")) {
		sysfs_meminfo(&promised, "HugePages_Rsvd:");
		facts_set_count(facts, FACT_HUGE_PAGES_FREE,
				idle > promised ? idle - promised : 0);
	}
	if (sysfs_meminfo(&kib, "Hugepagesize:"))
		facts_set_count(facts, FACT_HUGE_PAGE_BYTES, kib << 10);
	if (sysfs_chosen(text, sizeof(text),
			 "/sys/kernel/mm/transparent_hugepage/enabled"))
		facts_set_text(facts, FACT_TRANSPARENT_HUGE_PAGES, text);
}

/* The folder of the control group of this process, for memory, below /sys: its
 * own in version 2 and in version 1, or "" for the root, which a container may
 * see as its own. */
static void memory_group(bool unified, char path[SYSFS_PATH_SIZE])
{
	char line[SYSFS_PATH_SIZE];

	path[0] = '\0';
	for (int id = 0; id < 32; id++) {
		char key[8];

		snprintf(key, sizeof(key), "%d:", id);
		if (!sysfs_find(line, sizeof(line), key, "/proc/self/cgroup"))
			continue;
		if (unified ? line[0] == '/' && !id :
			      !strncmp(line, "memory:", 7))
			snprintf(path, SYSFS_PATH_SIZE, "%s",
				 strchr(line, '/') ? strchr(line, '/') : "");
	}
}

/* Lower *BYTES to what the control group FOLDER leaves: its limit less what is
 * in use, of which the kernel gives back the files that nobody has used for
 * long. */
static void limit_to_group(const char *folder, const char *limit_name,
			   const char *used_name, const char *idle_name,
			   uint64_t *bytes)
{
	uint64_t limit, used, idle;
	char text[32];

	/* "max" is no number: there is no limit */
	if (!sysfs_count(&limit, "%s/%s", folder, limit_name) ||
	    !sysfs_count(&used, "%s/%s", folder, used_name))
		return;
	idle = sysfs_find(text, sizeof(text), idle_name, "%s/memory.stat",
			  folder) ? strtoull(text, NULL, 10) : 0;
	used -= idle < used ? idle : used;
	limit -= used < limit ? used : limit;
	if (limit < *bytes)
		*bytes = limit;
}

/* Every control group above that of the process has a limit, too. */
static void limit_to_groups(bool unified, uint64_t *bytes)
{
	const char *root = unified ? "/sys/fs/cgroup" : "/sys/fs/cgroup/memory";
	char path[SYSFS_PATH_SIZE], folder[SYSFS_PATH_SIZE + 32];

	memory_group(unified, path);
	for (;;) {
		char *end = strrchr(path, '/');

		snprintf(folder, sizeof(folder), "%s%s", root, path);
		if (unified)
			limit_to_group(folder, "memory.max", "memory.current",
				       "inactive_file ", bytes);
		else
			limit_to_group(folder, "memory.limit_in_bytes",
				       "memory.usage_in_bytes",
				       "total_inactive_file ", bytes);
		if (!end)
			return;
		*end = '\0';
	}
}

/* What can be allocated and locked: what the kernel says is available, or what
 * a control group leaves of it. */
static void read_available(struct facts *facts)
{
	uint64_t kib, bytes;

	if (!sysfs_meminfo(&kib, "MemAvailable:"))
		return;
	bytes = kib << 10;
	limit_to_groups(true, &bytes);
	limit_to_groups(false, &bytes);
	facts_set_count(facts, FACT_MEMORY_AVAILABLE, bytes);
}

/* True when this process may lock all memory: the kernel demands the capability
 * outside of all user namespaces. */
static bool may_lock_all(void)
{
	char text[64];

	return sysfs_find(text, sizeof(text), "CapEff:", "/proc/self/status") &&
	       strtoull(text, NULL, 16) & IPC_LOCK &&
	       sysfs_read(text, sizeof(text), "/proc/self/uid_map") &&
	       strstr(text, " 4294967295");
}

static void read_memlock(struct facts *facts)
{
	char text[64], *end;
	uint64_t bytes;

	if (!sysfs_find(text, sizeof(text), "Max locked memory",
			"/proc/self/limits"))
		return;
	bytes = strtoull(text, &end, 10);
	if (may_lock_all() || !strncmp(text, "unlimited", 9))
		bytes = FACT_UNLIMITED;
	else if (end == text)
		return;
	facts_set_count(facts, FACT_MEMLOCK_BYTES, bytes);
}

static void usable(const struct cpus *cpus, cpu_set_t *set)
{
	CPU_ZERO(set);
	for (uint32_t i = 0; i < cpus->n; i++)
		if (cpus->id[i] < CPU_SETSIZE)
			CPU_SET(cpus->id[i], set);
	if (!cpus->n && sched_getaffinity(0, sizeof(*set), set))
		CPU_ZERO(set);
}

static void read_governors(const cpu_set_t *set, struct facts *facts)
{
	char list[FACT_TEXT_SIZE] = "", word[32];
	int left = CPUS_LOOKED_AT;

	for (unsigned int cpu = 0; cpu < CPU_SETSIZE && left; cpu++) {
		if (!CPU_ISSET(cpu, set))
			continue;
		left--;
		if (sysfs_read(word, sizeof(word),
			       "%s/cpu%u/cpufreq/scaling_governor",
			       cpus_folder, cpu))
			list_add(list, sizeof(list), word);
	}
	facts_set_text(facts, FACT_GOVERNOR, list);
}

static void read_frequencies(unsigned int cpu, struct facts *facts)
{
	uint64_t khz;

	if (sysfs_count(&khz, "%s/cpu%u/cpufreq/scaling_cur_freq", cpus_folder,
			cpu))
		facts_set_real(facts, FACT_CPU_MHZ, (double)khz / 1000);
	if (sysfs_count(&khz, "%s/cpu%u/cpufreq/cpuinfo_max_freq", cpus_folder,
			cpu))
		facts_set_real(facts, FACT_CPU_MAX_MHZ, (double)khz / 1000);
}

/* The states are in the order of their depth. */
static void read_idle_states(unsigned int cpu, struct facts *facts)
{
	char name[FACT_TEXT_SIZE];
	uint64_t disabled, us;

	for (unsigned int i = 0;; i++) {
		if (!sysfs_read(name, sizeof(name),
				"%s/cpu%u/cpuidle/state%u/name", cpus_folder,
				cpu, i))
			return;
		if (sysfs_count(&disabled, "%s/cpu%u/cpuidle/state%u/disable",
				cpus_folder, cpu, i) && disabled)
			continue;
		facts_set_text(facts, FACT_IDLE_STATE, name);
		facts->value[FACT_IDLE_EXIT_US].known = false;
		if (sysfs_count(&us, "%s/cpu%u/cpuidle/state%u/latency",
				cpus_folder, cpu, i))
			facts_set_count(facts, FACT_IDLE_EXIT_US, us);
	}
}

/* The nodes that have one of the processors of SET at least. */
static void read_nodes(const cpu_set_t *set, struct facts *facts)
{
	cpu_set_t online, of_node, both, nodes;
	char list[FACT_TEXT_SIZE];

	if (!sysfs_cpus(&online, "/sys/devices/system/node/online"))
		return;
	facts_set_count(facts, FACT_NUMA_NODES, (uint64_t)CPU_COUNT(&online));
	CPU_ZERO(&nodes);
	for (unsigned int node = 0; node < CPU_SETSIZE; node++) {
		if (!CPU_ISSET(node, &online))
			continue;
		sysfs_cpus(&of_node, "/sys/devices/system/node/node%u/cpulist",
			   node);
		CPU_AND(&both, &of_node, set);
		if (CPU_COUNT(&both))
			CPU_SET(node, &nodes);
	}
	cpulist_format(&nodes, list, sizeof(list));
	facts_set_text(facts, FACT_THREAD_NODES, list);
}

/* Read whether irqbalance runs: a service of systemd has a control group while
 * it runs; without systemd there is a file with its process number. */
static void read_irqbalance(struct facts *facts)
{
	static const char *const roots[] = { "/sys/fs/cgroup",
					     "/sys/fs/cgroup/systemd" };
	bool systemd = false, runs = sysfs_exists("/run/irqbalance.pid");

	for (int i = 0; i < 2; i++) {
		systemd |= sysfs_exists("%s/system.slice", roots[i]);
		runs |= sysfs_exists("%s/system.slice/irqbalance.service",
				     roots[i]);
	}
	if (systemd || runs)
		facts_set_count(facts, FACT_IRQBALANCE, runs);
}

static void read_processors(struct facts *facts)
{
	char text[FACT_TEXT_SIZE];
	uint64_t smt;
	cpu_set_t set;

	if (sysfs_find(text, sizeof(text), "model name", "/proc/cpuinfo"))
		facts_set_text(facts, FACT_CPU_MODEL, text);
	if (sysfs_cpus(&set, "%s/online", cpus_folder))
		facts_set_count(facts, FACT_CPUS_ONLINE,
				(uint64_t)CPU_COUNT(&set));
	if (sysfs_count(&smt, "%s/smt/active", cpus_folder))
		facts_set_count(facts, FACT_SMT, smt != 0);
	if (sysfs_cpus(&set, "%s/isolated", cpus_folder)) {
		cpulist_format(&set, text, sizeof(text));
		facts_set_text(facts, FACT_ISOLATED_CPUS,
			       text[0] ? text : "none");
	}
}

void facts_of_host(const struct cpus *cpus, struct facts *facts)
{
	char maker[FACT_TEXT_SIZE];
	unsigned int first = 0;
	cpu_set_t set;

	usable(cpus, &set);
	while (first < CPU_SETSIZE - 1 && !CPU_ISSET(first, &set))
		first++;
	read_names(facts);
	read_rdma_core(facts);
	read_container(facts);
	read_variables(facts);
	read_load(facts);
	pci_virtual_machine(maker);
	facts_set_text(facts, FACT_VIRTUAL_MACHINE, maker);
	read_pages(facts);
	read_memlock(facts);
	read_available(facts);
	read_processors(facts);
	read_governors(&set, facts);
	read_frequencies(first, facts);
	read_idle_states(first, facts);
	read_nodes(&set, facts);
	read_irqbalance(facts);
}
