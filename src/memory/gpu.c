/* Allocates, registers, copies and frees memory of a GPU, by the calls of its
 * vendor's driver. */
#include "config.h"
#include "memory/gpu.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/numbers.h"
#include "base/units.h"
#include "base/xalloc.h"

/* GPUs share memory in pages of this size. */
#define GPU_PAGE (64ULL << 10)

static const char as_dmabuf[] = "dma-buf", as_peer[] = "peer memory";

static int allocate(struct allocation *a, struct error *err)
{
	const struct gpu_driver *driver = gpu_driver_of(a->choice.kind);
	struct gpu *g = xcalloc(1, sizeof(*g));
	int ret;

	a->own = g;
	g->driver = driver;
	a->mapped = round_up(a->length, GPU_PAGE);
	/* the driver aligns small pieces less than a page */
	ret = driver->open(g, &a->choice, a->option, err) ?:
	      driver->allocate(g, a->mapped + GPU_PAGE, a->option, err);
	if (!ret)
		a->buffer = (uint8_t *)(uintptr_t)round_up(g->base, GPU_PAGE);
	return ret;
}

/* Add WAY to the text of A, which has the choice already. */
static void note_way(struct allocation *a, struct gpu *g, const char *way)
{
	g->way = way;
	text_append(a->text, sizeof(a->text), " (%s)", way);
}

static void append(struct allocation *a, const char *what, int errnum)
{
	text_append(a->why, sizeof(a->why), "%sas %s: %s",
		    *a->why ? "; " : "", what, strerror(errnum));
}

/* Register a part by a dma-buf if the driver makes one and the device takes
 * it. */
static struct ibv_mr *try_dmabuf(struct allocation *a, struct gpu *g,
				 struct ibv_pd *pd, uint64_t offset,
				 uint64_t length, unsigned int access)
{
	struct ibv_mr *mr;

	a->fd = g->driver->export_dmabuf(g, (uintptr_t)a->buffer, a->mapped,
					 &a->fd_offset);
	if (a->fd < 0) {
		append(a, "a dma-buf", -a->fd);
		a->fd = -1;
		return NULL;
	}
	mr = memory_reg_dmabuf(a, pd, offset, length, access);
	if (mr) {
		note_way(a, g, as_dmabuf);
		return mr;
	}
	close(a->fd);
	a->fd = -1;
	return NULL;
}

static struct ibv_mr *reg(struct allocation *a, struct ibv_pd *pd,
			  uint64_t offset, uint64_t length,
			  unsigned int access)
{
	struct gpu *g = a->own;
	struct ibv_mr *mr = NULL;
	int errnum;

	if (g->way == as_dmabuf)
		return memory_reg_dmabuf(a, pd, offset, length, access);
	if (!g->way)
		mr = try_dmabuf(a, g, pd, offset, length, access);
	if (mr)
		return mr;
	mr = memory_reg_plain(a, pd, offset, length, access);
	errnum = errno;
	if (mr && !g->way)
		note_way(a, g, as_peer);
	if (!mr)
		append(a, as_peer, errnum);
	errno = errnum;
	return mr;
}

static int copy_in(void *allocation, uint8_t *to, const void *from, uint64_t n)
{
	const struct allocation *a = allocation;
	const struct gpu *g = a->own;

	return n ? g->driver->in(g, (uintptr_t)to, from, n) : 0;
}

static int copy_out(void *allocation, void *to, const uint8_t *from, uint64_t n)
{
	const struct allocation *a = allocation;
	const struct gpu *g = a->own;

	return n ? g->driver->out(g, to, (uintptr_t)from, n) : 0;
}

static void free_memory(struct allocation *a)
{
	struct gpu *g = a->own;

	if (a->fd >= 0)
		close(a->fd);
	if (g && g->open)
		g->driver->close(g);
	free(g);
	a->own = NULL;
	a->buffer = NULL;
	a->fd = -1;
}

const struct memory_ops memory_cuda = {
	.advice = "the device needs either a driver and a kernel with dma-buf "
		  "(Linux 5.12, NVIDIA's open kernel modules), or the module "
		  "nvidia-peermem: modprobe nvidia-peermem",
	.allocate = allocate,
	.reg = reg,
	.copy_verb = "cuMemcpy",
	.in = copy_in,
	.out = copy_out,
	.free = free_memory,
};

const struct memory_ops memory_hip = {
	.advice = "the device needs either a driver and a kernel with dma-buf "
		  "(Linux 5.12, CONFIG_DMABUF_MOVE_NOTIFY), or AMD's driver "
		  "with peer memory",
	.allocate = allocate,
	.reg = reg,
	.copy_verb = "hipMemcpy",
	.in = copy_in,
	.out = copy_out,
	.free = free_memory,
};
