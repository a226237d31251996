/* The memory that messages are sent from and arrive in, registered. */
#ifndef VERBS_MEMORY_H
#define VERBS_MEMORY_H

#include <infiniband/verbs.h>
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"
#include "model/plan.h"
#include "verbs/device.h"

struct memory {
	uint8_t *buffer;	/* zeroed, on a page boundary */
	uint64_t length;	/* of buffer, in bytes */
	uint64_t mapped;	/* the same in whole pages */
	uint64_t part;		/* bytes of buffer that each MR covers */
	struct ibv_mr **mrs;	/* of the parts, in their order */
	uint32_t n_mrs;
};

/* Huge pages of the default size, as /proc/meminfo has them. */
struct huge_pages {
	uint64_t size;		/* bytes of each; 0: the kernel has none */
	uint64_t total;
	uint64_t available;	/* neither in use nor promised to anybody */
};

/*
 * Map what PLAN needs at this end (CLIENT says which), in huge pages if it says
 * so: fresh pages, so that nothing else is in them.  Register it with PD, each
 * of the plan's regions for its own access and no other, as one memory region
 * or by --mr-per-qp as one for each queue pair.  Pages are there when it
 * returns, where the policy of the calling process puts them; but with --odp
 * the device fetches each when it needs it.  Returns 0, or a negative errno
 * with what was refused in ERR and nothing left behind.  memory_destroy() it.
 */
int memory_create(const struct device *device, struct ibv_pd *pd,
		  const struct plan *plan, bool client, struct memory *memory,
		  struct error *err);

/* Release all of it; members that are NULL are skipped. */
void memory_destroy(struct memory *memory);

/* The memory region that the byte at ADDRESS, which is in the buffer, belongs
 * to. */
struct ibv_mr *memory_mr(const struct memory *memory, uint64_t address);

/* What MEMINFO, in the format of /proc/meminfo, says of huge pages; zero what
 * it does not say. */
void memory_huge_pages(FILE *meminfo, struct huge_pages *pages);

#endif
