/* The steps of a schedule. */
#include "config.h"
#include "perftest/talk.h"

#include <errno.h>

#include "base/numbers.h"
#include "base/xalloc.h"
#include "perftest/schedule.h"
#include "session/peer_address.h"
#include "session/setup.h"

/* This end's key of queue pair I. */
static struct key key_of(const struct session *s, uint32_t i)
{
	const struct endpoint *end = &s->run.result->ends[s->run.client];

	struct key key = {
		.lid = end->lid,
		.reads = talk_of(s)->reads,
		.gid = end->gid,
		.qp = end->qps[i],
	};

	key.qp.va = endpoint_va(end, i);
	return key;
}

static int swap_key(struct session *s, uint32_t i, uint64_t more,
		    struct key *theirs)
{
	const size_t came = talk_of(s)->first_key_size;
	const bool global = talk_of(s)->global;
	const struct key mine = key_of(s, i);
	uint8_t out[KEY_SIZE_GID], in[KEY_SIZE_GID];
	int ret;

	if (came && came != key_size(global))
		return fail(session_error(s), -EPROTO,
			    "choose GIDs with -x at both ends",
			    "the %s (%s) has %s GID, and this end has %s",
			    s->run.conn->peer, talk_of(s)->name,
			    global ? "no" : "a", global ? "one" : "none");
	key_encode(&mine, global, out);
	ret = talk_swap(s, "key", more, out, in, key_size(global));
	if (!ret && key_decode(in, global, theirs))
		ret = talk_refuse(s, "key");
	return ret;
}

/* Both ends of a path must have GIDs of the same family. */
static int check_gid(struct session *s, const struct key *key)
{
	struct result *r = s->run.result;

	if (!talk_of(s)->global ||
	    gid_is_ipv4(&key->gid) == gid_is_ipv4(&r->path.local.raw))
		return 0;
	return fail(&r->error, -ENOENT, "choose GIDs with -x at both ends",
		    "the GID of the %s (%s) is of %s, and this end's is not",
		    s->run.conn->peer, talk_of(s)->name,
		    gid_is_ipv4(&key->gid) ? "IPv4" : "IPv6");
}

/* KEY, the peer's first, has what all of its queue pairs share. */
static int take_first(struct session *s, const struct key *key)
{
	struct result *r = s->run.result;
	struct plan *plan = &r->params.plan;
	struct port *port = s->run.client ? &r->server : &r->client;

	if (op_table[plan->op].fetches && !key->reads)
		return talk_refuse(s, "key");
	plan->outstanding_reads = (uint32_t)smaller(plan->outstanding_reads,
						    key->reads);
	port->lid = (uint16_t)key->lid;
	r->path.dlid = (uint16_t)key->lid;
	r->path.remote = r->path.local;
	r->path.remote.index = PLAN_AUTO;
	r->path.remote.raw = key->gid;
	s->run.peer = (struct endpoint){
		.lid = (uint16_t)key->lid,
		.gid = key->gid,
		.gid_type = r->path.local.type,
		.global = r->path.global,
		.mtu = r->path.mtu,
		.qkey = plan->qkey,
		.n = plan->qps,
		.qps = xcalloc(plan->qps, sizeof(struct endpoint_qp)),
	};
	return peer_address_check(s, &r->path, &r->error) ?: check_gid(s, key);
}

/* Only the first keys count; later ones say the same again. */
static int swap_keys(struct session *s, uint64_t more)
{
	struct talk *t = talk_of(s);
	struct key theirs;
	int ret = 0;

	for (uint32_t i = 0; i < s->run.plan->qps && !ret; i++) {
		ret = swap_key(s, i, more, &theirs);
		if (!ret && !t->knows_peer && !i)
			ret = take_first(s, &theirs);
		if (!ret && !t->knows_peer)
			s->run.peer.qps[i] = theirs.qp;
	}
	if (!ret && !t->knows_peer)
		setup_note_end(s->run.result, !s->run.client, &s->run.peer);
	t->knows_peer = t->knows_peer || !ret;
	return ret;
}

static int connect_qps(struct session *s)
{
	int ret = run_fill_receives(&s->run);

	session_stage(s, "connect");
	s->run.result->has_path = true;
	s->connecting = true;
	ret = ret ?: run_connect(&s->run) ?: run_query(&s->run);
	if (!ret)
		run_find_counters(&s->run);
	return ret;
}

static int swap_reports(struct session *s, uint64_t more)
{
	/* those of an end that only takes messages are uninitialised */
	const bool counts = s->run.plan->bidirectional || !s->run.client;
	struct talk *t = talk_of(s);
	uint8_t out[REPORT_SIZE], in[REPORT_SIZE];
	int ret = 0;

	for (int i = 0; i < REPORT_VALUES && !ret; i++) {
		report_encode(&t->mine, i, out);
		ret = talk_swap(s, "report", more, out, in, sizeof(out));
		if (!ret && counts && report_decode(in, i, &t->theirs))
			ret = talk_refuse(s, "report");
	}
	return ret;
}

int talk_follow(struct session *s, const char *letters, uint64_t more)
{
	struct key again;
	int ret = 0;

	for (; *letters && !ret; letters++) {
		if (*letters == STEP_KEYS)
			ret = swap_keys(s, more);
		else if (*letters == STEP_KEY)
			ret = swap_key(s, 0, more, &again);
		else if (*letters == STEP_CONNECT)
			ret = connect_qps(s);
		else if (*letters == STEP_REPORT || s->run.plan->iterations)
			ret = swap_reports(s, more);
	}
	return ret;
}
