/* Rules between the options of a test of the control path. */
#ifndef CLI_CONTROL_RULES_H
#define CLI_CONTROL_RULES_H

#include "cli/rules.h"

/* Set the defaults that depend on the test and on other options, and check
 * them.  Returns 0, or -EINVAL with the reason in the error. */
int control_rules_complete(struct given *g);

#endif
