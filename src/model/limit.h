/* Compares a result with what the user demands of it (--min-gbps, ...). */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "model/result.h"

/* One limit at one message size. */
struct limit_verdict {
	const char *name;	/* option name without dashes */
	const char *counter;	/* --max-counter: which; else NULL */
	const char *end;	/* --max-counter: where it was seen, "client" or
				 * "server"; else NULL */
	const char *unit;	/* "Gb/s", "Mpps", "us", "%", or "" */
	double percent;		/* asked of what the port carries; NAN: a value
				 * was asked */
	double asked;		/* NAN: the port's rate is not known */
	double seen;		/* NAN: could not be judged, counts as unmet */
	const struct interval *interval;	/* of R, the slowest; else
						 * NULL */
	const struct timeline *timeline;	/* of R, where INTERVAL is */
	uint32_t row;		/* of R, in the order of the sizes */
	uint64_t size;
	uint32_t qps;		/* 0: a test of the control path */
	bool reached;		/* the run got to that size */
	bool met;
	char reason[80];	/* why it could not be judged; else empty */
};

/*
 * Judge every limit of R at every requested size, limit by limit.  *LIST is on
 * the heap; free(3) it.  Returns the number of verdicts.  There are none at a
 * server, because the client judges, and none for --check, which measures
 * nothing; *LIST is then NULL.
 *
 * A value exactly at the limit meets it.  The value is the one in the table
 * before rounding: the sum of both directions, for UC and UD what the receiver
 * counted, and of a counter the rise at the end where it is larger.  An
 * interval is one of the slower direction.
 */
uint32_t limit_judge(const struct result *r, struct limit_verdict **list);

/* Number of unmet limits among the N of LIST. */
uint32_t limit_count_unmet(const struct limit_verdict *list, uint32_t n);

/* goodput.c: what of a link's rate is left for messages. */

/*
 * Gb/s of messages of SIZE bytes that the slower port of R, of those whose rate
 * is known, carries in one direction: its rate without the headers of packets
 * of the path's MTU (InfiniBand Architecture Specification, volume 1, chapter
 * 9.2 and annex A17), and without acknowledgements.  NAN: no rate is known, no
 * path, or it is iWARP.
 *
 * InfiniBand's rates up to QDR, 2.5, 5 and 10 Gb/s a lane, and FDR's 14 are
 * what is signalled: the code, 8b/10b and 64b/66b (of 14.0625 Gb/s), leaves 2,
 * 4, 8 and 13.64.  FDR10, EDR and faster are named by what is left of 10.3125,
 * 25.78125 ... Gb/s, and so are Ethernet's rates.
 */
double goodput_gbps(const struct result *r, uint64_t size);
