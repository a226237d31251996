#include "config.h"
#include "stats/summary.h"

#include <math.h>
#include <stdbool.h>

struct bandwidth_summary summary_bandwidth(uint64_t messages, uint64_t size,
					   double seconds)
{
	double rate = seconds > 0 ? (double)messages / seconds : NAN;
	double bytes = rate * (double)size;

	return (struct bandwidth_summary){
		.gbps = bytes * 8 / 1e9,
		.mib_per_s = bytes / (1 << 20),
		.mpps = rate / 1e6,
	};
}

uint64_t summary_min_samples(uint32_t per_million)
{
	return (uint64_t)ceil(log(0.05) / log(per_million / 1e6));
}

static double percentile(const struct histogram *h, uint32_t per_million,
			 double us_per_unit)
{
	if (h->count < summary_min_samples(per_million))
		return NAN;
	return (double)histogram_percentile(h, per_million) * us_per_unit;
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

#define X(field, key, per_million) s.field = percentile(h, per_million, us);
	PERCENTILE_LIST(X)
#undef X
	return s;
}
