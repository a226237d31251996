/* What the two ends of perftest's dialogue agree on before they have queue
 * pairs. */
#include "config.h"
#include "perftest/steps.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/log.h"
#include "base/numbers.h"
#include "base/time.h"
#include "perftest/limits.h"
#include "perftest/message.h"
#include "perftest/schedule.h"
#include "perftest/talk.h"
#include "preflight/judge.h"
#include "session/quota.h"

/* perftest's Q_Key, which it does not exchange. */
#define QKEY 0x11111111

/* This end's port, or with PEER the other's. */
static struct port *port_of(const struct session *s, bool peer)
{
	struct result *r = s->run.result;

	return s->run.client != peer ? &r->client : &r->server;
}

static int swap_size(struct session *s, const char *what, uint32_t mine,
		     uint32_t *theirs)
{
	uint8_t out[SIZE_SIZE], in[SIZE_SIZE];
	int ret;

	size_encode(mine, out);
	ret = talk_swap(s, what, 0, out, in, sizeof(out));
	return !ret && size_decode(in, theirs) ? talk_refuse(s, what) : ret;
}

/* The larger page and cache line of both ends, and the smaller MTU, decide.
 * Cache lines matter only to who steps through the peer's memory by them. */
static int agree_sizes(struct session *s, uint8_t *mtu)
{
	const uint32_t page = (uint32_t)sysconf(_SC_PAGESIZE);
	struct talk *t = talk_of(s);
	uint8_t out[MTU_SIZE], in[MTU_SIZE];
	uint32_t line;
	int ret;

	mtu_encode(*mtu, out);
	ret = swap_size(s, "page size", page, &t->page) ?:
	      swap_size(s, "cache line", CACHE_LINE, &line) ?:
	      talk_swap(s, "MTU", 0, out, in, sizeof(out));
	t->page = (uint32_t)larger(t->page, page);
	return !ret && mtu_decode(in, mtu) ? talk_refuse(s, "MTU") : ret;
}

/* The MTU that this end wants. */
static uint8_t own_mtu(const struct session *s)
{
	const uint8_t active = port_of(s, false)->active_mtu;
	const uint32_t asked = s->run.plan->mtu;

	return asked < mtu_bytes(active) ? mtu_from_bytes(asked) : active;
}

/* Tell the server; it ends if it was given others, or reads the shorter size,
 * which nothing says before. */
static int tell_settings(struct session *s)
{
	const struct result *r = s->run.result;
	uint8_t out[SETTINGS_SIZE], in[SETTINGS_SIZE];
	struct settings mine, theirs;
	const char *name;
	size_t size;
	int ret;

	settings_of(&r->params, mtu_bytes(own_mtu(s)), &mine);
	settings_encode(&mine, r->client.limits.max_qp_rd_atom, out);
	ret = talk_send(s, "settings", out, sizeof(out),
			time_after(run_peer_timeout(&s->run))) ?:
	      talk_receive_settings(s, in, &size);
	if (ret)
		return ret;
	if (size != sizeof(in))
		return fail(session_error(s), -EPROTO,
			    "make this end the server",
			    "the server (%s) was built without mlx5dv, and can "
			    "then only be the client", talk_of(s)->name);
	settings_decode(in, VERSION_SETTINGS, &theirs);
	name = settings_difference(&mine, &theirs);
	return !name ? 0 :
	       fail(session_error(s), -EPROTO,
		    "give both ends the same test and options",
		    "the server (%s) has another %s than this end",
		    talk_of(s)->name, name);
}

/* Answer the client with its own bytes, which it finds equal to its own; but
 * what its mlx5 device can do is not what this one can. */
static int echo_settings(struct session *s, uint8_t *bytes, size_t size)
{
	memset(bytes + SETTINGS_SIZE_SHORT, 0,
	       SETTINGS_SIZE - SETTINGS_SIZE_SHORT);
	return talk_send(s, "settings", bytes, size,
			 time_after(run_peer_timeout(&s->run)));
}

/* Do what the client asks for, if that is possible. */
static int hear_settings(struct session *s)
{
	struct result *r = s->run.result;
	uint8_t bytes[SETTINGS_SIZE];
	struct settings settings;
	size_t size;
	const char *name;
	int ret = talk_receive_settings(s, bytes, &size);

	if (ret)
		return ret;
	settings_decode(bytes, talk_of(s)->version.number, &settings);
	name = settings_take(&settings, &r->params);
	if (name)
		return fail(&r->error, -EPROTO, NULL,
			    "the client (%s) has a %s that is not possible "
			    "here", talk_of(s)->name, name);
	session_log_differences(&r->params);
	return plan_check(&r->params.plan, &r->error) ?:
	       echo_settings(s, bytes, size);
}

/* A client that says VERSION_SAID to a later version than 6.28 is spared them.
 */
bool perftest_has_settings(const struct session *s)
{
	const uint32_t number = talk_of(s)->version.number;

	return number == VERSION_SETTINGS ||
	       (number > VERSION_SETTINGS && !s->run.client);
}

static int agree_settings(struct session *s)
{
	if (!perftest_has_settings(s))
		return 0;
	return s->run.client ? tell_settings(s) : hear_settings(s);
}

