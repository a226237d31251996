/* What the command line of a server says of a test that its client decides. */
#ifndef SESSION_TOLD_H
#define SESSION_TOLD_H

#include "model/param.h"

/*
 * Compare PLAN, the client's, with what PARAMS->told says, and log one line
 * that names each option that differs.  Does nothing if they agree, or if told
 * is NULL.
 */
void told_compare(const struct parameters *params, const struct plan *plan);

#endif
