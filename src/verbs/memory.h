/* The registered memory that messages are sent from and arrive in. */
#pragma once

#include <infiniband/verbs.h>
#include <stdint.h>

#include "base/error.h"
#include "memory/kind.h"
#include "model/memory_choice.h"
#include "model/plan.h"
#include "traffic/copier.h"
#include "verbs/advice.h"
#include "verbs/device.h"

struct memory {
	uint8_t *buffer;	/* zeroed, page-aligned; not to be touched by
				 * the host if there is a copier */
	uint64_t length;	/* bytes of buffer */
	uint64_t part;		/* bytes of buffer per MR */
	struct ibv_mr **mrs;	/* in the order of the parts */
	uint32_t n_mrs;
	const struct memory_ops *ops;
	struct allocation *allocation;	/* on the heap */
	struct copier *copier;	/* NULL: the host reads and writes it */
};

/*
 * Allocate the memory that PLAN needs at this end (CLIENT says which), of the
 * kind CHOICE or, where that is the default, in huge pages if PLAN asks for
 * them.  It is zeroed.  Register each of the plan's regions in PD with exactly
 * the access it needs, as one memory region or, with --mr-per-qp, one per queue
 * pair.  Pages are allocated on return, where the memory policy of the calling
 * process places them; with --odp the device faults in each one when it needs
 * it.  Returns 0, or a negative errno with what was refused in ERR and nothing
 * left behind.  memory_destroy() it.
 */
int memory_create(const struct device *device, struct ibv_pd *pd,
		  const struct plan *plan, bool client,
		  const struct memory_choice *choice, struct memory *memory,
		  struct error *err);

/* What to try when DEVICE refused, with ERRNUM, to register memory of OPS; NULL
 * if nothing is known.  TEXT as of verb_advice(). */
const char *memory_advice(const struct device *device,
			  const struct memory_ops *ops, int errnum,
			  char text[VERB_ADVICE_SIZE]);

/* Release all of MEMORY; members that are NULL are skipped. */
void memory_destroy(struct memory *memory);

/* The memory region that covers ADDRESS, which must be in the buffer. */
struct ibv_mr *memory_mr(const struct memory *memory, const uint8_t *address);

/* The address by which the device knows ADDRESS, which must be in the
 * buffer. */
uint64_t memory_address(const struct memory *memory, const uint8_t *address);
