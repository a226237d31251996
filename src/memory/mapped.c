/* Memory that the kernel maps: anonymous pages, small or huge; and what other
 * processes could map, too: a memfd, a file, a DAX device, and a dma-buf made
 * of a memfd. */
#include "config.h"
#include "memory/kind.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/numbers.h"
#include "base/sysfs.h"

#define UDMABUF "/dev/udmabuf"
/* What linux/udmabuf.h has, which is missing before Linux 4.20. */
#define UDMABUF_FLAGS_CLOEXEC 1
#define UDMABUF_CREATE _IOW('u', 0x42, struct udmabuf_create)
struct udmabuf_create {
	uint32_t memfd, flags;
	uint64_t offset, size;
};

/* A DAX device maps pieces of its own page size only: 2 MiB as a rule. */
#define DAX_PAGE (2ULL << 20)
#define HUGETLBFS 0x958458f6

#define POOLS "/sys/kernel/mm/hugepages"
/* Memory of this size begins at a multiple of it: how much of it the kernel
 * puts into huge pages by itself is then the same in each run. */
#define HUGE_PAGE (2ULL << 20)

/* Where the flags of mmap(2) have the base-2 logarithm of the size of huge
 * pages. */
#ifndef MAP_HUGE_SHIFT
#define MAP_HUGE_SHIFT 26
#endif

/* Huge pages of one size. */
struct huge_pages {
	uint64_t size;		/* bytes per page; 0: unsupported */
	uint64_t total;
	uint64_t available;	/* neither in use nor reserved */
};

static uint64_t page_size(void)
{
	return (uint64_t)sysconf(_SC_PAGESIZE);
}

/* The pages of the usual size. */
static struct huge_pages read_default_pages(void)
{
	struct huge_pages pages = { 0 };
	uint64_t idle = 0, promised = 0;

	if (sysfs_meminfo(&pages.size, "Hugepagesize:"))
		pages.size <<= 10;
	sysfs_meminfo(&pages.total, "HugePages_Total:");
	sysfs_meminfo(&idle, "HugePages_Free:");
	sysfs_meminfo(&promised, "HugePages_Rsvd:");
	pages.available = idle > promised ? idle - promised : 0;
	return pages;
}

/* Read a count of pages of SIZE bytes; false when this kernel has no such
 * pages. */
static bool read_pool(uint64_t size, const char *name, uint64_t *count)
{
	return sysfs_count(count, POOLS "/hugepages-%" PRIu64 "kB/%s",
			   size >> 10, name);
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
	const uint64_t page = page_size();
	const uint64_t spare = a->length < HUGE_PAGE ? 0 : HUGE_PAGE - page;
	int ret;

	a->mapped = round_up(a->length, page) + spare;
	ret = map(a, 0);
	if (ret)
		return fail_errno(err, ret,
				  "use fewer --qps or a smaller --size",
				  "cannot allocate %" PRIu64 " bytes for "
				  "messages", a->length);
	if (spare)
		align(a, spare);
	return 0;
}

/* Report that there are fewer than N of PAGES, and how to get more. */
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
	return fail_errno(err, ret, advice, "%s: messages need %" PRIu64
			  " page%s of %" PRIu64 " KiB, %" PRIu64 " are free",
			  a->option, n, n == 1 ? "" : "s", pages->size >> 10,
			  pages->available);
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
			    "%s: this kernel has none (/proc/meminfo shows no "
			    "Hugepagesize)", a->option);
	n = round_up(a->length, pages.size) / pages.size;
	a->mapped = n * pages.size;
	/* of a power of two, the zeros below it are its logarithm */
	ret = map(a, MAP_HUGETLB |
		     (wanted ? __builtin_ctzll(wanted) << MAP_HUGE_SHIFT : 0));
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

static int map_shared(struct allocation *a, struct error *err)
{
	void *buffer = mmap(NULL, a->mapped, PROT_READ | PROT_WRITE,
			    MAP_SHARED, a->fd, (off_t)a->choice.offset);

	if (buffer == MAP_FAILED)
		return fail_errno(err, errno, NULL, "%s: cannot map %" PRIu64
				  " bytes", a->option, a->mapped);
	a->buffer = buffer;
	return 0;
}

/* Reserve the blocks now: writing to a hole of a file on a full disk kills the
 * process.  Not every file system can reserve. */
static int reserve(const struct allocation *a, struct error *err)
{
	if (a->paged || !fallocate(a->fd, FALLOC_FL_KEEP_SIZE,
				   (off_t)a->choice.offset, (off_t)a->mapped))
		return 0;
	if (errno != ENOSPC && errno != ENOMEM)
		return 0;
	return fail_errno(err, errno, "use fewer --qps or a smaller --size",
			  "%s: cannot allocate %" PRIu64 " bytes for messages",
			  a->option, a->mapped);
}

