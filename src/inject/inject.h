/*
 * Provokes faults on purpose.  The plan's inject names a case (model/inject.h).
 * A small function changes one thing of this session at one of the points
 * below; then the ordinary test runs and fails in the ordinary way.
 *
 * It is harmless by construction: it changes only the verbs objects, keys and
 * work requests of this session, never what the program itself reads or writes,
 * so the device refuses the operation.  Even so, a server accepts it only with
 * --allow-inject.  Numbers and addresses that must lead nowhere are fixed
 * values that nobody has, so they never hit a neighbour.
 */
#ifndef INJECT_INJECT_H
#define INJECT_INJECT_H

#include "run/run.h"

/* XORed into a key, gives a key of the same region that was not handed out. */
#define INJECT_KEY 0x55U

enum inject_point {
	INJECT_AT_NOWHERE,
	INJECT_AT_CREATED,	/* verbs objects created, QPs in INIT */
	INJECT_AT_ENDPOINT,	/* peer known, no receive posted yet */
	INJECT_AT_CONNECTED,	/* QPs in RTS, receives posted */
	INJECT_AT_REACHED,	/* likewise, and on UC and UD each end has
				 * proved its address */
	INJECT_AT_PREPARED,	/* per size: requests prepared, not posted */
	INJECT_AT_RUNNING,	/* the other end may send, loops are about to
				 * begin */
};

/* Apply the fault of the plan at this end and POINT, if there is one.  Returns
 * 0, or a negative errno with the reason in the result's error. */
int inject_at(struct run *run, enum inject_point point);

/* Faults in verbs objects (inject_objects.c).  They return as inject_at(). */

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

/* Faults in completion queues (inject_queues.c).  They return as inject_at(). */

/* Give the completion queues of receives room for hardly any. */
int inject_small_queues(struct run *run);

/* Resize the completion queues of receives now, and again whenever a loop finds
 * none there. */
int inject_resizes(struct run *run);

/* Faults in prepared sends (inject_requests.c).  They return as inject_at(). */
int inject_first_lkey(struct run *run);
int inject_halve_atomics(struct run *run);
int inject_longer_than_mtu(struct run *run);
int inject_many_pieces(struct run *run);
int inject_much_inline(struct run *run);

#endif
