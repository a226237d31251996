/* Preflight: the path between the ends, and what fits through it. */
#include "config.h"
#include "preflight/check.h"

#include <errno.h>
#include <inttypes.h>

#include "model/plan.h"

/* Usual subnet prefixes of IPv4 and of everything else, in bits of a GID, for
 * when the TCP connection does not tell. */
#define USUAL_IPV4_PREFIX 120
#define USUAL_PREFIX 64

static void show_gids(const struct end *end, char *text)
{
	char kinds[PREFLIGHT_CELL - 8];

	gid_kinds(end->port, kinds, sizeof(kinds));
	preflight_print(text, "%s%s", kinds,
			end->port->gid_forced ? " (-x)" : "");
}

/* Check --gid-index.  Without it, a port may have no GID. */
static int refuse_index(const struct end *end, struct error *err)
{
	if (!end->port->gid_forced || end->port->n_gids)
		return 0;
	return fail_advise(err, -ENOENT,
			   "--gid-index: the %s's %s port %u has no GID there\n"
			   "'verbsperf devices' on the %s lists its GIDs",
			   end->name, end->port->device, end->port->number,
			   end->name);
}

static int refuse_path(const struct ends *ends, struct error *err)
{
	if (ends->has_path || !port_kinds_fit(ends->client, ends->server))
		return 0;
	return fail(err, -ENOENT, ends->no_path.advice, "%s",
		    ends->no_path.message);
}

/* The rank of GID: the type counts first, then the family. */
static uint32_t gid_rank(const struct gid *gid)
{
	return 2U * gid->type + gid_is_ipv4(&gid->raw);
}

static bool has_rank(const struct port *port, uint32_t rank)
{
	for (uint32_t i = 0; i < port->n_gids; i++)
		if (gid_rank(&port->gids[i]) == rank)
			return true;
	return false;
}

/* Find the best kind that only one of the ends has. */
static void warn_kinds(const struct ends *ends, struct error *err)
{
	uint32_t rank = 2U * GID_TYPE_ROCE_V2 + 1, chosen;

	if (!ends->has_path || !ends->path.global ||
	    !port_is_ethernet(ends->client) || ends->ways->family ||
	    ends->client->gid_forced || ends->server->gid_forced)
		return;
	chosen = gid_rank(&ends->path.local);
	while (rank > chosen && has_rank(ends->client, rank) ==
					has_rank(ends->server, rank))
		rank--;
	if (rank <= chosen)
		return;
	fail(err, -EINVAL, "give both ends addresses of one family, and let "
	     "both have RoCE v2 (cma_roce_mode)",
	     "the %s has no %s %s GID, so that %s %s is used",
	     ends->end[has_rank(ends->server, rank)].name,
	     gid_type_name((uint8_t)(rank / 2)), rank % 2 ? "IPv4" : "IPv6",
	     gid_type_name(ends->path.local.type),
	     gid_is_ipv4(&ends->path.local.raw) ? "IPv4" : "IPv6");
}

static bool goes_by_gid(const struct end *end)
{
	return end->ends->has_path && end->ends->path.global;
}

static void show_gid(const struct end *end, char *text)
{
	char address[GID_TEXT_SIZE];

	preflight_print(text, "%u %s (%s)", end->gid->index,
			gid_show(end->gid, address),
			gid_type_name(end->gid->type));
}

/* Only on Ethernet: InfiniBand's GIDs are link-local until the subnet manager
 * sets another prefix. */
static void warn_link_local(const struct ends *ends, struct error *err)
{
	bool client = gid_is_link_local(&ends->path.local.raw);
	bool server = gid_is_link_local(&ends->path.remote.raw);

	if ((!client && !server) || !port_is_ethernet(ends->client))
		return;
	fail(err, -EINVAL,
	     "give the interfaces of both ends an address of the same family, "
	     "or choose another GID with -x",
	     "the GID of %s is link-local, which works within one network "
	     "segment only",
	     client && server ? "both ends" :
	     client ? "the client" : "the server");
}

