/*
 * Limits how many messages a loop may have posted by now.  The schedule counts
 * from the start of the run, so a delay is caught up and rounding errors do not
 * add up.
 */
#pragma once

#include <stdint.h>

/* A loop may fall behind its schedule by this much, or by the messages that its
 * queues hold if those are more.  Messages beyond are given up: the device is
 * too slow, or the machine stalled. */
#define PACE_SLACK_NS 10000000

struct pacer {
	double bursts;		/* bursts per tick; 0: not paced */
	uint64_t burst;		/* messages per burst */
	uint64_t slack;		/* maximum messages behind schedule */
	uint64_t start;		/* ticks */
	uint64_t lost;		/* messages of the schedule given up */
};

/*
 * Make P a pacer of MESSAGES a second (above 0) in bursts of BURST messages
 * (above 0), for queues that hold QUEUED messages in total; a tick lasts
 * NS_PER_TICK ns.
 */
void pace_init(struct pacer *p, double messages, uint64_t burst,
	       uint64_t queued, double ns_per_tick);

/* Begin the schedule at NOW, in ticks; the first burst is due one interval
 * later. */
static inline void pace_begin(struct pacer *p, uint64_t now)
{
	p->start = now;
	p->lost = 0;
}

/*
 * Messages that may have been posted by NOW, in whole bursts; POSTED have been
 * posted.  If the loop is behind by more than the slack, the rest is given up,
 * so that no flood follows a stall.
 */
static inline uint64_t pace_due(struct pacer *p, uint64_t now, uint64_t posted)
{
	double bursts = (double)(now - p->start) * p->bursts;
	uint64_t due = (uint64_t)bursts * p->burst - p->lost;

	if (__builtin_expect(due > posted + p->slack, 0)) {
		uint64_t beyond = due - posted - p->slack;

		beyond = beyond / p->burst * p->burst;
		p->lost += beyond;
		due -= beyond;
	}
	return due;
}
