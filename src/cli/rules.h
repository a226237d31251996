/* The rules between options, of which most need to know what was given. */
#ifndef CLI_RULES_H
#define CLI_RULES_H

#include <stdbool.h>

#include "base/error.h"
#include "cli/options.h"

struct given {
	struct options *options;
	struct error *err;
	bool row[PARAMS_MAX];	/* of param_table: it was given */
};

/* What is known only from what was said, for the parameters. */
void rules_note_given(struct given *g);

/*
 * Each option given must mean something for the command; those that a server
 * need not know are noted in options->ignored when it was started as perftest's
 * are.  Returns 0 or -EINVAL, said in the error, as below.
 */
int rules_apply(struct given *g);

/* No two outputs go to the same place. */
int rules_check_files(struct given *g);

/* Settle what defaults of the plan depend on, and hold its options against each
 * other. */
int rules_complete(struct given *g);

#endif
