/*
 * How many messages the peer has receives for.  On iWARP a message that finds
 * none ends the connection: nothing is sent again.  So the end that receives
 * writes how many receives it has posted on a queue pair, in all, to the memory
 * of the end that sends, which posts no more messages than that.
 */
#pragma once

#include "traffic/flow.h"

/* Most writes of a queue pair that are not complete. */
#define ALLOWANCE_WRITES 8

/* Of a queue pair, at either end. */
struct allowance {
	/* big-endian; the first is written by the peer, and the second to the
	 * peer's first */
	_Alignas(CACHE_LINE) uint64_t theirs;
	uint64_t ours;
	uint64_t told;		/* what was written last */
	uint64_t step;		/* receives between two writes; 0: the peer
				 * knows of none */
	uint32_t waiting;	/* writes that are not complete */
	struct ibv_sge sge;	/* of ours */
	uint64_t remote;	/* address of the peer's first */
	uint32_t rkey;
};

_Static_assert(sizeof(struct allowance) == 2 * CACHE_LINE,
	       "the distance is part of the protocol");

/* Tell the peer of Q, after a receive of R was posted, if that is due.  Returns
 * 0 or a negative errno, noted in F. */
int allowance_tell(struct flow *f, struct flow_qp *q,
		   const struct flow_receives *r);

/* Take the completions of such writes out of the N at WC.  Returns how many are
 * left, or a negative errno. */
int allowance_retire(struct flow *f, struct ibv_wc *wc, int n);

/* Read what the peers have told.  True when there is room for more messages. */
bool allowance_grew(struct flow *f);
