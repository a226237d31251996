/* The registered memory that messages are sent from and arrive in. */
#ifndef VERBS_MEMORY_H
#define VERBS_MEMORY_H

#include <infiniband/verbs.h>
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"
#include "model/plan.h"
#include "verbs/device.h"

struct memory {
	uint8_t *buffer;	/* zeroed, page-aligned */
	uint64_t length;	/* bytes of buffer */
	uint64_t mapped;	/* bytes mapped, in whole pages */
	uint64_t part;		/* bytes of buffer per MR */
	struct ibv_mr **mrs;	/* in the order of the parts */
	uint32_t n_mrs;
};

/* Huge pages of the default size, from /proc/meminfo. */
struct huge_pages {
	uint64_t size;		/* bytes per page; 0: unsupported */
	uint64_t total;
	uint64_t available;	/* neither in use nor reserved */
};

/*
 * Map the memory that PLAN needs at this end (CLIENT says which), in huge pages
 * if it asks for them.  The pages are fresh, so they hold no other data.
 * Register each of the plan's regions in PD with exactly the access it needs,
 * as one memory region or, with --mr-per-qp, one per queue pair.  The pages are
 * allocated on return, where the memory policy of the calling process places
 * them; with --odp the device faults in each one when it needs it.  Returns 0,
 * or a negative errno with what was refused in ERR and nothing left behind.
 * memory_destroy() it.
 */
int memory_create(const struct device *device, struct ibv_pd *pd,
		  const struct plan *plan, bool client, struct memory *memory,
		  struct error *err);

/* Release all of MEMORY; members that are NULL are skipped. */
void memory_destroy(struct memory *memory);

/* The memory region that covers ADDRESS, which must be in the buffer. */
struct ibv_mr *memory_mr(const struct memory *memory, uint64_t address);

/* Read the huge page counts from MEMINFO, which has the format of
 * /proc/meminfo.  Missing counts are zero. */
void memory_huge_pages(FILE *meminfo, struct huge_pages *pages);

#endif
