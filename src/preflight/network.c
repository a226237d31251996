/* Preflight: the network interface, its link, and the priority of the test's
 * packets. */
#include "config.h"
#include "preflight/check.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Bytes that the kernel reserves for headers of a message of the largest path
 * MTU. */
#define MTU_HEADERS 96
#define LARGEST_MTU 4096
/* The priorities of Ethernet. */
#define PRIORITIES 8
/* A link goes down so many times while it is set up. */
#define DOWNS_AT_FIRST 3

static uint32_t least_active_mtu(const struct ends *ends)
{
	uint8_t mtu = ends->client->active_mtu;

	if (ends->server && ends->server->active_mtu < mtu)
		mtu = ends->server->active_mtu;
	return mtu_bytes(mtu);
}

/* Warn of a small MTU of the interface, unless the message fits anyway or the
 * MTU was asked for. */
static int inspect_mtu(const struct end *end, struct error *err)
{
	const uint64_t mtu = facts_count(end->facts, FACT_NETDEV_MTU);
	const char *name = facts_text(end->facts, FACT_NETDEV);
	const uint32_t path = mtu_bytes(end->port->active_mtu);

	/* iWARP has no path MTU */
	if (!mtu || end->port->iwarp || mtu >= LARGEST_MTU + MTU_HEADERS ||
	    path >= LARGEST_MTU || plan_largest(end->plan) <= path ||
	    path > least_active_mtu(end->ends) || end->plan->mtu < path)
		return 0;
	return fail_advise(err, -EINVAL,
			   "%s %s has MTU %" PRIu64 ", which leaves RDMA a path "
			   "MTU of %u\n"
			   "ip link set %s mtu %u, at both ends and with as much "
			   "in all switches between them", end->whose, name,
			   mtu, path, name, LARGEST_MTU + MTU_HEADERS + 8);
}

static void show_mtu(const struct end *end, char *text)
{
	preflight_print(text, "%s %" PRIu64,
			facts_text(end->facts, FACT_NETDEV),
			facts_count(end->facts, FACT_NETDEV_MTU));
}

static void show_speed(const struct end *end, char *text)
{
	const uint64_t now = facts_count(end->facts, FACT_NETDEV_SPEED);
	const uint64_t most = facts_count(end->facts, FACT_NETDEV_MAX_SPEED);

	if (!port_is_ethernet(end->port))
		preflight_print(text, "%s",
				facts_text(end->facts, FACT_LINK_LANES));
	else if (facts_known(end->facts, FACT_NETDEV_SPEED) &&
		 facts_known(end->facts, FACT_NETDEV_MAX_SPEED))
		preflight_print(text, "%g of %g Gb/s", (double)now / 1000,
				(double)most / 1000);
}

static bool shows_speed(const struct end *end)
{
	char text[PREFLIGHT_CELL] = "";

	show_speed(end, text);
	return text[0];
}

/* InfiniBand reports only the active width; nothing is sold with one lane. */
static int inspect_lanes(const struct end *end, struct error *err)
{
	const char *lanes = facts_text(end->facts, FACT_LINK_LANES);

	if (strncmp(lanes, "1X ", 3) != 0)
		return 0;
	return fail(err, -EINVAL, "reseat or replace the cable; ibportstate "
		    "shows what both ends support",
		    "%s link runs with one lane (%s)", end->whose,
		    lanes);
}

static int inspect_speed(const struct end *end, struct error *err)
{
	const uint64_t now = facts_count(end->facts, FACT_NETDEV_SPEED);
	const uint64_t most = facts_count(end->facts, FACT_NETDEV_MAX_SPEED);
	const char *name = facts_text(end->facts, FACT_NETDEV);

	if (!port_is_ethernet(end->port))
		return inspect_lanes(end, err);
	if (!now || now >= most)
		return 0;
	return fail_advise(err, -EINVAL,
			   "%s link runs at %g Gb/s, %s supports %g Gb/s\n"
			   "look at cable, module and switch port: ethtool %s; "
			   "ethtool -m %s", end->whose, (double)now / 1000,
			   name, (double)most / 1000, name, name);
}

static int inspect_downs(const struct end *end, struct error *err)
{
	const uint64_t n = facts_count(end->facts, FACT_LINK_DOWNED);

	if (n <= DOWNS_AT_FIRST)
		return 0;
	return fail(err, -EINVAL, "look for the times: dmesg | grep -i link; "
		    "then at cable, module and switch port",
		    "%s link went down %" PRIu64 " times since the driver was "
		    "loaded", end->whose, n);
}

/* The priority of the test's packets at an end. */
static uint32_t priority_of(const struct plan *plan, const struct facts *facts)
{
	const char *of_dscp = facts_text(facts, FACT_DSCP_PRIORITIES);
	const uint32_t dscp = plan->dscp != PLAN_AUTO ? plan->dscp :
							  plan->tclass >> 2;

	if (dscp >= strlen(of_dscp))
		return plan->sl % PRIORITIES;
	return (uint32_t)(of_dscp[dscp] - '0') % PRIORITIES;
}

/* True if LIST, "3, 5", has PRIORITY. */
static bool lists(const char *list, uint32_t priority)
{
	return strchr(list, (int)('0' + priority));
}

static bool has_priorities(const struct end *end)
{
	const struct port *client = end->ends->client;

	/* TCP, on iWARP, needs neither */
	return port_is_ethernet(client) && !client->iwarp;
}

static void show_control(const struct end *end, char *text)
{
	const char *pause = facts_text(end->facts, FACT_PAUSE);

	preflight_print(text, "PFC %s, pause %s",
			facts_text(end->facts, FACT_PFC),
			pause[0] ? pause : "unknown");
}

