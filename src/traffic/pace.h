/*
 * How many messages may have been sent by now.  The schedule is absolute, from
 * the start of the run: what is late once is not late for ever, and no rounding
 * adds up.
 */
#ifndef TRAFFIC_PACE_H
#define TRAFFIC_PACE_H

#include <stdint.h>

/* A loop that is further behind than that much of the schedule, and than all
 * its queues hold, has lost what is beyond: the device is too slow, or the
 * machine stood still. */
#define PACE_SLACK_NS 10000000

struct pacer {
	double bursts;		/* a tick; 0: nothing is paced */
	uint64_t burst;		/* messages */
	uint64_t slack;		/* most messages it may be behind */
	uint64_t start;		/* ticks */
	uint64_t lost;		/* messages of the schedule given up */
};

/*
 * Make P a pacer of MESSAGES a second (above 0) in bursts of BURST (likewise),
 * for queues that hold QUEUED messages together; a tick is NS_PER_TICK long.
 */
void pace_init(struct pacer *p, double messages, uint64_t burst,
	       uint64_t queued, double ns_per_tick);

/* The schedule begins at NOW, in ticks: a burst is due one interval later. */
static inline void pace_begin(struct pacer *p, uint64_t now)
{
	p->start = now;
	p->lost = 0;
}

/*
 * Messages that may have been posted by NOW, where POSTED have been: whole
 * bursts of the schedule.  Beyond the slack the schedule moves on, so that
 * there is no flood to make up for what a slow device did not take.
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

#endif
