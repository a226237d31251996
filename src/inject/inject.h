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
#pragma once

#include "run/run.h"

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
