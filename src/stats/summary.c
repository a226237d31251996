/* Makes reported latencies and bandwidths from ticks and counts. */
#include "config.h"
#include "stats/summary.h"

#include <math.h>
#include <stdbool.h>

#include "base/numbers.h"
#include "base/xalloc.h"

struct bandwidth_summary summary_bandwidth(uint64_t messages, uint64_t size,
					   double seconds)
{
	double rate = seconds > 0 ? (double)messages / seconds : NAN;
	double bytes = rate * (double)size;
	struct bandwidth_summary b = { .ci95_gbps = { NAN, NAN },
				       .least_gbps = NAN };

#define X(field, how) b.field = NAN;
	BANDWIDTH_RATES(X)
	BANDWIDTH_ERRORS(X)
#undef X
	b.gbps = bytes * 8 / 1e9;
	b.mib_per_s = bytes / (1 << 20);
	b.mpps = rate / 1e6;
	return b;
}

static double larger_error(double one, double other)
{
	return isnan(one) ? one : isnan(other) ? other : fmax(one, other);
}

struct bandwidth_summary summary_both(const struct bandwidth_summary *one,
				      const struct bandwidth_summary *other)
{
	struct bandwidth_summary both = { .ci95_gbps = { NAN, NAN },
					  .least_gbps = NAN };

#define SUM(a, b) ((a) + (b))
#define LARGER(a, b) larger_error(a, b)
#define NONE(a, b) NAN
#define X(field, how) both.field = how(one->field, other->field);
	BANDWIDTH_RATES(X)
	BANDWIDTH_ERRORS(X)
#undef X
	return both;
}

uint64_t summary_min_samples(uint32_t per_million)
{
	return (uint64_t)ceil(log(0.05) / log(per_million / 1e6));
}

static double empirical(const struct histogram *h, uint32_t per_million,
			double us)
{
	return h->count ? (double)histogram_percentile(h, per_million) * us :
			  NAN;
}

double summary_percentile(const struct histogram *h, uint32_t per_million,
			  double ns_per_unit)
{
	return h->count < summary_min_samples(per_million) ?
		       NAN : empirical(h, per_million, ns_per_unit / 1000);
}

struct latency_summary summary_latency(const struct histogram *h,
				       double ns_per_unit)
{
	double us = ns_per_unit / 1000;
	bool any = h->count > 0;
	struct latency_summary s = {
		.samples = h->count,
		.min = any ? (double)h->min * us : NAN,
		.mean = histogram_mean(h) * us,
		.stddev = histogram_stddev(h) * us,
		.max = any ? (double)h->max * us : NAN,
	};

#define X(field, key, per_million) \
	s.field = summary_percentile(h, per_million, ns_per_unit); \
	s.empirical_##field = empirical(h, per_million, us);
	PERCENTILE_LIST(X)
#undef X
	return s;
}

/* BIN with its range in ns, narrowed to H's exact minimum and maximum. */
static struct histogram_bin make_bin(const struct histogram *h, uint32_t bin,
				     double ns_per_unit)
{
	uint64_t low = larger(histogram_bin_low(bin), h->min);
	uint64_t high = bin == HISTOGRAM_BINS - 1 ? h->max :
			smaller(histogram_bin_high(bin), h->max);

	return (struct histogram_bin){
		.low_ns = (double)low * ns_per_unit,
		.high_ns = (double)high * ns_per_unit,
		.count = h->bins[bin],
	};
}

struct histogram_bin *summary_bins(const struct histogram *h,
				   double ns_per_unit, uint32_t *n)
{
	struct histogram_bin *bins;
	uint32_t used = 0, next = 0;

	for (uint32_t i = 0; i < HISTOGRAM_BINS; i++)
		used += h->bins[i] > 0;
	bins = xcalloc(used, sizeof(*bins));
	for (uint32_t i = 0; i < HISTOGRAM_BINS; i++)
		if (h->bins[i])
			bins[next++] = make_bin(h, i, ns_per_unit);
	*n = used;
	return bins;
}
