#include "config.h"
#include "inject/inject.h"

#include <errno.h>
#include <string.h>
#include <time.h>

#include "model/inject.h"

/* In mid-run, this long after the beginning; in ms. */
#define LATER 200

static struct plan *plan_of(struct session *s)
{
	return &s->result->params.plan;
}

/* The receives of all QPs hold DEPTH at most. */
static void set_depth(struct session *s, uint32_t depth)
{
	for (uint32_t t = 0; t < s->n_flows; t++)
		for (uint32_t i = 0; i < s->flows[t].n_receives; i++)
			s->flows[t].receives[i].depth = depth;
}

static int no_receives(struct session *s)
{
	set_depth(s, 0);
	return 0;
}

static int too_many_receives(struct session *s)
{
	set_depth(s, 64 * plan_of(s)->rx_depth);
	return 0;
}

static bool is_over(const struct session *s)
{
	return phase_of(atomic_load(&s->control->command)) == PHASE_ABORT;
}

/* Until the run was given up, at most that long. */
static void wait_ms(const struct session *s, uint64_t ms)
{
	static const struct timespec pause = { .tv_nsec = 1000000 };

	for (uint64_t i = 0; i < ms && !is_over(s); i++)
		nanosleep(&pause, NULL);
}

static int post_late(struct session *s)
{
	wait_ms(s, LATER);
	set_depth(s, plan_of(s)->rx_depth);
	return session_fill_receives(s);
}

static int take_nothing(struct session *s)
{
	wait_ms(s, plan_of(s)->timeout / 1000000);
	return 0;
}

typedef void change_receive(struct session *s, struct flow_receive *r);

static int change_receives(struct session *s, change_receive *change)
{
	const struct plan *plan = plan_of(s);
	const uint32_t n = plan->verify ? plan->rx_depth :
					  plan->recv_post_list;

	for (uint32_t t = 0; t < s->n_flows; t++)
		for (uint32_t i = 0; i < s->flows[t].n_receives; i++)
			for (uint32_t k = 0; k < n; k++)
				change(s, &s->flows[t].receives[i].entries[k]);
	return 0;
}

static void make_short(struct session *s, struct flow_receive *r)
{
	(void)s;
	r->sge.length = 1;
}

static int short_receives(struct session *s)
{
	return change_receives(s, make_short);
}

/* 40 bytes fewer than header and message need. */
static void forget_header(struct session *s, struct flow_receive *r)
{
	r->sge.length = (uint32_t)plan_largest(plan_of(s));
}

static int no_header(struct session *s)
{
	return change_receives(s, forget_header);
}

static void spoil_receive_key(struct session *s, struct flow_receive *r)
{
	(void)s;
	r->sge.lkey ^= INJECT_KEY;
}

static int receive_lkey(struct session *s)
{
	return change_receives(s, spoil_receive_key);
}

static void move_outside(struct session *s, struct flow_receive *r)
{
	r->sge.addr = (uintptr_t)s->res.memory.buffer + s->res.memory.length;
}

static int receive_address(struct session *s)
{
	return change_receives(s, move_outside);
}

static int renew_memory(struct session *s)
{
	return inject_memory(s, 0);
}

static int renew_memory_later(struct session *s)
{
	wait_ms(s, LATER);
	return renew_memory(s);
}

static int invalidate_later(struct session *s)
{
	wait_ms(s, LATER);
	return inject_invalidate_window(s);
}

static int read_only(struct session *s)
{
	return inject_memory(s, ~0);
}

static int mr_no_access(struct session *s)
{
	return inject_memory(s, op_table[plan_of(s)->op].access);
}

static int spoil_lkey(struct session *s)
{
	for (uint32_t i = 0; i < s->res.n_qps; i++)
		s->res.qps[i].lkey ^= INJECT_KEY;
	return 0;
}

static int spoil_rkey(struct session *s)
{
	for (uint32_t i = 0; i < s->peer.n; i++)
		s->peer.qps[i].rkey ^= INJECT_KEY;
	return 0;
}

static int spoil_both_keys(struct session *s)
{
	spoil_rkey(s);
	return spoil_lkey(s);
}

/* The last byte of the first QP's messages is the first one outside. */
static int past_the_end(struct session *s)
{
	s->peer.va += s->peer.length - plan_largest(plan_of(s)) + 1;
	return 0;
}

static int before_the_beginning(struct session *s)
{
	s->peer.va--;
	return 0;
}

static int unaligned(struct session *s)
{
	s->peer.va += ATOMIC_SIZE / 2;
	return 0;
}

static int no_dest_reads(struct session *s)
{
	plan_of(s)->outstanding_reads = 0;
	return 0;
}

static int other_mtu(struct session *s)
{
	uint8_t *mtu = &s->result->path.mtu;

	*mtu = *mtu == IBV_MTU_256 ? IBV_MTU_512 : IBV_MTU_256;
	return 0;
}