/* What is known of the peer; its device is taken to be like this end's, until
 * its keys come. */
static void describe_peer(struct session *s, uint8_t mtu)
{
	const struct port *own = port_of(s, false);
	struct port *port = port_of(s, true);

	*port = (struct port){
		.state = IBV_PORT_ACTIVE,
		.link_layer = own->link_layer,
		.transport = own->transport,
		.active_mtu = mtu,
		.lid = own->lid,
		.numa_node = PORT_NO_NODE,
		.limits = own->limits,
		.n_gids = own->n_gids,
	};
	memcpy(port->gids, own->gids, sizeof(port->gids));
	snprintf(port->hostname, sizeof(port->hostname), "%s",
		 talk_of(s)->name);
}

/* As perftest chooses it: IPv4, global, RoCE v2. */
static uint32_t score(const struct gid *gid)
{
	return (uint32_t)gid_is_ipv4(&gid->raw) << 9 |
	       (uint32_t)!gid_is_link_local(&gid->raw) << 8 | gid->type;
}

/* The peer's is not known yet.  An InfiniBand port has none, unless the user
 * asks for one. */
int perftest_choose_gid(struct session *s)
{
	struct result *r = s->run.result;
	const struct port *port = port_of(s, false);
	const int family = s->run.conn->ways.family;
	const struct gid *best = NULL;

	session_stage(s, "path");
	r->path = (struct path){
		.global = !port_has_lids(port) || port->gid_forced,
		.mtu = mtu_from_bytes(r->params.plan.mtu),
	};
	talk_of(s)->global = r->path.global;
	for (uint32_t i = 0; r->path.global && i < port->n_gids; i++)
		if (gid_is_of_family(&port->gids[i], family) &&
		    (!best || score(&port->gids[i]) > score(best)))
			best = &port->gids[i];
	if (best)
		r->path.local = *best;
	return best || !r->path.global ? 0 :
	       fail(&r->error, -ENOENT, NULL, "%s port %u has no %sGID",
		    port->device, port->number, family == AF_INET ? "IPv4 " :
		    family == AF_INET6 ? "IPv6 " : "");
}

/* perftest would count it.  Under perftest's names it was asked for. */
static void leave_warmup_out(struct parameters *params)
{
	if (params->perftest && params->plan.warmup)
		log_info("the warm-up is left out: perftest would count its "
			 "messages");
	params->plan.warmup = 0;
}

/* Fit the plan to a peer that counts messages and has no warm-up of its own. */
static void fit_plan(struct session *s)
{
	struct plan *plan = &s->run.result->params.plan;
	const bool bandwidth = plan->metric == METRIC_BANDWIDTH;

	plan->quiet = true;
	plan->server_begins = schedule_server_begins(plan);
	plan->qkey = plan_is_datagram(plan) ? QKEY : 0;
	plan->walk = bandwidth ? talk_of(s)->page : 0;
	plan->arrivals = bandwidth && plan_counts_received(plan) &&
			 !plan_sends(plan, s->run.client);
	if (plan_is_pingpong(plan))
		plan->cq_mod = 1;
	if (plan_is_pingpong(plan) || plan_counts_received(plan))
		leave_warmup_out(&s->run.result->params);
}

/* A server that is written to or read from does not see one size end. */
static void join_sizes(struct session *s)
{
	struct plan *plan = &s->run.result->params.plan;

	if (plan_sends(plan, s->run.client) || plan_counts_received(plan))
		return;
	plan->sizes.bytes[0] = plan_largest(plan);
	plan->sizes.n = 1;
}

static int fit(struct session *s)
{
	struct result *r = s->run.result;
	struct plan *plan = &r->params.plan;
	int ret;

	fit_plan(s);
	ret = plan_fit(plan, &r->client, &r->server, &r->error);
	join_sizes(s);
	if (!ret && !s->run.client)
		ret = quota_check(&r->params, &r->server, &r->error);
	if (ret)
		return ret;
	port_of(s, true)->n_gids = 0;
	r->connected = true;
	return 0;
}

/* Whether this end can do what it was asked for. */
static int check_own(struct session *s)
{
	struct result *r = s->run.result;
	const struct port *own = port_of(s, false);

	if (own->iwarp)
		return port_lacks(own, "queue pairs that are connected without "
				  "rdma_cm, as with perftest", &r->error);
	return limits_check(&r->params, &r->error) ?:
	       plan_fit_client(&r->params.plan, own, &r->error);
}

int perftest_agree(struct session *s)
{
	const struct port *own = port_of(s, false);
	struct plan *plan = &s->run.result->params.plan;
	uint8_t mtu = own_mtu(s);
	uint32_t asked;
	int ret;

	session_stage(s, "plan");
	ret = agree_sizes(s, &mtu) ?: agree_settings(s);
	asked = plan->outstanding_reads;
	ret = ret ?: check_own(s);
	if (ret)
		return ret;
	describe_peer(s, mtu);
	ret = fit(s);
	if (ret)
		return ret;
	talk_of(s)->reads = !op_table[plan->op].fetches ? 1 :
			    asked != PLAN_AUTO ? asked :
			    own->limits.max_qp_rd_atom;
	return 0;
}
