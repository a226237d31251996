/* Rules between options.  Most need to know which options were given. */
#pragma once

#include <stdbool.h>

#include "base/error.h"
#include "cli/options.h"
#include "model/param.h"

struct given {
	struct options *options;
	struct error *err;
	bool row[PARAMS_MAX];	/* row of param_table was given */
	bool test_named;	/* a server's command line names a test, as
				 * perftest's do */
};

/* Whether the option NAME was given, which may be changed. */
static inline bool *given_option(struct given *g, const char *name)
{
	return &g->row[param_find(name) - param_table];
}

/* True when the command of OPTIONS takes ROW, whatever else is given. */
bool rules_take(const struct options *options, const struct param *row);

/*
 * Check that each option given applies to the command.  A server started the
 * perftest way ignores client options and notes them in options->ignored.
 * Records in the parameters whether --duration was given.  Returns 0, or
 * -EINVAL with the reason in the error, like the functions below.
 */
int rules_check_command(struct given *g);

/* Take WORD as the server, "node1", "node1:18515" or "[::1]:18515"; its port is
 * cut off.  Kept by reference. */
int rules_take_server(struct given *g, char *word);

/* Refuse two outputs to the same place. */
int rules_check_files(struct given *g);

/* Set the defaults that depend on other options, and check the plan's options
 * against each other. */
int rules_complete(struct given *g);

/* The same for a test of the control path: set the defaults that depend on the
 * test and on other options, and check them.  Returns 0, or -EINVAL with the
 * reason in the error. */
int control_rules_complete(struct given *g);
