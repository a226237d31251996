/* The requested rate in the report for people. */
#ifndef REPORT_LOAD_H
#define REPORT_LOAD_H

#include <stdio.h>

#include "model/result.h"

/* Add the rate to the line of OUT with what was agreed on; nothing without
 * --rate. */
void load_print_plan(FILE *out, const struct plan *plan);

/*
 * Write below ROW in OUT, for an open loop, the requested and the achieved
 * rate; for another test, whether it missed the rate.  Nothing without --rate.
 */
void load_print(FILE *out, const struct plan *plan,
		const struct result_row *row);

#endif
