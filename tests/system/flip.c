/*
 * A fault, to be preloaded: one bit of memory is flipped when a message has
 * arrived, just before the program is told.  VERBSPERF_FLIP says when and
 * where, in four numbers with commas between them:
 *
 *   opcode  of completions (enum ibv_wc_opcode)
 *   count   the bit is flipped before that many-th of them, from 1, succeeds
 *   offset  of a byte, from the start of the memory registered first
 *   mask    of bits in that byte
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <infiniband/verbs.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

/* It takes the place of a macro. */
#undef ibv_reg_mr

static int (*poll_cq)(struct ibv_cq *cq, int n, struct ibv_wc *wc);
static unsigned char *memory;
static atomic_ulong seen;
static unsigned long opcode, count, offset, mask;

static void *next(const char *name)
{
	void *function = dlsym(RTLD_NEXT, name);

	if (!function)
		abort();
	return function;
}

static void read_plan(void)
{
	const char *plan = getenv("VERBSPERF_FLIP");

	if (plan && sscanf(plan, "%lu,%lu,%lu,%lu", &opcode, &count, &offset,
			   &mask) != 4)
		abort();
}

static int flip(struct ibv_cq *cq, int n, struct ibv_wc *wc)
{
	int got = poll_cq(cq, n, wc);

	for (int i = 0; i < got; i++)
		if (wc[i].status == IBV_WC_SUCCESS &&
		    wc[i].opcode == opcode &&
		    atomic_fetch_add(&seen, 1) + 1 == count)
			memory[offset] ^= (unsigned char)mask;
	return got;
}

struct ibv_context *ibv_open_device(struct ibv_device *device)
{
	struct ibv_context *(*real)(struct ibv_device *) = next(__func__);
	struct ibv_context *context = real(device);

	read_plan();
	if (context && context->ops.poll_cq != flip) {
		poll_cq = context->ops.poll_cq;
		context->ops.poll_cq = flip;
	}
	return context;
}

static struct ibv_mr *note(struct ibv_mr *mr)
{
	if (mr && !memory)
		memory = mr->addr;
	return mr;
}

struct ibv_mr *ibv_reg_mr(struct ibv_pd *pd, void *addr, size_t length,
			  int access)
{
	struct ibv_mr *(*real)(struct ibv_pd *, void *, size_t, int) =
		next(__func__);

	return note(real(pd, addr, length, access));
}

struct ibv_mr *ibv_reg_mr_iova2(struct ibv_pd *pd, void *addr, size_t length,
				uint64_t iova, unsigned int access)
{
	struct ibv_mr *(*real)(struct ibv_pd *, void *, size_t, uint64_t,
			       unsigned int) = next(__func__);

	return note(real(pd, addr, length, iova, access));
}
