#include "config.h"
#include "model/pacing.h"

#include <infiniband/verbs.h>

/* The InfiniBand Architecture Specification rounds 14.0625 Gb/s and so on;
 * perftest and ibv_rate_to_mbps(3) do not agree on them, so both are taken. */
static const struct {
	uint32_t mbps, alias;
	uint8_t rate;
} static_rates[] = {
	{ 2500, 2500, IBV_RATE_2_5_GBPS }, { 5000, 5000, IBV_RATE_5_GBPS },
	{ 10000, 10000, IBV_RATE_10_GBPS }, { 14000, 14062, IBV_RATE_14_GBPS },
	{ 20000, 20000, IBV_RATE_20_GBPS }, { 25000, 25781, IBV_RATE_25_GBPS },
	{ 28000, 28125, IBV_RATE_28_GBPS }, { 30000, 30000, IBV_RATE_30_GBPS },
	{ 40000, 40000, IBV_RATE_40_GBPS }, { 50000, 53125, IBV_RATE_50_GBPS },
	{ 56000, 56250, IBV_RATE_56_GBPS }, { 60000, 60000, IBV_RATE_60_GBPS },
	{ 80000, 80000, IBV_RATE_80_GBPS },
	{ 100000, 103125, IBV_RATE_100_GBPS },
	{ 112000, 112500, IBV_RATE_112_GBPS },
	{ 120000, 120000, IBV_RATE_120_GBPS },
	{ 168000, 168750, IBV_RATE_168_GBPS },
	{ 200000, 206250, IBV_RATE_200_GBPS },
	{ 300000, 309375, IBV_RATE_300_GBPS },
	{ 400000, 425000, IBV_RATE_400_GBPS },
	{ 600000, 637500, IBV_RATE_600_GBPS },
	{ 800000, 850000, IBV_RATE_800_GBPS },
	{ 1200000, 1275000, IBV_RATE_1200_GBPS },
};

const char pacing_static_rates[] =
	"2.5, 5, 10, 14, 20, 25, 28, 30, 40, 50, 56, 60, 80, 100, 112, 120, "
	"168, 200, 300, 400, 600, 800 or 1200 Gb/s";

uint64_t pacing_share(const struct plan *plan)
{
	return plan->rate / 1000 / plan->qps;
}

uint8_t pacing_static_rate(const struct plan *plan)
{
	const uint64_t mbps = pacing_share(plan) / 1000;

	for (size_t i = 0; i < sizeof(static_rates) / sizeof(*static_rates);
	     i++)
		if (mbps == static_rates[i].mbps ||
		    mbps == static_rates[i].alias)
			return static_rates[i].rate;
	return 0;
}
