/*
 * A log-linear histogram of unsigned numbers.  Its bins are exact below 2,048;
 * above, they are never wider than 1/1,024 of the value (0.1%).  Its size does
 * not depend on the length of the run; adding the bins merges two histograms.
 *
 * The unit is the caller's.  Latencies are recorded in clock ticks, because
 * the length of a tick is known only after the run (traffic/clock.h).
 */
#pragma once

#include <stdint.h>

#define HISTOGRAM_MANTISSA_BITS 10
/* Larger values count in the last bin: 2^44 ticks are well over an hour. */
#define HISTOGRAM_VALUE_BITS 44
#define HISTOGRAM_BINS \
	((HISTOGRAM_VALUE_BITS - HISTOGRAM_MANTISSA_BITS + 1) \
	 << HISTOGRAM_MANTISSA_BITS)

struct histogram {
	uint64_t count;
	uint64_t min;		/* exact; undefined while count is 0 */
	uint64_t max;		/* likewise */
	uint64_t sum;
	uint64_t origin;	/* first value; squares are relative to it, to
				 * keep precision for a small spread of large
				 * values */
	double squares;		/* sum of (value - origin)^2 */
	uint64_t bins[HISTOGRAM_BINS];
};

/* The bin that counts VALUE. */
static inline uint32_t histogram_bin(uint64_t value)
{
	const uint64_t largest = (1ULL << HISTOGRAM_VALUE_BITS) - 1;
	int msb, shift;

	if (value > largest)
		value = largest;
	msb = 63 - __builtin_clzll(value | 1);
	shift = msb - HISTOGRAM_MANTISSA_BITS;
	if (shift < 0)
		shift = 0;
	return ((uint32_t)shift << HISTOGRAM_MANTISSA_BITS) +
	       (uint32_t)(value >> shift);
}

static inline void histogram_record(struct histogram *h, uint64_t value)
{
	double deviation;

	if (h->count == 0) {
		h->origin = value;
		h->min = value;
	}
	deviation = (double)(int64_t)(value - h->origin);
	h->squares += deviation * deviation;
	h->count++;
	h->sum += value;
	if (value < h->min)
		h->min = value;
	if (value > h->max)
		h->max = value;
	h->bins[histogram_bin(value)]++;
}

/* An empty histogram, which the caller passes to free(3). */
struct histogram *histogram_new(void);

void histogram_reset(struct histogram *h);

/* The smallest and the largest value of BIN (below HISTOGRAM_BINS); the last
 * bin also counts all larger values. */
uint64_t histogram_bin_low(uint32_t bin);
uint64_t histogram_bin_high(uint32_t bin);

/* Add FROM's values to INTO. */
void histogram_merge(struct histogram *into, const struct histogram *from);

/*
 * The value at PER_MILLION of the distribution (500,000 is the median), in H's
 * unit; 0 when H is empty.  It is the middle of the first bin that has at least
 * that share of all values at or below it, clamped to the exact minimum and
 * maximum.  The middle is unbiased and off by at most half a bin.
 */
uint64_t histogram_percentile(const struct histogram *h, uint32_t per_million);

/* The arithmetic mean; NAN when H is empty. */
double histogram_mean(const struct histogram *h);

/* The sample standard deviation (n - 1); NAN for fewer than two values. */
double histogram_stddev(const struct histogram *h);
