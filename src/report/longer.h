/*
 * How long a run must be so that none of its numbers is too short: the advice
 * of the doubts in caveats.c.  It is always more than was asked for, and fits
 * all rows, so that one step of following it suffices.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "model/result.h"

/* The percentiles that the table of R shows. */
struct percentiles longer_percentiles(const struct result *r);

/* True if ROW has percentiles, as far as its samples are enough. */
bool longer_has_percentiles(const struct result *r,
			    const struct result_row *row);

/* The samples that the highest percentile of R needs. */
uint64_t longer_samples(const struct result *r);

/* True if ROW could have a peak and a confidence interval of its own. */
bool longer_has_peak(const struct plan *plan, const struct result_row *row);

/* The length of an interval of ROW, which ends with a message, in seconds. */
double longer_interval(const struct plan *plan, const struct result_row *row);

/*
 * By what part of itself the rate of ROW, of one direction, is above what the
 * ports of R carry; 0: it is not, or that is not known, as of a software
 * device, whose rate is no more than a name.
 */
double longer_above_port(const struct result *r, const struct result_row *row);

/* Most messages of ROW that may be under way at once: as many may complete
 * together when a window begins or ends. */
double longer_under_way(const struct plan *plan, const struct result_row *row);

/* True if the messages of ROW above what the ports carry are so few that they
 * may have been under way when its window opened. */
bool longer_is_burst(const struct result *r, const struct result_row *row);

/* Write to OUT the options with which no number of R is too short: "-D 2",
 * "--interval 0.8 with -D 10".  With MEANS_ONLY that goes for the rates, and
 * not for their peaks and confidence intervals. */
void longer_print(FILE *out, const struct result *r, bool means_only);
