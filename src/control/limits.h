/* What a server allows its clients. */
#ifndef CONTROL_LIMITS_H
#define CONTROL_LIMITS_H

#include "base/error.h"
#include "model/param.h"

/*
 * Hold the plan in PARAMS, which a client sent, against the server's --max-qps,
 * --max-memory and --max-duration there.  Returns 0, or a negative errno with
 * the limit, what was asked and what is allowed in ERR.
 */
int limits_check(const struct parameters *params, struct error *err);

#endif
