/*
 * The requester of an open loop: operations start when they are to, whether or
 * not those before have ended, and latency counts from when an operation was
 * to start.  So a device that stands still shows in all the operations that
 * had to wait for it, where a closed loop, which waits with it, sees one.
 */
#ifndef TRAFFIC_OPEN_LOOP_H
#define TRAFFIC_OPEN_LOOP_H

#include "traffic/flow.h"

#define OPEN_DEPTH_MAX 1024
#define OPEN_GAPS_BITS 12
#define OPEN_GAPS (1 << OPEN_GAPS_BITS)

struct open_loop {
	/* open_loop_init() */
	double interval;	/* mean, in ticks */
	bool poisson;
	uint32_t depth;		/* most operations under way */
	float gaps[OPEN_GAPS];	/* of Poisson arrivals, in mean intervals: the
				 * mean of each equal part of their
				 * distribution */
	/* the schedule */
	uint64_t start;		/* ticks; the first operation's */
	uint64_t number;	/* of the next operation */
	double offset;		/* when it is to start, from start on */
	uint64_t random;
	/* the operations */
	uint64_t due;		/* when the next is to start, in ticks */
	uint64_t left;		/* that count and are still to be started */
	bool measuring;		/* they count */
	bool over;		/* no more are started */
	uint32_t under_way;
	uint8_t *first_out;	/* flag_out of slot 0 */
	uint32_t posting;	/* place and count of the next to start ... */
	uint8_t posting_count;
	uint32_t awaited;	/* ... and of the oldest under way */
	uint8_t awaited_count;
	uint64_t starts[OPEN_DEPTH_MAX];	/* when those under way were to
						 * start; 0: not counted */
	/* what came out, beside the flow's */
	uint64_t late;		/* counted ones that began more than a mean
				 * interval after they were to */
};

/*
 * Make O the schedule of RATE operations a second (above 0), of which DEPTH (1
 * to OPEN_DEPTH_MAX) may be under way; a tick is NS_PER_TICK long.  They are to
 * start at equal intervals or, POISSON, at those of a Poisson process, the same
 * in every run.
 */
void open_loop_init(struct open_loop *o, double rate, bool poisson,
		    uint32_t depth, double ns_per_tick);

/* The first operation is to start at NOW, in ticks. */
void open_loop_begin(struct open_loop *o, uint64_t now);

/* After that: move O to the next operation, which is to start at o->due. */
void open_loop_advance(struct open_loop *o);

/*
 * Start operations on the first QP of F as f->open says.  One that is due while
 * depth are under way starts as soon as one of them has ended; those after it
 * are due when they would have been.
 *
 * READ ends when its completion is seen; SEND and WRITE when the answer of
 * latency_pong() is, which needs a receive for each that is under way and one
 * more, or f->slots of that number: message i goes to slot i mod depth and
 * carries in its last byte the low byte of a count, from 1, of the messages
 * that went there.  The caller clears those bytes at both ends, and passes a
 * barrier, before.  f->flag_in and f->flag_out are those of slot 0.
 *
 * When PHASE_MEASURE is seen the schedule begins anew, as what a warm-up could
 * not do would have to be done first, and operations count.  The loop starts
 * shape.iterations of them or, when that is 0, until PHASE_DRAIN, and waits for
 * those under way.  A sample goes from when the operation was to start to its
 * end.  opened is when the first one counted was to start, closed when one more
 * would have started, or when PHASE_DRAIN was seen: those that were to start
 * before and could not are given up.
 * Returns as bandwidth_run().
 */
int open_loop_run(struct flow *f, enum op op);

#endif
