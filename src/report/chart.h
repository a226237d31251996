/* Draws a histogram as a few lines of text. */
#ifndef REPORT_CHART_H
#define REPORT_CHART_H

#include <stdint.h>
#include <stdio.h>

#include "model/result.h"

/*
 * Write N bins (ascending, 1 or more) as at most 20 lines: a range in
 * microseconds, the number of its samples, a bar.  No range is narrower than
 * STEP_NS, the resolution of the samples, or a nanosecond.  A few bins that lie
 * further apart get a line each.  Many bins are merged into ranges of equal
 * width; if the top twentieth of all samples spreads much wider than the rest,
 * it gets ranges of its own below, each wider than the one before by the same
 * factor.  No sample is left out, and a range with samples always has a mark.
 */
void chart_print(FILE *out, const struct histogram_bin *bins, uint32_t n,
		 double step_ns);

/* Write the histogram of each row of R that has one. */
void charts_print(FILE *out, const struct result *r, double step_ns);

#endif
