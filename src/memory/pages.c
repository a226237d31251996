#include "config.h"
#include "memory/pages.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/numbers.h"
#include "memory/kinds.h"

#define MEMINFO "/proc/meminfo"
#define POOLS "/sys/kernel/mm/hugepages"
/* Memory of this size begins at a multiple of it: how much of it the kernel puts
 * into huge pages by itself is then the same in each run. */
#define HUGE_PAGE (2ULL << 20)

/* Where mmap(2) has the base-2 logarithm of a size of huge pages. */
#ifndef MAP_HUGE_SHIFT
#define MAP_HUGE_SHIFT 26
#endif

void memory_huge_page_counts(FILE *meminfo, struct huge_pages *pages)
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

static struct huge_pages read_default_pages(void)
{
	struct huge_pages pages = { 0 };
	FILE *meminfo = fopen(MEMINFO, "re");

	if (!meminfo)
		return pages;
	memory_huge_page_counts(meminfo, &pages);
	fclose(meminfo);
	return pages;
}

/* A count of the pages of SIZE bytes; false when this kernel has no such. */
static bool read_pool(uint64_t size, const char *name, uint64_t *count)
{
	char path[120];
	FILE *file;
	bool known;

	snprintf(path, sizeof(path), POOLS "/hugepages-%" PRIu64 "kB/%s",
		 size >> 10, name);
	file = fopen(path, "re");
	if (!file)
		return false;
	known = fscanf(file, "%" SCNu64, count) == 1;
	fclose(file);
	return known;
}

static struct huge_pages read_pages_of(uint64_t size)
{
	struct huge_pages pages = { .size = size };
	uint64_t idle = 0, promised = 0;

	if (!read_pool(size, "nr_hugepages", &pages.total))
		pages.size = 0;
	read_pool(size, "free_hugepages", &idle);
	read_pool(size, "resv_hugepages", &promised);
	pages.available = idle > promised ? idle - promised : 0;
	return pages;
}

static int map(struct allocation *a, int flags)
{
	void *buffer = mmap(NULL, a->mapped, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0);

	if (buffer == MAP_FAILED)
		return -errno;
	a->buffer = buffer;
	return 0;
}

/* Unmap what is before a multiple of a huge page, and what is left of SPARE
 * after the end. */
static void align(struct allocation *a, uint64_t spare)
{
	const uint64_t before = -(uintptr_t)a->buffer & (HUGE_PAGE - 1);

	munmap(a->buffer, before);
	a->buffer += before;
	a->mapped -= spare;
	munmap(a->buffer + a->mapped, spare - before);
}

static int map_pages(struct allocation *a, struct error *err)
{
	const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	const uint64_t spare = a->length < HUGE_PAGE ? 0 : HUGE_PAGE - page;
	int ret;

	a->mapped = round_up(a->length, page) + spare;
	ret = map(a, 0);
	if (ret)
		return fail(err, ret, "use fewer --qps or a smaller --size",
			    "cannot allocate %" PRIu64 " bytes for messages: "
			    "%s", a->length, strerror(-ret));
	if (spare)
		align(a, spare);
	return 0;
}

static int log2_of(uint64_t size)
{
	return 63 - __builtin_clzll(size);
}

/* There are too few of PAGES for N: how to get more. */
static int too_few(const struct allocation *a, const struct huge_pages *pages,
		   uint64_t n, int ret, struct error *err)
{
	uint64_t missing = n > pages->available ? n - pages->available : n;
	char advice[160];

	if (a->choice.page_size)
		snprintf(advice, sizeof(advice), "reserve more, as root: echo %"
			 PRIu64 " > " POOLS "/hugepages-%" PRIu64
			 "kB/nr_hugepages", pages->total + missing,
			 pages->size >> 10);
	else
		snprintf(advice, sizeof(advice),
			 "reserve more, as root: sysctl vm.nr_hugepages=%"
			 PRIu64, pages->total + missing);
	return fail(err, ret, advice,
		    "%s: messages need %" PRIu64 " page%s of %" PRIu64
		    " KiB, %" PRIu64 " are free: %s", a->option, n,
		    n == 1 ? "" : "s", pages->size >> 10, pages->available,
		    strerror(-ret));
}

static int map_huge_pages(struct allocation *a, struct error *err)
{
	const uint64_t wanted = a->choice.page_size;
	struct huge_pages pages = wanted ? read_pages_of(wanted) :
					   read_default_pages();
	uint64_t n;
	int ret;

	if (!pages.size && wanted)
		return fail(err, -ENOTSUP, "see the folders of " POOLS,
			    "%s: this kernel has no pages of %" PRIu64 " KiB",
			    a->option, wanted >> 10);
	if (!pages.size)
		return fail(err, -ENOTSUP, NULL,
			    "%s: this kernel has none (" MEMINFO
			    " shows no Hugepagesize)", a->option);
	n = round_up(a->length, pages.size) / pages.size;
	a->mapped = n * pages.size;
	ret = map(a, MAP_HUGETLB |
		     (wanted ? log2_of(wanted) << MAP_HUGE_SHIFT : 0));
	if (ret)
		return too_few(a, &pages, n, ret, err);
	a->choice.page_size = pages.size;
	memory_choice_format(&a->choice, a->text, sizeof(a->text));
	return 0;
}

const struct memory_ops memory_anonymous = {
	.pageable = true,
	.allocate = map_pages,
	.reg = memory_reg_plain,
	.free = memory_unmap,
};

const struct memory_ops memory_huge_pages = {
	.pageable = true,
	.allocate = map_huge_pages,
	.reg = memory_reg_plain,
	.free = memory_unmap,
};