static void need_priority(const struct ends *ends, char *text)
{
	const uint32_t mine = priority_of(ends->plan, &ends->client->facts);
	const uint32_t theirs = ends->server ?
		priority_of(ends->plan, &ends->server->facts) : mine;

	if (mine == theirs)
		preflight_print(text, "priority %u", mine);
	else
		preflight_print(text, "priorities %u, %u", mine, theirs);
}

/* How a test gets into a priority that has PFC: the option, or "". */
static void advise_priority(const struct facts *facts, char *text, size_t size)
{
	const char *of_dscp = facts_text(facts, FACT_DSCP_PRIORITIES);
	const char *pfc = facts_text(facts, FACT_PFC);

	text[0] = '\0';
	for (size_t i = 0; of_dscp[i]; i++)
		if (strchr(pfc, of_dscp[i])) {
			snprintf(text, size, "add --dscp %zu, or ", i);
			return;
		}
	if (!of_dscp[0] && strpbrk(pfc, "01234567"))
		snprintf(text, size, "add --sl %.1s, or ",
			 strpbrk(pfc, "01234567"));
}

static int inspect_control(const struct end *end, struct error *err)
{
	const uint32_t priority = priority_of(end->plan, end->facts);
	const char *pfc = facts_text(end->facts, FACT_PFC);
	char option[40];

	if (!pfc[0] || lists(pfc, priority) ||
	    !strcmp(facts_text(end->facts, FACT_PAUSE), "both") ||
	    lists(facts_text(end->facts, FACT_ROCE_ECN), priority))
		return 0;
	advise_priority(end->facts, option, sizeof(option));
	return fail_advise(err, -EINVAL,
			   "%s packets have priority %u, and PFC is %s%s\n"
			   "%sdcb pfc set dev %s prio-pfc %u:on, and the same in "
			   "the switches", end->whose, priority,
			   strcmp(pfc, "none") ? "on for " : "off",
			   strcmp(pfc, "none") ? pfc : "", option,
			   facts_text(end->facts, FACT_NETDEV), priority);
}

static void warn_control(const struct ends *ends, struct error *err)
{
	const char *mine = facts_text(&ends->client->facts, FACT_PFC);
	const char *theirs = facts_text(&ends->server->facts, FACT_PFC);

	if (!mine[0] || !theirs[0] || !strcmp(mine, theirs))
		return;
	fail(err, -EINVAL, "give both ends, and the switches, the same "
	     "priorities: dcb pfc show dev INTERFACE",
	     "PFC of the client is %s, of the server %s", mine, theirs);
}

static int inspect_ecn(const struct end *end, struct error *err)
{
	const char *name = facts_text(end->facts, FACT_NETDEV);
	const uint32_t priority = priority_of(end->plan, end->facts);

	if (!facts_known(end->facts, FACT_ROCE_ECN) ||
	    lists(facts_text(end->facts, FACT_ROCE_ECN), priority))
		return 0;
	return fail_advise(err, -EINVAL,
			   "%s device does not react to ECN marks on priority "
			   "%u\n"
			   "echo 1 | tee /sys/class/net/%s/ecn/roce_[rn]p/"
			   "enable/%u", end->whose, priority, name, priority);
}

/* True for the interface of a bond whose ports carry traffic together: only
 * there a queue pair can have less than the interface. */
static bool shares_load(const struct end *end)
{
	const char *mode = facts_text(end->facts, FACT_BONDING);

	return !strncmp(mode, "balance-", 8) || !strcmp(mode, "802.3ad");
}

static int inspect_bond(const struct end *end, struct error *err)
{
	if (!shares_load(end) || end->plan->qps > 1)
		return 0;
	return fail(err, -EINVAL, "add -q 2 or more, and vary --flow-label, so "
		    "that they go by different ports",
		    "%s interface %s is a bond (%s), and a queue pair uses one "
		    "of its ports", end->whose,
		    facts_text(end->facts, FACT_NETDEV),
		    facts_text(end->facts, FACT_BONDING));
}

// clang-format off
const struct check network_checks[] = {
	{ .label = "interface MTU", .fact = FACT_NETDEV_MTU,
	  .show = show_mtu, .inspect = inspect_mtu,
	  .cost = "more packets for the same data: headers take more of the "
		  "bandwidth, and devices limited by packets send less" },
	{ .label = "link speed", .applies = shows_speed, .show = show_speed,
	  .inspect = inspect_speed,
	  .cost = "bandwidth ends at the link's speed" },
	{ .label = "link downs", .fact = FACT_LINK_DOWNED,
	  .inspect = inspect_downs,
	  .cost = "what is on its way when a link goes down is sent again, or "
		  "the test fails" },
	{ .label = "bonding", .fact = FACT_BONDING, .applies = shares_load,
	  .inspect = inspect_bond,
	  .cost = "bandwidth ends at that of one port" },
	{ .label = "flow control", .fact = FACT_PFC,
	  .applies = has_priorities, .show = show_control,
	  .need = need_priority, .inspect = inspect_control,
	  .warn = warn_control,
	  .cost = "where the network is full packets are dropped, and RDMA "
		  "sends a window again for each" },
	{ .label = "RoCE ECN", .fact = FACT_ROCE_ECN,
	  .applies = has_priorities, .need = need_priority,
	  .inspect = inspect_ecn,
	  .cost = "senders do not slow down before the network is full: one "
		  "slow receiver holds up others" },
	{ .label = NULL },
};
// clang-format on
