/* What the counters of NICs mean, by whatever name a driver gives them.  Pure:
 * host/counters.h reads them. */
#ifndef MODEL_COUNTER_TABLE_H
#define MODEL_COUNTER_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a rise of a counter of this kind means for a run. */
enum counter_kind {
	COUNTER_TRAFFIC,	/* nothing: it counts what passes */
	COUNTER_CONGESTION,	/* a rate was held back; nothing was lost */
	COUNTER_TROUBLE,	/* something was lost, damaged, repeated or
				 * refused */
};

struct counter_row {
	/*
	 * The names that drivers give it, with a bar between them.  "netdev."
	 * and "ethtool." are as in host/counters.h; '#' stands for a number,
	 * and a '*' at the end for anything.
	 */
	const char *names;
	enum counter_kind kind;
	unsigned int bits;	/* it stops at its largest value, which has so
				 * many bits; 0: it does not stop */
	const char *meaning;
	const char *advice;	/* where to look; NULL for COUNTER_TRAFFIC */
};

extern const struct counter_row counter_table[];
extern const size_t counter_row_count;

/* The row of the counter NAME; NULL when it means nothing known. */
const struct counter_row *counter_row(const char *name);

/* "traffic", "congestion", "trouble". */
const char *counter_kind_name(enum counter_kind kind);

/* The value at which a counter of ROW stops; UINT64_MAX: at none, as for NULL
 * (no row). */
uint64_t counter_stops_at(const struct counter_row *row);

#endif
