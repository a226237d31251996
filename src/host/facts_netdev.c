/* The facts of the network interface behind a port. */
#include "config.h"
#include "host/facts.h"

#include <limits.h>
#include <linux/ethtool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/sysfs.h"
#include "base/units.h"
#include "base/xalloc.h"
#include "host/netdev.h"
#include "model/gid.h"

static const char net[] = "/sys/class/net";

/* The bond that NAME is or belongs to; "802.3ad 4" becomes "802.3ad". */
static void read_bonding(const char *name, struct facts *facts)
{
	char mode[FACT_TEXT_SIZE];

	if (!sysfs_read(mode, sizeof(mode), "%s/%s/bonding/mode", net, name) &&
	    !sysfs_read(mode, sizeof(mode), "%s/%s/master/bonding/mode", net,
			name))
		strcpy(mode, "none");
	mode[strcspn(mode, " ")] = '\0';
	facts_set_text(facts, FACT_BONDING, mode);
}

/* Read the number of a VLAN, which only root may: "eth0.100  VID: 100  ..." */
static void read_vlan(const char *name, struct facts *facts)
{
	char line[256], type[FACT_TEXT_SIZE];
	const char *number;
	unsigned int vid;

	if (!sysfs_find(type, sizeof(type), "DEVTYPE=", "%s/%s/uevent", net,
			name) || strcmp(type, "vlan") != 0) {
		facts_set_text(facts, FACT_VLAN, "none");
		return;
	}
	sysfs_read(line, sizeof(line), "/proc/net/vlan/%s", name);
	number = strstr(line, "VID:");
	if (number && sscanf(number, "VID: %u", &vid) == 1)
		snprintf(type, sizeof(type), "%u", vid);
	else
		strcpy(type, "unknown number");
	facts_set_text(facts, FACT_VLAN, type);
}

/* The fastest mode, in Mb/s, in MASKS of N words of 32 bits.  The numbers are
 * those of ethtool_link_mode_bit_indices, which older headers lack in part; 56
 * Gb/s, which only one maker has, is left out. */
static uint64_t fastest(const uint32_t *masks, unsigned int n)
{
	static const struct {
		unsigned int first, last;	/* bits */
		uint64_t mbps;
	} rows[] = {
		{ 3, 3, 100 },	     { 5, 5, 1000 },	  { 12, 12, 10000 },
		{ 17, 17, 1000 },    { 18, 19, 10000 },	  { 22, 22, 20000 },
		{ 23, 26, 40000 },   { 31, 33, 25000 },	  { 34, 35, 50000 },
		{ 36, 39, 100000 },  { 40, 40, 50000 },	  { 41, 41, 1000 },
		{ 42, 46, 10000 },   { 47, 47, 2500 },	  { 48, 48, 5000 },
		{ 52, 56, 50000 },   { 57, 61, 100000 },  { 62, 66, 200000 },
		{ 69, 73, 400000 },  { 75, 79, 100000 },  { 80, 84, 200000 },
		{ 85, 89, 400000 },  { 93, 98, 800000 },  { 103, 108, 200000 },
		{ 109, 114, 400000 }, { 115, 120, 800000 },
		{ 121, 124, 1600000 },
	};
	uint64_t most = 0;

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		for (unsigned int bit = rows[i].first; bit <= rows[i].last;
		     bit++)
			if (bit / 32 < n && masks[bit / 32] >> bit % 32 & 1 &&
			    rows[i].mbps > most)
				most = rows[i].mbps;
	return most;
}

/* The kernel first says how many words its masks have, and then fills them in.
 * SETTINGS have room for the most there can be. */
static int query_settings(const char *name,
			  struct ethtool_link_settings *settings)
{
	int8_t words;
	int ret;

	*settings = (struct ethtool_link_settings){
		.cmd = ETHTOOL_GLINKSETTINGS,
	};
	ret = ethtool_query(name, settings);
	words = settings->link_mode_masks_nwords;
	if (ret || words >= 0)
		return ret;
	*settings = (struct ethtool_link_settings){
		.cmd = ETHTOOL_GLINKSETTINGS,
		.link_mode_masks_nwords = (int8_t)-words,
	};
	return ethtool_query(name, settings);
}

static void read_speed(const char *name, struct facts *facts)
{
	struct ethtool_link_settings *settings =
		xcalloc(1, sizeof(*settings) + 3 * SCHAR_MAX * 4);
	uint64_t most = 0;

	if (!query_settings(name, settings)) {
		if (settings->speed &&
		    settings->speed != (uint32_t)SPEED_UNKNOWN)
			facts_set_count(facts, FACT_NETDEV_SPEED,
					settings->speed);
		if (settings->link_mode_masks_nwords > 0)
			most = fastest(settings->link_mode_masks, (unsigned int)
				       settings->link_mode_masks_nwords);
	}
	if (most)
		facts_set_count(facts, FACT_NETDEV_MAX_SPEED, most);
	free(settings);
}

static void read_pause(const char *name, struct facts *facts)
{
	static const char *const words[] = { "none", "receive", "send",
					     "both" };
	struct ethtool_pauseparam ask = { .cmd = ETHTOOL_GPAUSEPARAM };

	if (!ethtool_query(name, &ask))
		facts_set_text(facts, FACT_PAUSE,
			       words[!!ask.rx_pause + 2 * !!ask.tx_pause]);
}

static bool is_enabled(const char *name, const char *role,
		       unsigned int priority, bool *known)
{
	uint64_t on;

	if (!sysfs_count(&on, "%s/%s/ecn/roce_%s/enable/%u", net, name, role,
			 priority))
		return false;
	*known = true;
	return on;
}

/* Read the ECN settings, which only NVIDIA's own driver has as files; rp
 * reacts, np tells the sender. */
static void read_ecn(const char *name, struct facts *facts)
{
	char list[FACT_TEXT_SIZE] = "", word[8];
	bool known = false;

	for (unsigned int i = 0; i < 8; i++) {
		snprintf(word, sizeof(word), "%u", i);
		if (is_enabled(name, "rp", i, &known) &&
		    is_enabled(name, "np", i, &known))
			list_add(list, sizeof(list), word);
	}
	if (known)
		facts_set_text(facts, FACT_ROCE_ECN, list[0] ? list : "none");
}

void facts_of_netdev(const struct port *port, struct facts *facts)
{
	char name[NETDEV_NAME_SIZE], path[SYSFS_PATH_SIZE];
	/* the GID that a test would choose */
	const struct gid *gid = gid_best(port);
	uint64_t mtu;

	if (!port_is_ethernet(port) || !netdev_of_port(port, gid, name))
		return;
	facts_set_text(facts, FACT_NETDEV, name);
	if (sysfs_count(&mtu, "%s/%s/mtu", net, name))
		facts_set_count(facts, FACT_NETDEV_MTU, mtu);
	if (sysfs_resolve(path, "%s/%s/device/driver", net, name))
		facts_set_text(facts, FACT_NETDEV_DRIVER, sysfs_name(path));
	read_speed(name, facts);
	read_bonding(name, facts);
	read_vlan(name, facts);
	read_pause(name, facts);
	read_ecn(name, facts);
	facts_of_dcb(name, facts);
}
