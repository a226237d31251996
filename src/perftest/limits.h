/* What can be measured with perftest at the other end. */
#pragma once

#include "model/param.h"

/* Set what the user left open to perftest's defaults, because the other end has
 * them: how many messages a test has. */
void limits_complete(struct parameters *params);

/* Refuse what perftest cannot do, or does in another way.  Returns 0, or
 * -EINVAL with the reason in ERR. */
int limits_check(const struct parameters *params, struct error *err);
