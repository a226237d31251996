/*
 * A run cut into intervals.  They show whether its rate was steady and how far
 * its mean can be trusted.  Memory is constant: when a log is full, neighbours
 * are joined, and later intervals are twice as long.
 */
#pragma once

#include <stdint.h>

#include "stats/summary.h"

/* Fewer intervals than this say nothing about a mean. */
#define INTERVALS_LEAST 10
/* As many as a run has, unless they were too short. */
#define INTERVALS_USUAL 30
/* The shortest interval, in ns, unless the user chooses one. */
#define INTERVALS_SHORTEST 100000000ULL

struct interval {
	uint64_t start_ns;	/* since the window opened */
	uint64_t length_ns;
	uint64_t messages;	/* counted in it */
};

/* An edge between two intervals: a time in any unit, and a running count. */
struct mark {
	uint64_t time;
	uint64_t messages;
};

struct interval_log {
	struct mark *marks;	/* marks[0] is the opening of the window */
	uint32_t n;		/* number of marks; 0: not open yet */
	uint32_t max;		/* maximum intervals; even, 4 or more */
	uint32_t every;		/* marks offered per mark kept */
	uint32_t skipped;	/* marks since the last one kept */
};

/* Make LOG hold up to MAX intervals, rounded down to an even number, at least
 * 4.  The caller calls intervals_free(). */
void intervals_init(struct interval_log *log, uint32_t max);
void intervals_free(struct interval_log *log);

/* Open the window AT this mark, and forget all earlier marks. */
void intervals_open(struct interval_log *log, struct mark at);

/* Add an edge.  It is ignored if it is not later than the last one kept, or if
 * the window is not open. */
void intervals_mark(struct interval_log *log, struct mark at);

/*
 * Close the window; no marks follow.  The rest after the last edge becomes an
 * interval or, if it is shorter than half the last interval, part of that one.
 * Edges not before AT are dropped, so that the intervals cover exactly the
 * window.
 */
void intervals_close(struct interval_log *log, struct mark at);

/*
 * Join neighbours until there are at most MOST intervals (1 or more).  A last
 * interval without a neighbour stays or, if short, joins the previous one as
 * in intervals_close().
 */
void intervals_join(struct interval_log *log, uint32_t most);

/*
 * The intervals of LOG, whose unit of time is NS_PER_UNIT ns; their number goes
 * to *N.  Each begins where the previous one ended.  Returns an array that the
 * caller passes to free(3), or NULL when there are no intervals.
 */
struct interval *intervals_get(const struct interval_log *log,
			       double ns_per_unit, uint32_t *n);

/* The rate of one interval, with messages of SIZE bytes. */
struct bandwidth_summary interval_bandwidth(const struct interval *interval,
					    uint64_t size);

/*
 * Set peak_gbps, least_gbps and ci95_gbps of B from N intervals with messages
 * of SIZE bytes: the highest rate, and mean -+ t s / sqrt(n) of the intervals'
 * rates. Both are NAN for fewer than INTERVALS_LEAST intervals.
 */
void intervals_summarise(const struct interval *intervals, uint32_t n,
			 uint64_t size, struct bandwidth_summary *b);

/* Student's t for 97.5% and DF degrees of freedom; to 0.001 for DF of 9 up. */
double intervals_t975(uint32_t df);
