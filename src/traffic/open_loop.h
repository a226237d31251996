/*
 * The requester of an open loop.  Operations start on schedule, whether or not
 * earlier ones have ended, and latency counts from the scheduled start.  So a
 * stalled device delays every operation scheduled meanwhile; a closed loop
 * stalls along with the device and sees one slow operation.
 */
#pragma once

#include "traffic/flow.h"

#define OPEN_DEPTH_MAX 1024
#define OPEN_GAPS_BITS 12
#define OPEN_GAPS (1 << OPEN_GAPS_BITS)

struct open_loop {
	/* set by open_loop_init() */
	double interval;	/* mean, in ticks */
	bool poisson;
	uint32_t depth;		/* maximum operations outstanding */
	float gaps[OPEN_GAPS];	/* of Poisson arrivals, in mean intervals: one
				 * mean for each of OPEN_GAPS equally likely
				 * ranges */
	/* the schedule */
	uint64_t start;		/* of the first operation, in ticks */
	uint64_t number;	/* of the next operation, from 0 */
	double offset;		/* ticks from start to the next operation */
	uint64_t random;
	/* the operations */
	uint64_t due;		/* start of the next operation, in ticks */
	uint64_t left;		/* measured operations not yet started */
	bool measuring;		/* operations started now are measured */
	bool over;		/* start no more operations */
	uint32_t under_way;
	uint8_t *first_out;	/* flag_out of slot 0 */
	uint32_t posting;	/* slot of the next operation to start */
	uint8_t posting_count;	/* its count */
	uint32_t awaited;	/* slot of the oldest outstanding operation */
	uint8_t awaited_count;	/* its count */
	uint64_t starts[OPEN_DEPTH_MAX];	/* scheduled start by slot, in
						 * ticks; 0: not measured */
	/* results, beyond the flow's */
	uint64_t late;		/* measured operations started more than a mean
				 * interval late */
};

/*
 * Make O the schedule of RATE operations a second (above 0), with at most DEPTH
 * (1 to OPEN_DEPTH_MAX) outstanding; a tick lasts NS_PER_TICK ns.  Intervals
 * are equal or, if POISSON, those of a Poisson process, the same in every run.
 */
void open_loop_init(struct open_loop *o, double rate, bool poisson,
		    uint32_t depth, double ns_per_tick);

/* Begin the schedule: the first operation starts at NOW, in ticks. */
void open_loop_begin(struct open_loop *o, uint64_t now);

/* Move O to the next operation, which starts at o->due. */
void open_loop_advance(struct open_loop *o);

/*
 * Start operations on the first QP of F on the schedule f->open.  An operation
 * that is due while depth operations are outstanding starts as soon as one of
 * them ends.  That delay does not move the schedule of later ones.
 *
 * READ ends when the loop finds its completion; SEND and WRITE end when the
 * loop finds latency_pong()'s answer.  An operation that consumes receives
 * needs depth + 1 of them.  Plain WRITE needs depth pingpong.slots: message i
 * goes to slot i mod depth, and its last byte is the low byte of that slot's
 * message count, from 1.  Before the call, the caller clears those bytes at
 * both ends and passes a barrier.  pingpong.flag_in and flag_out are those of
 * slot 0.
 *
 * At PHASE_MEASURE the schedule begins anew, so that a backlog of the warm-up
 * is not measured, and operations count.  The loop starts shape.iterations
 * operations or, when that is 0, goes on until PHASE_DRAIN.  Then it waits for
 * the outstanding ones.  A sample lasts from an operation's scheduled start to
 * its end.  opened is the scheduled start of the first operation measured.
 * closed is when one more operation would have started, or when the loop saw
 * PHASE_DRAIN; operations that were due by then but had no room are dropped.
 * Returns as bandwidth_run().
 */
int open_loop_run(struct flow *f, enum op op);
