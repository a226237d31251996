/* Says, below the table, what makes its numbers doubtful, and what to do. */
#ifndef REPORT_CAVEATS_H
#define REPORT_CAVEATS_H

#include <stdio.h>

#include "model/result.h"

/* Write to OUT, as a line, what makes the numbers of R most doubtful, and how
 * many more doubts there are; with --verbose a line for each of them.  Nothing
 * if all is well. */
void caveats_print(FILE *out, const struct result *r);

#endif