/* Only a memfd that may be sealed becomes a dma-buf. */
static int map_memfd(struct allocation *a, struct error *err)
{
	a->mapped = round_up(a->length, page_size());
	a->fd = memfd_create("verbsperf", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (a->fd < 0 || ftruncate(a->fd, (off_t)a->mapped))
		return fail_errno(err, errno,
				  "use fewer --qps or a smaller --size",
				  "%s: cannot make a memfd of %" PRIu64
				  " bytes", a->option, a->mapped);
	return reserve(a, err) ?: map_shared(a, err);
}

/* Make a file without a name in a folder, which nobody else sees. */
static int make_unnamed(struct allocation *a, const char *path,
			struct error *err)
{
	struct statfs fs;

	a->fd = open(path, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (a->fd < 0)
		return fail_errno(err, errno, errno == EOPNOTSUPP ?
				  "use a folder on tmpfs, as /dev/shm, or the "
				  "path of a file" : NULL,
				  "%s: cannot make a file in this folder",
				  a->option);
	a->mapped = round_up(a->length, page_size());
	if (!fstatfs(a->fd, &fs) && fs.f_type == HUGETLBFS)
		a->mapped = round_up(a->length, (uint64_t)fs.f_bsize);
	if (ftruncate(a->fd, (off_t)(a->choice.offset + a->mapped)))
		return fail_errno(err, errno, NULL, "%s: cannot make a file of "
				  "%" PRIu64 " bytes", a->option, a->mapped);
	return reserve(a, err);
}

/* Check a file with a name: it must be long enough and used by nobody else. */
static int check_regular(struct allocation *a, uint64_t size, struct error *err)
{
	const uint64_t end = a->choice.offset + a->length;
	char advice[80];

	a->mapped = round_up(a->length, page_size());
	snprintf(advice, sizeof(advice), "make it longer: truncate -s %" PRIu64,
		 round_up(end, page_size()));
	if (end < a->length || size < end)
		return fail(err, -EFBIG, advice,
			    "%s: the file has %" PRIu64 " bytes, messages need "
			    "%" PRIu64 " from byte %" PRIu64 " on", a->option,
			    size, a->length, a->choice.offset);
	return reserve(a, err);
}

static int open_path(struct allocation *a, const char *path, struct error *err)
{
	struct stat st;

	a->fd = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK);
	if (a->fd < 0 && errno == EISDIR)
		return make_unnamed(a, path, err);
	if (a->fd < 0 || fstat(a->fd, &st))
		return fail_errno(err, errno, NULL, "%s: cannot open it",
				  a->option);
	if (!S_ISREG(st.st_mode) && !S_ISCHR(st.st_mode))
		return fail(err, -EINVAL, NULL,
			    "%s: neither a file nor a folder nor a DAX device",
			    a->option);
	if (flock(a->fd, LOCK_EX | LOCK_NB))
		return fail(err, -errno, "give each end its own file, or both "
			    "a folder", "%s: another end uses it", a->option);
	if (S_ISREG(st.st_mode))
		return check_regular(a, (uint64_t)st.st_size, err);
	a->mapped = round_up(a->length, DAX_PAGE);
	return 0;
}

static int map_file(struct allocation *a, struct error *err)
{
	char path[MEMORY_PATH_SIZE];
	int ret;

	snprintf(path, sizeof(path), "%.*s", (int)a->choice.path_length,
		 a->choice.path);
	if (a->choice.offset % page_size() || a->choice.offset > INT64_MAX / 2)
		return fail(err, -EINVAL, NULL,
			    "%s: the offset must be a multiple of %" PRIu64,
			    a->option, page_size());
	ret = open_path(a, path, err) ?: map_shared(a, err);
	if (ret)
		return ret;
	memset(a->buffer, 0, a->mapped);
	/* where the file is concerns nobody but this end */
	snprintf(a->text, sizeof(a->text), "%s", memory_kind_name(MEMORY_FILE));
	return 0;
}

static int no_udmabuf(const struct allocation *a, int errnum, struct error *err)
{
	const bool large = errnum == EINVAL || errnum == ENOMEM;

	return fail_errno(err, errnum, large ?
			  "raise its size_limit_mb in /sys/module/udmabuf/"
			  "parameters, or use a smaller --size" :
			  "load the module udmabuf and be allowed to use "
			  UDMABUF,
			  "%s: cannot make a dma-buf of %" PRIu64 " bytes with "
			  UDMABUF, a->option, a->mapped);
}

/* Only a memfd that cannot shrink becomes a dma-buf. */
static int make_udmabuf(struct allocation *a, struct error *err)
{
	struct udmabuf_create create = { .flags = UDMABUF_FLAGS_CLOEXEC };
	int device, fd, ret = map_memfd(a, err);

	if (ret)
		return ret;
	if (fcntl(a->fd, F_ADD_SEALS, F_SEAL_SHRINK))
		return fail_errno(err, errno, NULL, "%s: cannot seal a memfd",
				  a->option);
	device = open(UDMABUF, O_RDWR | O_CLOEXEC);
	if (device < 0)
		return no_udmabuf(a, errno, err);
	create.memfd = (uint32_t)a->fd;
	create.size = a->mapped;
	fd = ioctl(device, UDMABUF_CREATE, &create);
	ret = fd < 0 ? no_udmabuf(a, errno, err) : 0;
	close(device);
	if (ret)
		return ret;
	close(a->fd);
	a->fd = fd;
	return 0;
}

const struct memory_ops memory_shared = {
	.pageable = true,
	.allocate = map_memfd,
	.reg = memory_reg_plain,
	.free = memory_unmap,
};

const struct memory_ops memory_file = {
	.pageable = true,
	.advice = "newer kernels pin no pages of a file on a disk: use a file "
		  "on tmpfs or hugetlbfs, or a DAX device",
	.allocate = map_file,
	.reg = memory_reg_plain,
	.free = memory_unmap,
};

const struct memory_ops memory_udmabuf = {
	.advice = "the driver of this device must take dma-bufs "
		  "(ibv_reg_dmabuf_mr); use another --memory",
	.allocate = make_udmabuf,
	.reg = memory_reg_dmabuf,
	.free = memory_unmap,
};
