#define _GNU_SOURCE
#include "memory.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define PIECES 256
#define GPU_PAGE 65536

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int users;
static struct piece {
	uint8_t *address;	/* PROT_NONE; NULL: free */
	uint8_t *bytes;		/* the same memory */
	size_t size;
	int fd;
} pieces[PIECES];

bool standin_fails(const char *call)
{
	const char *fault = getenv("STANDIN_FAULT");

	return fault && !strcmp(fault, call);
}

/* The piece that has all of the N bytes at ADDRESS; NULL: none. */
static struct piece *find(uint64_t address, size_t n)
{
	for (int i = 0; i < PIECES; i++) {
		uint64_t start = (uintptr_t)pieces[i].address;

		if (start && address >= start && n <= pieces[i].size &&
		    address - start <= pieces[i].size - n)
			return &pieces[i];
	}
	return NULL;
}

void *standin_memory(uint64_t address, size_t n)
{
	struct piece *p;
	void *bytes;

	pthread_mutex_lock(&lock);
	p = find(address, n);
	bytes = p ? p->bytes + (address - (uintptr_t)p->address) : NULL;
	pthread_mutex_unlock(&lock);
	return bytes;
}

void standin_use(int by)
{
	pthread_mutex_lock(&lock);
	users += by;
	pthread_mutex_unlock(&lock);
}

int standin_alive(void)
{
	int n;

	pthread_mutex_lock(&lock);
	n = users;
	for (int i = 0; i < PIECES; i++)
		n += pieces[i].address != NULL;
	pthread_mutex_unlock(&lock);
	return n;
}

/* Addresses for SIZE bytes; those around them stay reserved. */
static uint8_t *reserve(size_t size)
{
	uint8_t *all = mmap(NULL, size + GPU_PAGE, PROT_NONE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1,
			    0);
	size_t over = (uintptr_t)all % GPU_PAGE;

	return all == MAP_FAILED ? NULL : all + (over ? GPU_PAGE - over : 0);
}

static bool map(struct piece *p, size_t size)
{
	uint8_t *at = reserve(size);

	p->fd = memfd_create("standin", MFD_CLOEXEC);
	if (!at || p->fd < 0 || ftruncate(p->fd, (off_t)size))
		return false;
	p->size = size;
	p->bytes = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, p->fd,
			0);
	if (p->bytes == MAP_FAILED ||
	    mmap(at, size, PROT_NONE, MAP_SHARED | MAP_FIXED, p->fd, 0) != at)
		return false;
	p->address = at;
	return true;
}

uint64_t standin_allocate(size_t size)
{
	struct piece *p = pieces;
	bool mapped = false;

	pthread_mutex_lock(&lock);
	while (p->address)
		if (++p == pieces + PIECES)
			abort();
	if (size <= LIMIT)
		mapped = map(p, size);
	pthread_mutex_unlock(&lock);
	if (!mapped)
		return 0;
	/* what was there before is not zero */
	memset(p->bytes, 0xee, size);
	return (uintptr_t)p->address;
}

void standin_free(uint64_t address)
{
	struct piece *p;

	pthread_mutex_lock(&lock);
	p = find(address, 1);
	if (!p || (uintptr_t)p->address != address)
		abort();
	munmap(p->address, p->size);
	munmap(p->bytes, p->size);
	close(p->fd);
	p->address = NULL;
	pthread_mutex_unlock(&lock);
}

int standin_export(uint64_t address, size_t size)
{
	const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	struct piece *p;
	int fd;

	if (getenv("STANDIN_NO_DMABUF") || address % page || size % page)
		return -1;
	pthread_mutex_lock(&lock);
	p = find(address, size);
	fd = p && address == (uintptr_t)p->address ? dup(p->fd) : -1;
	pthread_mutex_unlock(&lock);
	return fd;
}

static const char *const addresses[DEVICES] = { "0000:19:00.0",
						"0000:1a:00.0" };

bool standin_address(int device, char *address, int size)
{
	return device >= 0 && device < DEVICES &&
	       snprintf(address, (size_t)size, "%s", addresses[device]) < size;
}

bool standin_at(const char *address, int *device)
{
	for (*device = 0; *device < DEVICES; ++*device)
		if (!strcmp(addresses[*device], address))
			return true;
	return false;
}
