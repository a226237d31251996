/* Warns, below the table, of what makes a bandwidth doubtful. */
#ifndef REPORT_CAVEATS_H
#define REPORT_CAVEATS_H

#include <stdio.h>

#include "model/result.h"

/* For each kind of caveat, describe the worst row of R; nothing if all are
 * well. */
void caveats_print(FILE *out, const struct result *r);

#endif
