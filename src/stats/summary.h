/* Computes the reported numbers from a histogram of clock ticks. */
#pragma once

#include <stdint.h>

#include "stats/histogram.h"

/*
 * The percentiles in every latency report: X(field, JSON key, per million).
 * A percentile is NAN when the samples are too few to bound it with 95%
 * confidence.  Quantile q takes at least ln 0.05 / ln q samples (5 for the
 * median, 299 for p99, 2,995 for p99.9).  Beside each is the empirical one, of
 * however few samples.
 */
#define PERCENTILE_LIST(X) \
	X(p50, "p50", 500000) \
	X(p90, "p90", 900000) \
	X(p99, "p99", 990000) \
	X(p99_9, "p99_9", 999000) \
	X(p99_99, "p99_99", 999900)

/* Microseconds; NAN is "not measured". */
struct latency_summary {
	uint64_t samples;
	double min, mean, stddev, max;
#define X(field, key, per_million) double field, empirical_##field;
	PERCENTILE_LIST(X)
#undef X
};

/*
 * X(field, how): the figures of a bandwidth by their names in the JSON, and how
 * two directions make one: the sum of both, the larger of both, or none.
 *   gbps                10^9 bit/s
 *   mib_per_s           2^20 byte/s
 *   mpps                10^6 messages/s
 *   peak_gbps           the best interval; NAN for fewer than ten
 *   error_percent       upper bound of the error, from the window's uncertain
 *                       edges
 *   peak_error_percent  the same, of the best interval
 *   dry_percent         checks that found the send queue dry (struct
 *                       flow_dryness)
 */
#define BANDWIDTH_RATES(X) \
	X(gbps, SUM) X(mib_per_s, SUM) X(mpps, SUM) X(peak_gbps, NONE)
#define BANDWIDTH_ERRORS(X) \
	X(error_percent, LARGER) X(peak_error_percent, NONE) \
	X(dry_percent, LARGER)

/* NAN is "not measured". */
struct bandwidth_summary {
#define X(field, how) double field;
	BANDWIDTH_RATES(X)
	BANDWIDTH_ERRORS(X)
#undef X
	double ci95_gbps[2];	/* of the intervals' mean; NAN for fewer than
				 * ten */
	double least_gbps;	/* the worst interval; NAN for fewer than ten */
};

/* With a larger error, a run is reported as too short. */
#define SUMMARY_ERROR_PERCENT 0.5

/* gbps, mib_per_s and mpps of MESSAGES of SIZE bytes in SECONDS, NAN when
 * SECONDS is not above 0.  All other fields are NAN. */
struct bandwidth_summary summary_bandwidth(uint64_t messages, uint64_t size,
					   double seconds);

/* The bandwidth of two directions together.  Each has its own window; the sum
 * is that of their rates.  Of two errors an unknown one is the larger. */
struct bandwidth_summary summary_both(const struct bandwidth_summary *one,
				      const struct bandwidth_summary *other);

/* The smallest number of samples for which the percentile PER_MILLION is
 * reported. */
uint64_t summary_min_samples(uint32_t per_million);

/*
 * Summarise H.  NS_PER_UNIT is the length of H's unit in nanoseconds, times
 * any factor the definition asks for (one half for a half round trip).
 */
struct latency_summary summary_latency(const struct histogram *h,
				       double ns_per_unit);

/* A bin that is not empty, in nanoseconds: low <= sample <= high. */
struct histogram_bin {
	double low_ns;
	double high_ns;
	uint64_t count;
};

/*
 * The bins of H that are not empty, in ascending order; their number goes to
 * *N.  The first begins at the exact minimum, the last ends at the exact
 * maximum.  NS_PER_UNIT is as for summary_latency().  Returns an array, even if
 * it is empty, that the caller passes to free(3).
 */
struct histogram_bin *summary_bins(const struct histogram *h,
				   double ns_per_unit, uint32_t *n);

/* One percentile of H in microseconds; NAN as in PERCENTILE_LIST. */
double summary_percentile(const struct histogram *h, uint32_t per_million,
			  double ns_per_unit);
