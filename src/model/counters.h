/* What the counters of one end's port did in the time that is measured, and
 * which of them a user wants to see.  Pure: host/counters.h reads them. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>


/* Most counters of one end, and the length of a name with its final NUL. */
#define COUNTERS_MAX 4096
#define COUNTER_NAME_SIZE 64
/* No counter rises by more in one run. */
#define COUNTER_RISE_MAX (1ULL << 60)

struct counter {
	char name[COUNTER_NAME_SIZE];
	bool known;
	uint64_t value;		/* if known: a reading, or by how much it
				 * rose */
};

struct counters {
	uint64_t ns;		/* between both readings */
	uint32_t n;		/* 0: none could be read */
	struct counter *list;	/* by strcmp() of their names; on the heap */
};

/* True when NAME can be a counter's: printable ASCII without the comma that
 * separates names. */
bool counter_name_is_valid(const char *name);

void counters_free(struct counters *counters);

/* The counter NAME of COUNTERS; NULL when there is none. */
const struct counter *counters_find(const struct counters *counters,
				    const char *name);

/* By how much the counter of BEFORE rose until AFTER.  It is unknown if one of
 * them is, or if the counter wrapped, was reset or has stopped at its largest
 * value. */
struct counter counter_rise(const struct counter *before,
			    const struct counter *after);

/* Packets of one end, as Soft-RoCE counts them: either since ever, or of a size
 * from before its first message until after its last, when none is on its
 * way. */
struct packet_counts {
	bool known;
	uint64_t sent;		/* by the device */
	uint64_t came;		/* to it, undamaged */
	uint64_t out;		/* by its interface, with all others */
	uint64_t in;
};

/* What passed between BEFORE and AFTER; unknown if one of them is, or if a
 * count was reset. */
struct packet_counts packet_counts_rise(const struct packet_counts *before,
					const struct packet_counts *after);

/* Which counters to read or to show. */
enum counter_scope {
	COUNTERS_INTEREST,	/* those of the table (counter_table.c) */
	COUNTERS_ALL,
	COUNTERS_NONE,
	COUNTER_SCOPES,
};

extern const char *const counter_scope_words[COUNTER_SCOPES];

/* What --counters says. */
struct counter_choice {
	enum counter_scope read;	/* what both ends read */
	enum counter_scope shown;	/* if there are no names */
	bool given;		/* at this end */
	const char *names;	/* shown instead, with commas between them, as
				 * the user wrote them; NULL: none; not sent */
};

/* --max-counter: by how much a counter may rise at most. */
#define COUNTER_LIMITS_MAX 32

struct counter_limits {
	uint32_t n;
	struct counter_limit {
		char name[COUNTER_NAME_SIZE];
		uint64_t most;
	} list[COUNTER_LIMITS_MAX];
};

/* Parse TEXT: "interest", "all", "none" or names, kept by reference.  Returns
 * 0, or -EINVAL for a name that is empty or too long. */
int counter_choice_parse(const char *text, struct counter_choice *choice);

/* Parse TEXT, "NAME=N,NAME=N", and add it to LIMITS; the later of two limits of
 * one counter holds.  Returns 0, -EINVAL, or -E2BIG for too many. */
int counter_limits_parse(const char *text, struct counter_limits *limits);

/* Move *TEXT, a list of names, behind its first one, and copy that into NAME
 * without the folder that perftest's users write before it ("counters/",
 * "hw_counters/").  *TEXT becomes NULL at the end of the list.  False, with
 * *TEXT as it was, if it is NULL, or for a name that is empty or too long. */
bool counter_next_name(const char **text, char name[COUNTER_NAME_SIZE]);

/* True when CHOICE shows the counter NAME. */
bool counter_is_shown(const struct counter_choice *choice, const char *name);

/* True when SCOPE includes the counter NAME. */
bool counter_is_read(enum counter_scope scope, const char *name);

/* counter_table.c: what the counters of NICs mean, by whatever name a driver
 * gives them.  Pure: host/counters.h reads them. */

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

/* The row of the counter NAME, or one without a meaning for a counter of the
 * RDMA device whose name says that something went wrong; NULL: it means nothing
 * known. */
const struct counter_row *counter_row(const char *name);

/* "traffic", "congestion", "trouble". */
extern const char *const counter_kind_names[];