static uint32_t subnet_prefix(const struct ends *ends)
{
	const union ibv_gid *mine = &ends->path.local.raw;
	const struct ways *ways = ends->ways;

	for (uint32_t i = 0; i < ways->n; i++)
		if (subnet_contains(&ways->list[i], mine))
			return ways->list[i].prefix;
	return gid_is_ipv4(mine) ? USUAL_IPV4_PREFIX : USUAL_PREFIX;
}

static void show_subnet(const struct end *end, char *text)
{
	union ibv_gid gid = end->gid->raw;
	uint32_t bits = subnet_prefix(end->ends);
	char address[GID_TEXT_SIZE];

	for (uint32_t bit = bits; bit < 128; bit++)
		gid.raw[bit / 8] &= (uint8_t) ~(0x80U >> bit % 8);
	preflight_print(text, "%s/%u", gid_format(&gid, address), bits);
}

static void warn_subnet(const struct ends *ends, struct error *err)
{
	char mine[PREFLIGHT_CELL], theirs[PREFLIGHT_CELL];

	if (gid_common_prefix(&ends->path.local.raw, &ends->path.remote.raw) >=
	    subnet_prefix(ends))
		return;
	show_subnet(&ends->end[true], mine);
	show_subnet(&ends->end[false], theirs);
	fail(err, -EINVAL,
	     "check that a router between both ends forwards this traffic, or "
	     "choose GIDs of one subnet with -x on both ends",
	     "the client's GID is in %s, the server's in %s", mine, theirs);
}

static bool goes_by_lid(const struct end *end)
{
	return end->ends->has_path && !end->ends->path.global;
}

static void show_path(const struct end *end, char *text)
{
	preflight_print(text, "LID %u, no GRH", end->port->lid);
}

static int refuse_addressing(const struct ends *ends, struct error *err)
{
	return addressing_check_path(ends->plan, &ends->path, err);
}

static bool goes_by_manager(const struct end *end)
{
	return end->ends->has_path && end->plan->rdma_cm;
}

/* Show the address that rdma_cm is given (session/manager.h). */
static void show_manager(const struct end *end, char *text)
{
	static const char mapped[] = "::ffff:";
	char address[GID_TEXT_SIZE];
	const char *shown;

	if (!end->ends->path.global || !gid_names_host(end->gid)) {
		preflight_print(text, "address of the TCP connection");
		return;
	}
	shown = gid_format(&end->gid->raw, address);
	if (gid_is_ipv4(&end->gid->raw))
		shown += sizeof(mapped) - 1;
	preflight_print(text, "%s", shown);
}

static void show_mtu(const struct end *end, char *text)
{
	preflight_print(text, "%u", mtu_bytes(end->port->active_mtu));
}

static void need_mtu(const struct ends *ends, char *text)
{
	if (ends->plan->mtu != PLAN_AUTO)
		preflight_print(text, "%u", ends->plan->mtu);
}

static int refuse_mtu(const struct end *end, struct error *err)
{
	const uint32_t most = mtu_bytes(end->port->active_mtu);
	const uint32_t asked = end->plan->mtu;

	if (asked == PLAN_AUTO || asked <= most ||
	    end->plan->perftest_defaults)
		return 0;
	return fail_advise(err, -EINVAL,
			   "--mtu: %u is above what the %s's %s allows (active "
			   "MTU %u)\n"
			   "use --mtu %u or less, or raise the MTU of the "
			   "interface there (ip link set ... mtu)",
			   asked, end->name, end->port->device, most, most);
}

static void warn_mtu(const struct ends *ends, struct error *err)
{
	uint32_t mine = mtu_bytes(ends->client->active_mtu);
	uint32_t theirs = mtu_bytes(ends->server->active_mtu);

	if (mine == theirs)
		return;
	fail_advise(err, -EINVAL,
		    "the client's %s has an active MTU of %u, the server's %s "
		    "of %u\n"
		    "raise the MTU of the %s interface for larger packets",
		    ends->client->device, mine, ends->server->device, theirs,
		    mine < theirs ? "client's" : "server's");
}

static bool is_datagram(const struct end *end)
{
	/* the sizes of --all stop at what both ends can do */
	return plan_is_datagram(end->plan) &&
	       (end->ends->server || !end->plan->all);
}

