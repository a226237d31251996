/* A histogram as a few lines of text. */
#ifndef REPORT_CHART_H
#define REPORT_CHART_H

#include <stdint.h>
#include <stdio.h>

#include "stats/summary.h"

/*
 * Write N bins (ascending, 1 or more) as at most 20 lines: a range in
 * microseconds, how many samples it has, a bar.  No range is less wide than
 * STEP_NS, the resolution of the samples, or a nanosecond.  Few bins that are
 * further apart are a line each.  Many become ranges of equal width; where a
 * twentieth of all samples is spread much wider than the rest, it gets ranges
 * of its own below, each by the same factor wider than the one before.  No
 * sample is left out, and a range with one has a mark, however small its part.
 */
void chart_print(FILE *out, const struct histogram_bin *bins, uint32_t n,
		 double step_ns);

#endif
