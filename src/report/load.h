/* A rate that was asked for, in the report for people. */
#ifndef REPORT_LOAD_H
#define REPORT_LOAD_H

#include <stdio.h>

#include "model/result.h"

/* In the line of OUT that says what was agreed on: nothing without --rate. */
void load_print_plan(FILE *out, const struct plan *plan);

/* Below ROW in OUT: of an open loop what was asked for and what came of it, of
 * another test whether the rate was not reached.  Nothing without --rate. */
void load_print(FILE *out, const struct plan *plan,
		const struct result_row *row);

#endif