static void need_datagram(const struct ends *ends, char *text)
{
	preflight_print(text, "%" PRIu64, plan_largest(ends->plan));
}

/* Refuse a UD message of several packets. */
static int refuse_datagram(const struct end *end, struct error *err)
{
	const uint64_t largest = plan_largest(end->plan);
	uint32_t mtu = end->plan->mtu;

	if (mtu == PLAN_AUTO)
		mtu = mtu_bytes(end->port->active_mtu);
	if (largest <= mtu)
		return 0;
	return fail_advise(err, -EINVAL,
			   "--size %" PRIu64 ": over UD a message is at most "
			   "the %s MTU, which is %u\n"
			   "use --size %u or less, or raise the MTU of the "
			   "interfaces of both ends", largest,
			   end->ends->server ? "path" : "client's", mtu, mtu);
}

static void need_group(const struct ends *ends, char *text)
{
	char gid[GID_TEXT_SIZE];

	if (ends->plan->mcast.given)
		preflight_print(text, "%s",
				gid_format(&ends->plan->mcast.gid, gid));
}

static int refuse_group(const struct ends *ends, struct error *err)
{
	const struct mcast *mcast = &ends->plan->mcast;
	char gid[GID_TEXT_SIZE];

	if (!port_is_ethernet(ends->client) && !ends->plan->rdma_cm)
		return fail(err, -EOPNOTSUPP, "add --rdma-cm",
			    "--mcast: on InfiniBand the subnet manager makes a "
			    "multicast group for those who join it by rdma_cm");
	if (!port_is_ethernet(ends->client) || !ends->has_path ||
	    !mcast->given ||
	    gid_is_ipv4(&mcast->gid) == gid_is_ipv4(&ends->path.local.raw))
		return 0;
	return fail(err, -EINVAL,
		    "choose a group of the same family, or other GIDs with "
		    "--gid-index",
		    "--mcast %s: the path goes by %s addresses",
		    gid_format(&mcast->gid, gid),
		    gid_is_ipv4(&ends->path.local.raw) ? "IPv4" : "IPv6");
}

static void show_pkey(const struct end *end, char *text)
{
	if (end->port->pkey)
		preflight_print(text, "0x%04x", end->port->pkey);
}

static int refuse_pkeys(const struct ends *ends, struct error *err)
{
	return addressing_check_pkeys(ends->client, ends->server, err);
}

static void warn_pkey(const struct ends *ends, struct error *err)
{
	for (int client = 1; client >= 0; client--) {
		const struct end *end = &ends->end[client];
		const unsigned int key = end->port->pkey;

		if (!key || key & PORT_PKEY_FULL)
			continue;
		fail(err, -EINVAL,
		     "this works as long as the other end is a full member",
		     "P_Key 0x%04x of the %s's %s is of a limited member", key,
		     end->name, end->port->device);
		return;
	}
}

// clang-format off
const struct check path_checks[] = {
	{ .label = "GID types", .show = show_gids, .refuse = refuse_index,
	  .refuse_pair = refuse_path, .warn = warn_kinds,
	  .cost = "RoCE v1 crosses no router; a link-local address crosses "
		  "none either" },
	{ .label = "GID", .applies = goes_by_gid, .show = show_gid,
	  .warn = warn_link_local },
	{ .label = "subnet", .applies = goes_by_gid, .show = show_subnet,
	  .warn = warn_subnet },
	{ .label = "path", .applies = goes_by_lid, .show = show_path,
	  .refuse_pair = refuse_addressing },
	{ .label = "rdma_cm", .applies = goes_by_manager,
	  .show = show_manager },
	{ .label = "multicast group",
	  .option = offsetof(struct plan, mcast.wanted),
	  .need = need_group, .refuse_pair = refuse_group },
	{ .label = "P_Key", .show = show_pkey, .refuse_pair = refuse_pkeys,
	  .warn = warn_pkey },
	{ .label = "active MTU", .show = show_mtu, .need = need_mtu,
	  .refuse = refuse_mtu, .warn = warn_mtu },
	{ .label = "UD message", .applies = is_datagram, .show = show_mtu,
	  .need = need_datagram, .refuse = refuse_datagram },
	{ .label = NULL },
};
// clang-format on
