/* The facts of the operating system and of memory. */
#include "config.h"
#include "host/facts_of.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/sysfs.h"

/* Capability CAP_IPC_LOCK: the limit of locked memory does not apply. */
#define IPC_LOCK (1ULL << 14)

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

/* Nothing tells rdma-core's version but the file names of its libraries:
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

/* The flag of x86, where there are flags; the maker's name by DMI. */
static void read_virtual_machine(struct facts *facts)
{
	char flags[1024], maker[FACT_TEXT_SIZE];
	bool has_flags = sysfs_find(flags, sizeof(flags), "flags",
				    "/proc/cpuinfo");

	if (!sysfs_read(maker, sizeof(maker), "/sys/hypervisor/type") &&
	    !sysfs_read(maker, sizeof(maker), "/sys/class/dmi/id/sys_vendor"))
		strcpy(maker, "unknown maker");
	if (has_flags && !strstr(flags, " hypervisor"))
		strcpy(maker, "none");
	else if (!has_flags && strcmp(maker, "QEMU") != 0)
		return;
	facts_set_text(facts, FACT_VIRTUAL_MACHINE, maker);
}

static bool meminfo(const char *key, uint64_t *value)
{
	char text[64], *end;

	if (!sysfs_find(text, sizeof(text), key, "/proc/meminfo"))
		return false;
	*value = strtoull(text, &end, 10);
	return end != text;
}

static void read_pages(struct facts *facts)
{
	uint64_t idle, promised = 0, kib;
	char text[FACT_TEXT_SIZE];

	if (meminfo("HugePages_Free:", &idle)) {
		meminfo("HugePages_Rsvd:", &promised);
		facts_set_count(facts, FACT_HUGE_PAGES_FREE,
				idle > promised ? idle - promised : 0);
	}
	if (meminfo("Hugepagesize:", &kib))
		facts_set_count(facts, FACT_HUGE_PAGE_BYTES, kib << 10);
	if (sysfs_chosen(text, sizeof(text),
			 "/sys/kernel/mm/transparent_hugepage/enabled"))
		facts_set_text(facts, FACT_TRANSPARENT_HUGE_PAGES, text);
}

/* The kernel asks for the capability outside of all user namespaces. */
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

void facts_of_system(struct facts *facts)
{
	read_names(facts);
	read_rdma_core(facts);
	read_container(facts);
	read_virtual_machine(facts);
	read_pages(facts);
	read_memlock(facts);
}
