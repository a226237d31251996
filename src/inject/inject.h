/*
 * Faults that are provoked on purpose: the plan's inject names a case
 * (model/inject.h), a small function spoils one thing of this session's at one
 * of the points below, and the ordinary test runs, and fails in the ordinary
 * way.
 *
 * It is harmless by construction: only the verbs objects, keys and work
 * requests of this session are changed, never where this program itself reads
 * or writes, so that the device refuses them.  Still a server takes it only
 * when it was started with --allow-inject.  Numbers and addresses that are to
 * lead nowhere are fixed ones which nobody has, and not a neighbour's.
 */
#ifndef INJECT_INJECT_H
#define INJECT_INJECT_H

#include "run/run.h"

/* Turns a key into one of the same region that was not given out. */
#define INJECT_KEY 0x55U

enum inject_point {
	INJECT_AT_NOWHERE,
	INJECT_AT_CREATED,	/* verbs objects made, QPs in INIT */
	INJECT_AT_ENDPOINT,	/* the peer's known, no receive posted yet */
	INJECT_AT_CONNECTED,	/* QPs in RTS, receives posted */
	INJECT_AT_REACHED,	/* over UC and UD: the same, and each end has
				 * proved that it is where it says */
	INJECT_AT_PREPARED,	/* of a size: requests made, not posted */
	INJECT_AT_RUNNING,	/* the other end may send, loops begin after */
};

/* Spoil what the plan says for this end at POINT; mostly nothing.  Returns 0
 * or a negative errno, said in the result's error. */
int inject_at(struct run *run, enum inject_point point);

/* What spoils verbs objects (inject_objects.c); returned as by inject_at(). */

/* This end's memory, registered anew for what it was but WITHOUT (enum
 * ibv_access_flags); its old keys are dead. */
int inject_memory(struct run *run, int without);

/* The same in a protection domain that is not the QPs'. */
int inject_other_domain(struct run *run);

/*
 * A window of type 2 on this end's memory (ibv_alloc_mw(3)), whose rkey the
 * peer is told in place of the region's; the first QP binds it once it can,
 * and invalidates it.
 */
int inject_memory_window(struct run *run);
int inject_bind_memory_window(struct run *run);
int inject_invalidate_memory_window(struct run *run);

/* All QPs to RESET, INIT or ERR, as if they had never left it. */
int inject_state(struct run *run, enum ibv_qp_state state);

/* All QPs, which are in INIT, let the peer do nothing. */
int inject_no_access(struct run *run);

/* What spoils prepared sends (inject_requests.c), likewise. */
int inject_first_lkey(struct run *run);
int inject_halve_atomics(struct run *run);
int inject_longer_than_mtu(struct run *run);
int inject_many_pieces(struct run *run);
int inject_much_inline(struct run *run);

#endif
