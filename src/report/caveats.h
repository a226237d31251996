/* Says, below the table, what makes its numbers doubtful, and what to do. */
#ifndef REPORT_CAVEATS_H
#define REPORT_CAVEATS_H

#include <stdio.h>

#include "model/result.h"

/* What makes the numbers of R most doubtful: a sentence on the heap, without a
 * line end; NULL: nothing. */
char *caveats_first(const struct result *r);

/* Write the same to OUT as a line, and how many more there are; with --verbose
 * a line for each of them.  Nothing if all is well. */
void caveats_print(FILE *out, const struct result *r);

#endif
