/*
 * The faults that take more than a few lines, by what they change; inject.c has
 * the table that says which of them is a case.  They return 0, or a negative
 * errno with the reason in the result's error.
 */
#pragma once

#include "run/run.h"

/* XORed into a key, gives a key of the same region that was not handed out. */
#define INJECT_KEY 0x55U

/* In verbs objects (inject_objects.c). */

/* Register this end's memory again with its access flags except WITHOUT (enum
 * ibv_access_flags).  The old keys become invalid. */
int inject_memory(struct run *run, int without);

/* Register it again in a protection domain other than the QPs'. */
int inject_other_domain(struct run *run);

/*
 * Create a type 2 memory window on this end's memory (ibv_alloc_mw(3)), and
 * give the peer its rkey instead of the region's.  The first QP binds it once
 * it can, and invalidates it.
 */
int inject_memory_window(struct run *run);
int inject_bind_memory_window(struct run *run);
int inject_invalidate_memory_window(struct run *run);

/* Move all QPs to RESET, to ERR, or through RESET to INIT without remote
 * access. */
int inject_state(struct run *run, enum ibv_qp_state state);

/* Take all access from the peer; the QPs must be in INIT. */
int inject_no_access(struct run *run);

/* In the queues of receives (inject_queues.c). */

/* Say that VERB refused with ERRNUM, of either sign, what provokes the fault.
 * Returns a negative errno. */
int inject_refused(struct run *run, const char *verb, int errnum);

/* Changes one receive that is prepared. */
typedef void inject_change_receive(struct run *run, struct flow_receive *r);

/* Change all of them. */
void inject_change_receives(struct run *run, inject_change_receive *change);

/* Give the completion queues of receives room for hardly any. */
int inject_small_queues(struct run *run);

/* Resize the completion queues of receives now, and again whenever a loop finds
 * none there. */
int inject_resizes(struct run *run);
