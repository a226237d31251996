/* How long the traffic of a client may take that says nothing while it runs.
 * Pure. */
#pragma once

#include <stdint.h>

#include "model/plan.h"

/*
 * The time, in ns, in which a client of perftest's that works has sent or read
 * its messages of PLAN, of SIZE bytes or, with all sizes in one round, up to
 * SIZE: twice its duration, or what a port of RATE_MBPS (0: unknown) needs for
 * them at a thousandth of its rate, and a little for each message.  At most
 * twice PLAN_LONGEST.
 */
uint64_t traffic_time(const struct plan *plan, uint64_t size,
		      uint32_t rate_mbps);
