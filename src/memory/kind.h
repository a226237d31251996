/* What each kind of memory for messages needs to be allocated, registered, and
 * read and written by the host; and functions that several kinds share. */
#pragma once

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"
#include "model/memory_choice.h"

struct allocation {
	/* set by the caller */
	struct memory_choice choice;
	const char *option;	/* what asked for it, for messages */
	struct ibv_context *context;	/* of the device that will use it */
	const char *device;	/* its name */
	bool paged;		/* the device faults pages in: --odp */
	uint64_t length;	/* bytes needed */
	/* set by allocate() */
	uint8_t *buffer;	/* page-aligned and zero; for memory that is
				 * copied, an address that the host must not
				 * access */
	uint64_t mapped;	/* bytes allocated */
	int fd;			/* of a dma-buf, or what is mapped; or -1 */
	uint64_t fd_offset;	/* of buffer in the dma-buf */
	void *own;		/* state of the kind */
	char text[MEMORY_TEXT_SIZE];	/* name for people; complete once it is
					 * registered */
	/* set by reg() where errno does not say enough; else "" */
	char why[200];
};

struct memory_ops {
	bool pageable;		/* the device can fault pages in */
	bool zero_based;	/* addresses in each MR begin at 0 */
	const char *advice;	/* when it cannot be registered; NULL: that of
				 * ibv_reg_mr */
	/* Returns 0, or a negative errno with the reason in ERR; free() in
	 * either case. */
	int (*allocate)(struct allocation *a, struct error *err);
	/* Register LENGTH bytes from OFFSET on in PD. NULL: refused, with
	 * errno. */
	struct ibv_mr *(*reg)(struct allocation *a, struct ibv_pd *pd,
			      uint64_t offset, uint64_t length,
			      unsigned int access);
	/* As struct copier (traffic/copier.h); NULL: the host reads and writes
	 * the memory itself. */
	const char *copy_verb;
	int (*in)(void *allocation, uint8_t *to, const void *from, uint64_t n);
	int (*out)(void *allocation, void *to, const uint8_t *from, uint64_t n);
	void (*free)(struct allocation *a);
};

/* reg() of memory that ibv_reg_mr(3) takes by its address. */
struct ibv_mr *memory_reg_plain(struct allocation *a, struct ibv_pd *pd,
				uint64_t offset, uint64_t length,
				unsigned int access);

/* reg() of a dma-buf, a->fd. */
struct ibv_mr *memory_reg_dmabuf(struct allocation *a, struct ibv_pd *pd,
				 uint64_t offset, uint64_t length,
				 unsigned int access);

/* Why A could not be registered: the reason that reg() gave, or else ERRNUM. */
const char *memory_why(const struct allocation *a, int errnum);

/* free() of what was mapped, and close a->fd. */
void memory_unmap(struct allocation *a);

/* Touch every page of A, which the host can write, so that it is allocated
 * now. */
void memory_touch(const struct allocation *a);

/* The release of this kernel, such as "6.1.0-18-amd64". */
const char *memory_kernel(char text[65]);

/* The row of KIND. */
const struct memory_ops *memory_ops_of(enum memory_kind kind);

extern const struct memory_ops memory_anonymous, memory_huge_pages,
	memory_shared, memory_file, memory_on_device, memory_udmabuf,
	memory_cuda, memory_hip;
