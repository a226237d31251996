/* What to know before a bandwidth is believed: lines below the table. */
#ifndef REPORT_CAVEATS_H
#define REPORT_CAVEATS_H

#include <stdio.h>

#include "model/result.h"

/* Of all rows of R the worst of each kind; nothing where all is well. */
void caveats_print(FILE *out, const struct result *r);

#endif
