/* perftest's options, and what becomes of each here. */
#ifndef CLI_PERFTEST_TABLE_H
#define CLI_PERFTEST_TABLE_H

#include <stddef.h>

enum perftest_class {
	PERFTEST_SAME,		/* an option of ours, or done by perftest.c */
	PERFTEST_NOTHING,	/* has no effect here: taken in silence */
	PERFTEST_DEVICE,	/* a feature of some devices that is not used */
	PERFTEST_OTHER_TOOL,	/* not measured by this program */
	PERFTEST_CLASSES,
};

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
};

extern const struct perftest_option perftest_options[];
extern const size_t perftest_option_count;

/* "same", "nothing", "device" or "other". */
const char *perftest_class_name(enum perftest_class class);

/* The option with this NAME, without dashes; NULL when there is none. */
const struct perftest_option *perftest_find(const char *name);

/* The option with this LETTER; NULL when there is none. */
const struct perftest_option *perftest_find_letter(char letter);

#endif
