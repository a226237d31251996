/*
 * Memory of the RDMA device itself: ibv_alloc_dm(3).  Its regions have no
 * addresses but begin at 0.  The host's addresses of it have nothing behind
 * them, so that an access by mistake is found.
 */
#include "config.h"
#include "memory/kind.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/numbers.h"

/* Devices copy whole words only. */
#define WORD 8
/* Bytes copied at once. */
#define PIECE 4096

/* Copy the words from OFFSET on, N bytes, out of the memory.  Libibverbs'
 * return value is an errno of either sign. */
static int read_words(const struct allocation *a, uint8_t *words,
		      uint64_t offset, uint64_t n)
{
	return -abs(ibv_memcpy_from_dm(words, a->own, offset, n));
}

/* Write a piece.  The device copies words only, so the words at its ends are
 * read first. */
static int write_piece(const struct allocation *a, uint64_t offset,
		       const uint8_t *from, uint64_t n)
{
	const uint64_t begin = offset / WORD * WORD;
	const uint64_t length = round_up(offset + n, WORD) - begin;
	_Alignas(WORD) uint8_t words[PIECE + 2 * WORD];
	int ret = 0;

	if (length != n)
		ret = read_words(a, words, begin, length);
	if (ret)
		return ret;
	memcpy(words + (offset - begin), from, n);
	return -abs(ibv_memcpy_to_dm(a->own, begin, words, length));
}

static int read_piece(const struct allocation *a, uint64_t offset,
		      uint8_t *to, uint64_t n)
{
	const uint64_t begin = offset / WORD * WORD;
	const uint64_t length = round_up(offset + n, WORD) - begin;
	_Alignas(WORD) uint8_t words[PIECE + 2 * WORD];
	int ret = read_words(a, words, begin, length);

	if (!ret)
		memcpy(to, words + (offset - begin), n);
	return ret;
}

static int copy_in(void *allocation, uint8_t *to, const void *from, uint64_t n)
{
	const struct allocation *a = allocation;
	uint64_t offset = (uintptr_t)to - (uintptr_t)a->buffer;
	int ret = 0;

	for (uint64_t at = 0; at < n && !ret; at += PIECE)
		ret = write_piece(a, offset + at, (const uint8_t *)from + at,
				  smaller(PIECE, n - at));
	return ret;
}

static int copy_out(void *allocation, void *to, const uint8_t *from, uint64_t n)
{
	const struct allocation *a = allocation;
	uint64_t offset = (uintptr_t)from - (uintptr_t)a->buffer;
	int ret = 0;

	for (uint64_t at = 0; at < n && !ret; at += PIECE)
		ret = read_piece(a, offset + at, (uint8_t *)to + at,
				 smaller(PIECE, n - at));
	return ret;
}

static int refuse(const struct allocation *a, int errnum, struct error *err)
{
	struct ibv_device_attr_ex attr = { .max_dm_size = 0 };

	/* 0: the device has none, or does not report it */
	if (ibv_query_device_ex(a->context, NULL, &attr) || !attr.max_dm_size)
		return fail(err, -errnum, "use another --memory",
			    "%s: %s has no memory of its own that can be "
			    "allocated", a->option, a->device);
	return fail_errno(err, errnum, "use fewer --qps or a smaller --size",
			  "%s: %s has %" PRIu64 " bytes, messages need %"
			  PRIu64, a->option, a->device, attr.max_dm_size,
			  a->mapped);
}

static int clear(struct allocation *a, struct error *err)
{
	static const uint8_t nothing[PIECE];
	int ret = 0;

	for (uint64_t at = 0; at < a->mapped && !ret; at += PIECE)
		ret = copy_in(a, a->buffer + at, nothing,
			      smaller(PIECE, a->mapped - at));
	if (!ret)
		return 0;
	return fail_errno(err, ret, "use another --memory",
			  "%s: cannot copy to the memory of %s", a->option,
			  a->device);
}

static int allocate(struct allocation *a, struct error *err)
{
	struct ibv_alloc_dm_attr attr = { .log_align_req = 6 };
	void *addresses;

	a->mapped = round_up(a->length, CACHE_LINE);
	attr.length = a->mapped;
	a->own = ibv_alloc_dm(a->context, &attr);
	if (!a->own)
		return refuse(a, errno ? errno : EOPNOTSUPP, err);
	addresses = mmap(NULL, a->mapped, PROT_NONE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (addresses == MAP_FAILED)
		return fail_errno(err, errno, NULL, "%s: no addresses",
				  a->option);
	a->buffer = addresses;
	return clear(a, err);
}

static struct ibv_mr *reg(struct allocation *a, struct ibv_pd *pd,
			  uint64_t offset, uint64_t length,
			  unsigned int access)
{
	return ibv_reg_dm_mr(pd, a->own, offset, length,
			     access | IBV_ACCESS_ZERO_BASED);
}

static void free_memory(struct allocation *a)
{
	memory_unmap(a);
	if (a->own)
		ibv_free_dm(a->own);
	a->own = NULL;
}

const struct memory_ops memory_on_device = {
	.zero_based = true,
	.allocate = allocate,
	.reg = reg,
	.copy_verb = "ibv_memcpy_to_dm",
	.in = copy_in,
	.out = copy_out,
	.free = free_memory,
};
