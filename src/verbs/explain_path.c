/* The cause of a path that carries nothing, and advice, by its signs. */
#include "config.h"
#include "verbs/explain.h"

#define OUTPUT_RULES \
	"look for an output rule that drops UDP port 4791 ('nft list " \
	"ruleset', 'iptables -L OUTPUT -v'), and at 'tc -s qdisc'"

static const struct explain_path_row rows[PATH_FAULTS] = {
	[PATH_LINK] = {
		"the port of this host is {port-state}: its link went down",
		"look at 'ip link' and 'ibstat' of both ends, the cable and the "
		"switch port" },
	[PATH_ROUTE] = {
		"this host has no route any more, {gids}",
		"look at 'ip addr', and at 'ip route get' towards the {peer}'s "
		"GID" },
	[PATH_MTU] = {
		"the port's active MTU is {mtu-now} now, less than the path's, "
		"{mtu}: somebody lowered the MTU of its interface",
		"set it back ('ip link set DEV mtu N'), or use -m {mtu-now}" },
	[PATH_REFUSED] = {
		"this host does not let its packets out, though its link, route "
		"and MTU are fine: probably a local firewall; {gids}",
		OUTPUT_RULES },
	[PATH_NEIGHBOUR] = {
		"nobody answers for the {peer}'s address (ARP), {gids}",
		"look at 'ip neigh', the VLAN, and the {peer}'s interface" },
	[PATH_SILENT] = {
		"packets leave this host and none comes back, {gids}",
		"look for UDP port 4791 filtered at the {peer} ('nft list "
		"ruleset' there) or on the way, a GID of the wrong index or type "
		"(-x), and whether the {peer} is well" },
	[PATH_LOSSY] = {
		"packets still come and go, so that most of them must be lost, "
		"{gids}",
		"look for drops ('ip -s link' of both ends, the switches); "
		"--timeout waits longer" },
	[PATH_UNKNOWN] = {
		"the path carries nothing, {gids}",
		"look for lost packets ('ip -s link' of both ends), a firewall "
		"at either end that drops UDP port 4791, also on its way out, a "
		"wrong GID (-x); --timeout waits longer" },
};

static const struct explain_path_row infiniband = {
	"the path carries nothing, {gids}",
	"ask the subnet manager for that path ('ibstat', 'ibtracert'), look "
	"for errors of the links ('ibqueryerrors'); --timeout waits longer",
};

/* The signs above are those of RoCE. */
static const struct explain_path_row iwarp = {
	"the path carries nothing, {gids}",
	"look for lost packets ('ip -s link' of both ends) and for a firewall "
	"that drops the TCP connections of iWARP; --timeout waits longer",
};

const struct explain_path_row *explain_path(const struct explain_context *c)
{
	const enum path_fault fault =
		c->signs ? path_fault_of(c->signs) : PATH_UNKNOWN;

	if (fault == PATH_UNKNOWN && c->iwarp)
		return &iwarp;
	if (fault == PATH_UNKNOWN && !c->ethernet)
		return &infiniband;
	return &rows[fault];
}
