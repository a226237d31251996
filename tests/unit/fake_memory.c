/* The memory regions of the fake NIC: of plain memory, of a dma-buf, of a GPU's
 * memory and of the device's own. */
#include "config.h"
#include "fake_verbs.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fake_nic.h"

#undef ibv_reg_mr

/* Copies of whole words only, as some devices demand. */
#define DM_WORD 8

struct nic_dm {
	struct ibv_dm dm;
	uint8_t *bytes;
	size_t length;
};

/* The bytes of the stand-in for a GPU's driver that are at ADDRESS; NULL: it is
 * not loaded, or they are not a GPU's. */
static void *gpu_bytes(const void *address, size_t length)
{
	void *(*memory)(uint64_t address, size_t n) = NULL;
	void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
	void *found = library ? dlsym(library, "standin_memory") : NULL;

	memcpy(&memory, &found, sizeof(memory));
	if (library)
		dlclose(library);
	return memory ? memory((uintptr_t)address, length) : NULL;
}

/* A region of the LENGTH bytes at BYTES, whose first address is IOVA. */
static struct nic_mr *enter(struct ibv_pd *pd, uint8_t *bytes, uint64_t iova,
			    size_t length, unsigned int access)
{
	struct nic_mr *m;

	/* as ibv_reg_mr(3) says */
	nic_misuse(access & (IBV_ACCESS_REMOTE_WRITE |
			     IBV_ACCESS_REMOTE_ATOMIC) &&
		   !(access & IBV_ACCESS_LOCAL_WRITE));
	m = nic_create(sizeof(*m), &fake_verbs.mrs);
	m->mr.context = pd->context;
	m->mr.pd = pd;
	m->mr.addr = (void *)(uintptr_t)iova;
	m->mr.length = length;
	m->access = access;
	m->iova = iova;
	m->bytes = bytes;
	pthread_mutex_lock(&nic_lock);
	fake_verbs.access |= access;
	pthread_mutex_unlock(&nic_lock);
	m->mr.lkey = m->mr.rkey = NIC_RKEY_BASE + nic_enter((void **)nic_mrs, m);
	return m;
}

struct ibv_mr *ibv_reg_mr_iova2(struct ibv_pd *pd, void *addr, size_t length,
				uint64_t iova, unsigned int access)
{
	uint8_t *bytes = gpu_bytes(addr, length);

	if (nic_call_fails())
		return NULL;
	if (bytes && fake_verbs.no_peer) {
		errno = EFAULT;
		return NULL;
	}
	return &enter(pd, bytes ? bytes : addr, iova, length, access)->mr;
}

struct ibv_mr *ibv_reg_mr(struct ibv_pd *pd, void *addr, size_t length,
			  int access)
{
	return ibv_reg_mr_iova2(pd, addr, length, (uintptr_t)addr,
				(unsigned int)access);
}

struct ibv_mr *ibv_reg_dmabuf_mr(struct ibv_pd *pd, uint64_t offset,
				 size_t length, uint64_t iova, int fd,
				 int access)
{
	const uint64_t over = offset % (uint64_t)sysconf(_SC_PAGESIZE);
	struct nic_mr *m;
	void *mapping;

	if (nic_call_fails())
		return NULL;
	if (fake_verbs.no_dmabuf) {
		errno = EOPNOTSUPP;
		return NULL;
	}
	nic_misuse(iova % (uint64_t)sysconf(_SC_PAGESIZE) != over);
	mapping = mmap(NULL, length + over, PROT_READ | PROT_WRITE, MAP_SHARED,
		       fd, (off_t)(offset - over));
	if (mapping == MAP_FAILED)
		return NULL;
	m = enter(pd, (uint8_t *)mapping + over, iova, length,
		  (unsigned int)access);
	m->mapping = mapping;
	m->mapped = length + over;
	return &m->mr;
}

int ibv_dereg_mr(struct ibv_mr *mr)
{
	struct nic_mr *m = (struct nic_mr *)mr;

	nic_leave((void **)nic_mrs, mr->rkey - NIC_RKEY_BASE);
	nic_count(&fake_verbs.mrs, -1);
	if (m->mapping)
		munmap(m->mapping, m->mapped);
	free(mr);
	return 0;
}

static bool is_inside(const struct nic_dm *d, uint64_t offset, size_t length)
{
	nic_misuse(offset % DM_WORD || length % DM_WORD);
	return offset <= d->length && length <= d->length - offset;
}

/* A device's memory is never touched by two at once. */
static void copy_words(uint8_t *to, const uint8_t *from, size_t length)
{
	pthread_mutex_lock(&nic_lock);
	memcpy(to, from, length);
	pthread_mutex_unlock(&nic_lock);
}

static int copy_to(struct ibv_dm *dm, uint64_t offset, const void *from,
		   size_t length)
{
	struct nic_dm *d = (struct nic_dm *)dm;

	if (nic_call_fails() || !is_inside(d, offset, length))
		return EFAULT;
	copy_words(d->bytes + offset, from, length);
	return 0;
}

static int copy_from(void *to, struct ibv_dm *dm, uint64_t offset,
		     size_t length)
{
	struct nic_dm *d = (struct nic_dm *)dm;

	if (nic_call_fails() || !is_inside(d, offset, length))
		return EFAULT;
	copy_words(to, d->bytes + offset, length);
	return 0;
}

static struct ibv_dm *alloc_dm(struct ibv_context *context,
			       struct ibv_alloc_dm_attr *attr)
{
	struct nic_dm *d;

	if (nic_call_fails())
		return NULL;
	if (attr->length > fake_verbs.dm_size) {
		errno = ENOMEM;
		return NULL;
	}
	d = nic_create(sizeof(*d), &fake_verbs.dms);
	d->bytes = aligned_alloc(64, attr->length);
	if (!d->bytes)
		abort();
	memset(d->bytes, 0xee, attr->length);
	d->length = attr->length;
	d->dm.context = context;
	d->dm.memcpy_to_dm = copy_to;
	d->dm.memcpy_from_dm = copy_from;
	return &d->dm;
}

static int free_dm(struct ibv_dm *dm)
{
	free(((struct nic_dm *)dm)->bytes);
	free(dm);
	nic_count(&fake_verbs.dms, -1);
	return 0;
}

static struct ibv_mr *reg_dm_mr(struct ibv_pd *pd, struct ibv_dm *dm,
				uint64_t offset, size_t length,
				unsigned int access)
{
	struct nic_dm *d = (struct nic_dm *)dm;

	if (nic_call_fails())
		return NULL;
	if (!(access & IBV_ACCESS_ZERO_BASED)) {
		errno = EINVAL;
		return NULL;
	}
	return &enter(pd, d->bytes + offset, 0, length, access)->mr;
}

void nic_set_memory_ops(struct verbs_context *verbs)
{
	verbs->alloc_dm = alloc_dm;
	verbs->free_dm = free_dm;
	verbs->reg_dm_mr = reg_dm_mr;
}
