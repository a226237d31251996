/*
 * A run cut into intervals: whether its rate was steady, and how far its mean
 * can be trusted.  Constant in memory: when a log is full, neighbours are
 * joined, and from then on intervals are twice as long.
 */
#ifndef STATS_INTERVALS_H
#define STATS_INTERVALS_H

#include <stdint.h>

#include "stats/summary.h"

/* Fewer than so many intervals say nothing about a mean. */
#define INTERVALS_LEAST 10
/* The shortest, in ns, unless the user chooses. */
#define INTERVALS_SHORTEST 100000000ULL

struct interval {
	uint64_t start_ns;	/* since the window opened */
	uint64_t length_ns;
	uint64_t messages;	/* completed in it */
};

/* An edge between two intervals: a time in any unit, and a running count. */
struct mark {
	uint64_t time;
	uint64_t messages;
};

struct interval_log {
	struct mark *marks;	/* marks[0] is the opening of the window */
	uint32_t n;		/* of marks; 0: not open yet */
	uint32_t max;		/* intervals; even, 4 or more */
	uint32_t every;		/* of so many marks offered one is kept */
	uint32_t skipped;	/* since the last that was kept */
};

/* A log that holds up to MAX intervals (one less when that is odd, 4 at
 * least); intervals_free() it. */
void intervals_init(struct interval_log *log, uint32_t max);
void intervals_free(struct interval_log *log);

/* The window opens: forget what was. */
void intervals_open(struct interval_log *log, struct mark at);

/* An edge has come.  One that is not after the last is no edge, and before the
 * window opens there is none. */
void intervals_mark(struct interval_log *log, struct mark at);

/*
 * The window closes, and no marks follow.  What is left after the last edge
 * becomes an interval, or part of the last one when it is less than half as
 * long as that.  Edges not before AT are dropped, so that the intervals are
 * all of the window and nothing else.
 */
void intervals_close(struct interval_log *log, struct mark at);

/*
 * Join neighbours until there are at most MOST intervals (1 or more).  A last
 * one without a neighbour stays, or joins the one before as when closing.
 */
void intervals_join(struct interval_log *log, uint32_t most);

/*
 * The intervals of LOG, whose unit of time is NS_PER_UNIT ns, on the heap;
 * their number in *N.  Each begins where the one before ended.  NULL when
 * there are none.
 */
struct interval *intervals_get(const struct interval_log *log,
			       double ns_per_unit, uint32_t *n);

/* The rate of one interval of messages of SIZE bytes. */
struct bandwidth_summary interval_bandwidth(const struct interval *interval,
					    uint64_t size);

/*
 * Set peak_gbps and ci95_gbps of B from N intervals of messages of SIZE bytes:
 * the best one's rate, and mean -+ t s / sqrt(n) of the intervals' rates.
 * NAN for fewer than INTERVALS_LEAST.
 */
void intervals_summarise(const struct interval *intervals, uint32_t n,
			 uint64_t size, struct bandwidth_summary *b);

/* Student's t for 97.5% and DF degrees of freedom, to 0.001 from 9 on. */
double intervals_t975(uint32_t df);

#endif