static int to_reset(struct session *s)
{
	return inject_state(s, IBV_QPS_RESET);
}

static int to_init(struct session *s)
{
	return inject_state(s, IBV_QPS_INIT);
}

static int to_error(struct session *s)
{
	return inject_state(s, IBV_QPS_ERR);
}

static int to_error_later(struct session *s)
{
	wait_ms(s, LATER);
	return to_error(s);
}

/* The highest, below the one of multicast: devices count from below. */
static int nobodys_qpn(struct session *s)
{
	for (uint32_t i = 0; i < s->peer.n; i++)
		s->peer.qps[i].qpn = ENDPOINT_QPN_MAX - 1;
	return 0;
}

/* An address of those that documents use, and the highest unicast LID. */
static int nobodys_gid(struct session *s)
{
	static const uint8_t v4[] = { 192, 0, 2, 1 };
	static const uint8_t v6[16] = { 0x20, 0x01, 0x0d, 0xb8, [15] = 1 };
	struct path *path = &s->result->path;

	if (gid_is_ipv4(&path->remote.raw))
		memcpy(&path->remote.raw.raw[12], v4, sizeof(v4));
	else
		memcpy(path->remote.raw.raw, v6, sizeof(v6));
	path->dlid = LID_MAX;
	return 0;
}

/* Where datagrams go, of which each has its address. */
static int datagrams_to_nobody(struct session *s)
{
	for (uint32_t i = 0; i < s->res.n_qps; i++)
		s->res.qps[i].remote_qpn = ENDPOINT_QPN_MAX - 1;
	return 0;
}

static int wrong_qkey(struct session *s)
{
	for (uint32_t i = 0; i < s->res.n_qps; i++)
		s->res.qps[i].remote_qkey ^= 1;
	return 0;
}

/* The loop believes in a queue that is longer than it is. */
static int long_queue(struct session *s)
{
	for (uint32_t t = 0; t < s->n_flows; t++)
		s->flows[t].shape.depth = UINT16_MAX;
	return 0;
}

/* The functions of a case: at most one at a point. */
#define STEPS 3

