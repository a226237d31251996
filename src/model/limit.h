/* What the user demands of a result (--min-gbps, ...), held against it. */
#ifndef MODEL_LIMIT_H
#define MODEL_LIMIT_H

#include <stdbool.h>
#include <stdint.h>

#include "model/result.h"

/* One limit at one message size. */
struct limit_verdict {
	const char *name;	/* of the option, without its dashes */
	const char *unit;	/* "Gb/s", "Mpps", "us" or "%" */
	double asked;
	double seen;		/* NAN: could not be judged, and so not met */
	uint64_t size;
	uint32_t qps;
	bool reached;		/* the run came to that size */
	bool met;
	char reason[80];	/* why it could not be judged; else empty */
};

/*
 * Every limit of R at every size that was asked for, limit by limit, into
 * *LIST on the heap (free(3) it, were there none); returns how many.  There are
 * none at a server, whose client judges, and of a check, which measures
 * nothing.
 *
 * A limit is met by exactly what was asked for, and compares the number that
 * the table shows, before it is rounded: of two directions their sum, of UC and
 * UD what the receiver counted.
 */
uint32_t limit_judge(const struct result *r, struct limit_verdict **list);

/* How many of the N of LIST were not met. */
uint32_t limit_count_unmet(const struct limit_verdict *list, uint32_t n);

#endif
