#include "config.h"
#include "verbs/memory.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/numbers.h"
#include "base/xalloc.h"
#include "verbs/advice.h"
#include "verbs/explain.h"

#define MEMINFO "/proc/meminfo"

void memory_huge_pages(FILE *meminfo, struct huge_pages *pages)
{
	uint64_t idle = 0, promised = 0, kib = 0;
	char line[128];

	*pages = (struct huge_pages){ 0 };
	while (fgets(line, sizeof(line), meminfo)) {
		sscanf(line, "HugePages_Total: %" SCNu64, &pages->total);
		sscanf(line, "HugePages_Free: %" SCNu64, &idle);
		sscanf(line, "HugePages_Rsvd: %" SCNu64, &promised);
		sscanf(line, "Hugepagesize: %" SCNu64 " kB", &kib);
	}
	pages->size = kib << 10;
	pages->available = idle > promised ? idle - promised : 0;
}

static struct huge_pages read_huge_pages(void)
{
	struct huge_pages pages = { 0 };
	FILE *meminfo = fopen(MEMINFO, "re");

	if (!meminfo)
		return pages;
	memory_huge_pages(meminfo, &pages);
	fclose(meminfo);
	return pages;
}

static int map(struct memory *m, int flags)
{
	void *buffer = mmap(NULL, m->mapped, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0);

	if (buffer == MAP_FAILED)
		return -errno;
	m->buffer = buffer;
	return 0;
}

static int map_pages(struct memory *m, struct error *err)
{
	int ret;

	m->mapped = round_up(m->length, (uint64_t)sysconf(_SC_PAGESIZE));
	ret = map(m, 0);
	if (!ret)
		return 0;
	return fail(err, ret, "use fewer --qps or a smaller --size",
		    "cannot allocate %" PRIu64 " bytes for messages: %s",
		    m->length, strerror(-ret));
}

static int map_huge_pages(struct memory *m, struct error *err)
{
	struct huge_pages pages = read_huge_pages();
	uint64_t n, missing;
	char advice[100];
	int ret;

	if (!pages.size)
		return fail(err, -ENOTSUP, NULL,
			    "--hugepages: this kernel has none (" MEMINFO
			    " shows no Hugepagesize)");
	n = round_up(m->length, pages.size) / pages.size;
	m->mapped = n * pages.size;
	ret = map(m, MAP_HUGETLB);
	if (!ret)
		return 0;
	missing = n > pages.available ? n - pages.available : n;
	snprintf(advice, sizeof(advice),
		 "reserve more, as root: sysctl vm.nr_hugepages=%" PRIu64,
		 pages.total + missing);
	return fail(err, ret, advice,
		    "--hugepages: messages need %" PRIu64 " page%s of %" PRIu64
		    " KiB, %" PRIu64 " are free: %s", n, n == 1 ? "" : "s",
		    pages.size >> 10, pages.available, strerror(-ret));
}

/* Without this the first messages would wait for page faults. */
static void touch(const struct memory *m)
{
	const uint64_t step = (uint64_t)sysconf(_SC_PAGESIZE);
	volatile uint8_t *buffer = m->buffer;

	for (uint64_t i = 0; i < m->mapped; i += step)
		buffer[i] = 0;
}

static int refused(const struct device *device, const struct memory *m,
		   int ret, struct error *err)
{
	struct rlimit locked = { 0 };
	char part[80] = "";

	getrlimit(RLIMIT_MEMLOCK, &locked);
	if (ret == -ENOMEM && locked.rlim_cur < m->length)
		return fail(err, ret, "raise it (ulimit -l)",
			    "%s: cannot register %" PRIu64 " bytes: more than "
			    "the limit on locked memory, %llu",
			    device->port.device, m->length,
			    (unsigned long long)locked.rlim_cur);
	if (m->part < m->length)
		snprintf(part, sizeof(part), " of memory region %u of %"
			 PRIu64, m->n_mrs + 1, m->length / m->part);
	return fail(err, ret, verb_advice("ibv_reg_mr", -ret,
					     port_is_ethernet(&device->port)),
		    "%s: cannot register %" PRIu64 " bytes%s: %s",
		    device->port.device, m->part, part, strerror(-ret));
}

static unsigned int access_flags(const struct plan *plan, bool client,
				 uint32_t region)
{
	unsigned int flags = (unsigned int)plan_access(plan, client, region);

	if (plan->relaxed_ordering)
		flags |= IBV_ACCESS_RELAXED_ORDERING;
	if (plan->odp)
		flags |= IBV_ACCESS_ON_DEMAND;
	return flags;
}

static int register_parts(const struct device *device, struct ibv_pd *pd,
			  const struct plan *plan, bool client,
			  struct memory *m, struct error *err)
{
	const uint64_t n = m->length / m->part;
	const uint64_t of_region = n / plan_regions(plan);

	m->mrs = xcalloc(n, sizeof(*m->mrs));
	while (m->n_mrs < n) {
		uint32_t region = (uint32_t)(m->n_mrs / of_region);

		m->mrs[m->n_mrs] = ibv_reg_mr(
			pd, m->buffer + m->n_mrs * m->part, m->part,
			access_flags(plan, client, region));
		if (!m->mrs[m->n_mrs])
			return refused(device, m, -errno, err);
		m->n_mrs++;
	}
	return 0;
}

int memory_create(const struct device *device, struct ibv_pd *pd,
		  const struct plan *plan, bool client, struct memory *memory,
		  struct error *err)
{
	const uint64_t stride = plan_stride(plan);
	struct memory m = {
		.length = plan_memory(plan),
		.part = plan->mr_per_qp ? stride : stride * plan->qps,
	};
	int ret = plan->hugepages ? map_huge_pages(&m, err) :
				    map_pages(&m, err);

	if (ret)
		return ret;
	if (!plan->odp)
		touch(&m);
	ret = register_parts(device, pd, plan, client, &m, err);
	if (ret)
		memory_destroy(&m);
	else
		*memory = m;
	return ret;
}

void memory_destroy(struct memory *memory)
{
	for (uint32_t i = 0; i < memory->n_mrs; i++)
		ibv_dereg_mr(memory->mrs[i]);
	free(memory->mrs);
	if (memory->buffer)
		munmap(memory->buffer, memory->mapped);
	memset(memory, 0, sizeof(*memory));
}

struct ibv_mr *memory_mr(const struct memory *memory, uint64_t address)
{
	uint64_t offset = address - (uintptr_t)memory->buffer;

	return memory->mrs[offset / memory->part];
}
