/* A log-linear histogram with bins of at most 0.1%, and its percentiles, mean
 * and deviation. */
#include "config.h"
#include "stats/histogram.h"

#include <math.h>
#include <string.h>

#include "base/numbers.h"
#include "base/xalloc.h"

struct histogram *histogram_new(void)
{
	return xcalloc(1, sizeof(struct histogram));
}

void histogram_reset(struct histogram *h)
{
	memset(h, 0, sizeof(*h));
}

/* Number of low bits that the values of BIN differ in. */
static uint32_t bin_shift(uint32_t bin)
{
	uint32_t group = bin >> HISTOGRAM_MANTISSA_BITS;

	return group ? group - 1 : 0;
}

uint64_t histogram_bin_low(uint32_t bin)
{
	uint32_t shift = bin_shift(bin);
	uint64_t top = bin - (shift << HISTOGRAM_MANTISSA_BITS);

	return top << shift;
}

uint64_t histogram_bin_high(uint32_t bin)
{
	return histogram_bin_low(bin) + (1ULL << bin_shift(bin)) - 1;
}

/* H's sum of squares relative to ORIGIN. */
static double squares_around(const struct histogram *h, uint64_t origin)
{
	double n = (double)h->count;
	double delta = (double)(int64_t)(h->origin - origin);
	double deviations = (double)h->sum - n * (double)h->origin;

	return h->squares + 2 * delta * deviations + n * delta * delta;
}

void histogram_merge(struct histogram *into, const struct histogram *from)
{
	if (from->count == 0)
		return;
	if (into->count == 0) {
		memcpy(into, from, sizeof(*into));
		return;
	}
	into->squares += squares_around(from, into->origin);
	into->count += from->count;
	into->sum += from->sum;
	into->min = smaller(into->min, from->min);
	into->max = larger(into->max, from->max);
	for (uint32_t i = 0; i < HISTOGRAM_BINS; i++)
		into->bins[i] += from->bins[i];
}

/* ceil(count * per_million / 1e6), without overflow or rounding errors. */
static uint64_t rank_of(uint64_t count, uint32_t per_million)
{
	uint64_t whole = count / 1000000 * per_million;
	uint64_t rest = count % 1000000 * per_million;

	return whole + (rest + 999999) / 1000000;
}

uint64_t histogram_percentile(const struct histogram *h, uint32_t per_million)
{
	uint64_t rank = rank_of(h->count, per_million);
	uint64_t seen = 0;

	if (h->count == 0)
		return 0;
	if (rank == h->count)
		return h->max;
	for (uint32_t i = 0; i < HISTOGRAM_BINS; i++) {
		const uint64_t low = histogram_bin_low(i);
		const uint64_t half = (histogram_bin_high(i) - low) / 2;

		seen += h->bins[i];
		if (seen >= rank && seen > 0)
			return smaller(larger(low + half, h->min), h->max);
	}
	return h->max;
}

double histogram_mean(const struct histogram *h)
{
	return h->count ? (double)h->sum / (double)h->count : NAN;
}

double histogram_stddev(const struct histogram *h)
{
	double n = (double)h->count;
	double mean, variance;

	if (h->count < 2)
		return NAN;
	mean = histogram_mean(h) - (double)h->origin;
	variance = (h->squares - n * mean * mean) / (n - 1);
	return variance > 0 ? sqrt(variance) : 0;
}