static const struct {
	bool client;		/* which end is changed */
	struct {
		enum inject_point point;
		int (*spoil)(struct session *s);
	} steps[STEPS];
} actions[INJECT_COUNT] = {
#define AT(id, end, point, spoil, ...) \
	[INJECT_##id] = { end, { { INJECT_AT_##point, spoil }, __VA_ARGS__ } }
#define CLIENT true
#define SERVER false
	AT(NO_RECEIVE, SERVER, ENDPOINT, no_receives),
	AT(NO_RECEIVE_SRQ, SERVER, ENDPOINT, no_receives),
	AT(NO_RECEIVE_EVER, SERVER, ENDPOINT, no_receives),
	AT(SLOW_RECEIVER, SERVER, RUNNING, take_nothing),
	AT(LATE_RECEIVES, SERVER, ENDPOINT, no_receives,
	   { INJECT_AT_RUNNING, post_late }),
	AT(NO_RECEIVE_IMM, SERVER, ENDPOINT, no_receives),
	AT(SHORT_RECEIVE, SERVER, CREATED, short_receives),
	AT(RECEIVE_LKEY, SERVER, CREATED, receive_lkey),
	AT(RECEIVE_ADDRESS, SERVER, CREATED, receive_address),
	AT(RECEIVE_DEREG, SERVER, CONNECTED, renew_memory),
	AT(RECEIVE_READ_ONLY, SERVER, CREATED, read_only),
	AT(SEND_LKEY, CLIENT, CREATED, spoil_lkey),
	AT(WRITE_LKEY, CLIENT, CREATED, spoil_lkey),
	AT(READ_LKEY, CLIENT, CREATED, spoil_lkey),
	AT(QUIET_LKEY, CLIENT, CREATED, spoil_lkey),
	AT(READ_RKEY, CLIENT, ENDPOINT, spoil_rkey),
	AT(WRITE_RKEY, CLIENT, ENDPOINT, spoil_rkey),
	AT(WRITE_PAST_END, CLIENT, ENDPOINT, past_the_end),
	AT(WRITE_BEFORE, CLIENT, ENDPOINT, before_the_beginning),
	AT(READ_PAST_END, CLIENT, ENDPOINT, past_the_end),
	AT(READ_BEFORE, CLIENT, ENDPOINT, before_the_beginning),
	AT(WRITE_BOTH_KEYS, CLIENT, ENDPOINT, spoil_both_keys),
	AT(READ_BOTH_KEYS, CLIENT, ENDPOINT, spoil_both_keys),
	AT(IMM_RKEY, CLIENT, ENDPOINT, spoil_rkey),
	AT(MR_NO_WRITE, SERVER, CREATED, mr_no_access),
	AT(MR_NO_READ, SERVER, CREATED, mr_no_access),
	AT(MR_NO_ATOMIC, SERVER, CREATED, mr_no_access),
	AT(QP_NO_WRITE, SERVER, CREATED, inject_no_access),
	AT(QP_NO_READ, SERVER, CREATED, inject_no_access),
	AT(QP_NO_ATOMIC, SERVER, CREATED, inject_no_access),
	AT(EMPTY_WRITE_RKEY, CLIENT, ENDPOINT, spoil_rkey),
	AT(EMPTY_READ_RKEY, CLIENT, ENDPOINT, spoil_rkey),
	AT(ATOMIC_UNALIGNED, CLIENT, ENDPOINT, unaligned),
	AT(ATOMIC_LENGTH, CLIENT, PREPARED, inject_halve_atomics),
	AT(ATOMIC_LKEY, CLIENT, CREATED, spoil_lkey),
	AT(ATOMIC_RKEY, CLIENT, ENDPOINT, spoil_rkey),
	AT(NO_DEST_READS, SERVER, ENDPOINT, no_dest_reads),
	AT(PEER_RESET, SERVER, CONNECTED, to_reset),
	AT(PEER_INIT, SERVER, CONNECTED, to_init),
	AT(PEER_ERROR, SERVER, CONNECTED, to_error),
	AT(PEER_ERROR_LATER, SERVER, RUNNING, to_error_later),
	AT(WRONG_QPN, CLIENT, ENDPOINT, nobodys_qpn),
	AT(WRONG_GID, CLIENT, ENDPOINT, nobodys_gid),
	AT(NO_ACK_TIMEOUT, SERVER, CONNECTED, to_error),
	AT(OWN_ERROR, CLIENT, CONNECTED, to_error),
	AT(RECEIVER_ERROR, SERVER, CONNECTED, to_error),
	AT(OWN_RESET, CLIENT, CONNECTED, to_reset),
	AT(FIRST_LKEY, CLIENT, PREPARED, inject_first_lkey),
	AT(FULL_SEND_QUEUE, CLIENT, ENDPOINT, nobodys_qpn,
	   { INJECT_AT_PREPARED, long_queue }),
	AT(FULL_COMPLETION_QUEUE, CLIENT, PREPARED, long_queue),
	AT(FULL_RECEIVE_QUEUE, SERVER, ENDPOINT, too_many_receives),
	AT(MANY_PIECES, CLIENT, PREPARED, inject_many_pieces),
	AT(MUCH_INLINE, CLIENT, PREPARED, inject_much_inline),
	AT(UD_TOO_LONG, CLIENT, PREPARED, inject_longer_than_mtu),
	AT(UD_NO_HEADER, SERVER, CREATED, no_header),
	AT(UD_NO_RECEIVE, SERVER, ENDPOINT, no_receives),
	AT(UD_QPN, CLIENT, REACHED, datagrams_to_nobody),
	AT(UD_QKEY, CLIENT, REACHED, wrong_qkey),
	AT(UC_NO_RECEIVE, SERVER, ENDPOINT, no_receives),
	AT(UC_RKEY, CLIENT, ENDPOINT, spoil_rkey),
	AT(UC_NO_ACCESS, SERVER, CREATED, inject_no_access),
	AT(UC_IMM_RKEY, CLIENT, ENDPOINT, spoil_rkey),
	AT(OTHER_MTU, SERVER, ENDPOINT, other_mtu),
	AT(MR_GONE, SERVER, RUNNING, renew_memory_later),
	AT(MR_OTHER_PD, SERVER, CREATED, inject_other_domain),
	AT(MW_INVALID, SERVER, CREATED, inject_window,
	   { INJECT_AT_CONNECTED, inject_bind_window },
	   { INJECT_AT_RUNNING, invalidate_later }),
};

/* What a client asks for must be what the table has: a fault in another test,
 * or one whose bytes are looked at, is none of these. */
static int check(struct session *s)
{
	const struct plan *plan = plan_of(s);
	const struct inject_case *c = inject_find(plan->inject);
	char test[TEST_NAME_SIZE];

	if (!c || (!plan->verify &&
		   !strcmp(test_name(plan->op, plan->metric, test), c->test)))
		return 0;
	return fail(&s->result->error, -EINVAL, NULL,
		    "--inject %s: only for %s, without --verify", c->name,
		    c->test);
}

int inject_at(struct session *s, enum inject_point point)
{
	uint32_t inject = plan_of(s)->inject;
	int ret = point == INJECT_AT_CREATED ? check(s) : 0;

	if (actions[inject].client != s->client)
		return ret;
	for (int i = 0; i < STEPS && !ret; i++)
		if (actions[inject].steps[i].point == point)
			ret = actions[inject].steps[i].spoil(s);
	return ret;
}
