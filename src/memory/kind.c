/* The table of the kinds of memory for messages, and what several of them
 * share. */
#include "config.h"
#include "memory/kind.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/utsname.h>
#include <unistd.h>

const char *memory_kernel(char text[65])
{
	struct utsname name;

	if (uname(&name))
		return "?";
	snprintf(text, 65, "%s", name.release);
	return text;
}

void memory_touch(const struct allocation *a)
{
	const uint64_t step = (uint64_t)sysconf(_SC_PAGESIZE);
	volatile uint8_t *buffer = a->buffer;

	for (uint64_t i = 0; i < a->mapped; i += step)
		buffer[i] = 0;
}

struct ibv_mr *memory_reg_plain(struct allocation *a, struct ibv_pd *pd,
				uint64_t offset, uint64_t length,
				unsigned int access)
{
	return ibv_reg_mr(pd, a->buffer + offset, length, access);
}

struct ibv_mr *memory_reg_dmabuf(struct allocation *a, struct ibv_pd *pd,
				 uint64_t offset, uint64_t length,
				 unsigned int access)
{
	struct ibv_mr *mr = NULL;
	int errnum = EOPNOTSUPP;
	char kernel[65];

	(void)pd, (void)offset, (void)length, (void)access;
#ifdef HAVE_IBV_REG_DMABUF_MR
	/* addresses in the region are those of the buffer */
	mr = ibv_reg_dmabuf_mr(pd, a->fd_offset + offset, length,
			       (uintptr_t)a->buffer + offset, a->fd,
			       (int)access);
	errnum = errno;
#endif
	if (mr)
		return mr;
	snprintf(a->why, sizeof(a->why), "as a dma-buf: %s (kernel %s)",
		 strerror(errnum), memory_kernel(kernel));
	errno = errnum;
	return NULL;
}

const char *memory_why(const struct allocation *a, int errnum)
{
	return a->why[0] ? a->why : strerror(errnum);
}

void memory_unmap(struct allocation *a)
{
	if (a->buffer)
		munmap(a->buffer, a->mapped);
	if (a->fd >= 0)
		close(a->fd);
	a->buffer = NULL;
	a->fd = -1;
}

const struct memory_ops *memory_ops_of(enum memory_kind kind)
{
	static const struct memory_ops *const table[MEMORY_KINDS] = {
		[MEMORY_ANONYMOUS] = &memory_anonymous,
		[MEMORY_HUGE_PAGES] = &memory_huge_pages,
		[MEMORY_SHARED] = &memory_shared,
		[MEMORY_FILE] = &memory_file,
		[MEMORY_DEVICE] = &memory_on_device,
		[MEMORY_UDMABUF] = &memory_udmabuf,
		[MEMORY_CUDA] = &memory_cuda,
		[MEMORY_HIP] = &memory_hip,
	};

	return table[kind];
}
