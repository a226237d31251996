/* The steps of a schedule. */
#include "config.h"
#include "perftest/talk.h"

#include <errno.h>

#include "base/log.h"
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

/* The server and this end did not mean the same number of values by a report:
 * what was measured has been said by then. */
static int part(struct session *s)
{
	struct talk *t = talk_of(s);

	if (!t->closing)
		return fail(session_error(s), -EPROTO,
			    "measure one size at a time, or without "
			    "--bidirectional",
			    "the %s (%s) swaps another number of values in its "
			    "reports than perftest does, and cannot go on",
			    s->run.conn->peer, t->name);
	t->left = true;
	error_clear(session_error(s));
	log_info("the %s (%s) swaps another number of values in its reports "
		 "than perftest does, and ended; the result is complete",
		 s->run.conn->peer, t->name);
	return 0;
}

/* Send the key OUT of SIZE bytes, after a report.  Where a server waits for a
 * sixth value of it, the answer is of that size. */
static int send_key(struct session *s, const uint8_t *out, size_t size,
		    uint64_t deadline)
{
	uint8_t in[KEY_SIZE_GID];
	size_t got;
	int ret = talk_send(s, "key", out, size, deadline) ?:
		  talk_receive_key_start(s, in, size, deadline, &got);

	if (ret)
		return ret;
	if (got == REPORT_SIZE && !key_begins(in))
		return part(s);
	talk_keep(talk_of(s), in, got);
	return 0;
}

/* Take the sixth value of a client's report, if it sends one where a key of
 * SIZE bytes is due, and answer with the same. */
static int take_sixth(struct session *s, size_t size, uint64_t deadline)
{
	struct talk *t = talk_of(s);
	uint8_t in[KEY_SIZE_GID];
	size_t got;
	int ret = talk_receive_key_start(s, in, size, deadline, &got);

	if (ret)
		return ret;
	if (got != REPORT_SIZE || key_begins(in)) {
		talk_keep(t, in, got);
		return 0;
	}
	t->has_sixth = true;
	report_decode(in, REPORT_VALUES, &t->theirs);
	return talk_send(s, "report", in, REPORT_SIZE, deadline);
}

/* Swap the key OUT for IN, both of SIZE bytes. */
static int swap_bytes(struct session *s, uint64_t more, const uint8_t *out,
		      uint8_t *in, size_t size)
{
	struct talk *t = talk_of(s);
	const bool ends_report = t->reported && !t->has_sixth;
	const uint64_t deadline = talk_deadline(s, more);
	int ret = 0;

	t->reported = false;
	if (!ends_report)
		return talk_swap(s, "key", more, out, in, size);
	if (!s->run.client)
		return take_sixth(s, size, deadline) ?:
		       talk_swap(s, "key", more, out, in, size);
	ret = send_key(s, out, size, deadline);
	return ret || t->left ? ret :
				talk_receive(s, "key", in, size, deadline);
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
	ret = swap_bytes(s, more, out, in, key_size(global));
	if (!ret && !talk_of(s)->left && key_decode(in, global, theirs))
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

/* Swap the sixth value with a peer that has it.  A server that has none takes
 * it for its last key, and ends. */
static int swap_sixth(struct session *s, uint64_t more)
{
	struct talk *t = talk_of(s);
	uint8_t out[REPORT_SIZE], in[REPORT_SIZE];
	int ret;

	report_encode(&t->mine, REPORT_VALUES, out);
	ret = talk_swap(s, "report", more, out, in, sizeof(out));
	if (ret == -ECONNRESET && s->run.client)
		return part(s);
	if (!ret)
		report_decode(in, REPORT_VALUES, &t->theirs);
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
	t->reported = true;
	return ret || !t->has_sixth ? ret : swap_sixth(s, more);
}

int talk_follow(struct session *s, const char *letters, uint64_t more)
{
	struct key again;
	int ret = 0;

	for (; *letters && !ret && !talk_of(s)->left; letters++) {
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
