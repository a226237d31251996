#include "config.h"
#include "host/ethtool_counters.h"

#include <linux/ethtool.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "host/ethtool.h"

/* Drivers have some for each queue. */
#define MOST 65536
/* The kernel writes as many as there are, even if queues were added since they
 * were counted. */
#define MORE 4096

static uint32_t count(const char *netdev)
{
	struct ethtool_sset_info *set;
	uint32_t n = 0;

	set = xcalloc(1, sizeof(*set) + sizeof(set->data[0]));
	set->cmd = ETHTOOL_GSSET_INFO;
	set->sset_mask = 1ULL << ETH_SS_STATS;
	/* the mask comes back without what there is none of */
	if (!ethtool_ask(netdev, set) && set->sset_mask)
		n = set->data[0];
	free(set);
	return n > MOST ? 0 : n;
}

static void visit_names(const struct ethtool_gstrings *names, uint32_t n,
			ethtool_visitor *visit, void *into)
{
	char name[ETHTOOL_NAME_SIZE] = "";

	for (uint32_t i = 0; i < n; i++) {
		memcpy(name, names->data + i * ETH_GSTRING_LEN,
		       ETH_GSTRING_LEN);
		visit(name, i, into);
	}
}

uint32_t ethtool_list(const char *netdev, ethtool_visitor *visit, void *into)
{
	struct ethtool_gstrings *names;
	uint32_t n = count(netdev);

	names = xcalloc(1, sizeof(*names) + (n + MORE) * ETH_GSTRING_LEN);
	names->cmd = ETHTOOL_GSTRINGS;
	names->string_set = ETH_SS_STATS;
	names->len = n;
	if (n && (ethtool_ask(netdev, names) || names->len != n))
		n = 0;
	visit_names(names, n, visit, into);
	free(names);
	return n;
}

uint64_t *ethtool_read(const char *netdev, uint32_t n)
{
	struct ethtool_stats *stats;
	uint64_t *values = NULL;

	stats = xcalloc(1, sizeof(*stats) + (n + MORE) * sizeof(uint64_t));
	stats->cmd = ETHTOOL_GSTATS;
	stats->n_stats = n;
	if (count(netdev) == n && !ethtool_ask(netdev, stats) &&
	    stats->n_stats == n) {
		values = xcalloc(n, sizeof(*values));
		memcpy(values, stats->data, n * sizeof(*values));
	}
	free(stats);
	return values;
}
