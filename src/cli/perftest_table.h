/* perftest's options, and what becomes of each here. */
#pragma once

#include <stddef.h>

enum perftest_class {
	PERFTEST_SAME,		/* an option of ours, or done by perftest.c */
	PERFTEST_NOTHING,	/* nothing to do here: accepted silently */
	PERFTEST_SAID,		/* accepted, and one line says what is not
				 * done */
	PERFTEST_OTHER_TOOL,	/* refused: another measurement */
	PERFTEST_CLASSES,
};

/* When an option of class PERFTEST_SAME has no effect, which one line says. */
enum perftest_idle {
	PERFTEST_IDLE_NEVER,
	PERFTEST_IDLE_LATENCY,	/* in latency tests */
	PERFTEST_IDLE_RECEIVES,	/* where receives are not posted in lists */
	PERFTEST_IDLE_UNRATED,	/* without --rate_limit */
	PERFTEST_IDLE_TIMED,	/* with -D */
	PERFTEST_IDLE_COUNTED,	/* without -D */
	PERFTEST_IDLE_SIZED,	/* with -a, and on atomics */
	PERFTEST_IDLE_GPU,	/* on the memory of a GPU */
	PERFTEST_IDLES,
};

/* Most rows that the table may have. */
#define PERFTEST_OPTIONS_MAX 200

struct perftest_option {
	const char *name;
	char letter;		/* 0: none */
	const char *argument;	/* its name; NULL: takes none */
	enum perftest_class class;
	/* PERFTEST_SAME: the option of ours that it becomes; NULL: none */
	const char *ours;
	const char *value;	/* of ours; NULL: what the user gives */
	/* what it does, if not just what ours does; why it has no effect; or
	 * what to use instead */
	const char *note;
	enum perftest_idle idle;
};

extern const struct perftest_option perftest_options[];
extern const size_t perftest_option_count;

/* "same", "nothing", "said" or "other". */
extern const char *const perftest_class_names[PERFTEST_CLASSES];

/* The option with this NAME, without dashes; NULL when there is none. */
const struct perftest_option *perftest_find(const char *name);

/* The option that has this NAME, or that it is the beginning of: of no other
 * one in perftest 6.06 or in 6.29.  NULL when there is none. */
const struct perftest_option *perftest_match(const char *name);

/* The option with this LETTER; NULL when there is none. */
const struct perftest_option *perftest_find_letter(char letter);
