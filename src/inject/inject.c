/* The table of provoked faults, and the functions that change requests, keys
 * and sizes for them. */
#include "config.h"
#include "inject/inject.h"

#include <errno.h>
#include <string.h>
#include <time.h>

#include "inject/faults.h"
#include "model/inject.h"

/* Faults in mid-run strike this long after the start, in ms. */
#define LATER 200
/* Resizes in that time. */
#define RESIZES 10

/* Make the loop keep at most DEPTH receives posted in each queue. */
static void set_depth(struct run *run, uint32_t depth)
{
	for (uint32_t t = 0; t < run->n_flows; t++)
		for (uint32_t i = 0; i < run->flows[t].n_receives; i++)
			run->flows[t].receives[i].depth = depth;
}

static int no_receives(struct run *run)
{
	set_depth(run, 0);
	return 0;
}

static int too_many_receives(struct run *run)
{
	set_depth(run, 64 * run->plan->rx_depth);
	return 0;
}

/* Wait MS milliseconds, or until the run is aborted. */
static void wait_ms(const struct run *run, uint64_t ms)
{
	static const struct timespec pause = { .tv_nsec = 1000000 };
	_Atomic uint32_t *command = &run->control->command;

	for (; ms && phase_of(atomic_load(command)) != PHASE_ABORT; ms--)
		nanosleep(&pause, NULL);
}

static int post_receives(struct run *run)
{
	set_depth(run, run->plan->rx_depth);
	return run_fill_receives(run);
}

static int take_nothing(struct run *run)
{
	wait_ms(run, run->plan->timeout / 1000000);
	return 0;
}

static void make_short(struct run *run, struct flow_receive *r)
{
	(void)run;
	r->sge.length = 1;
}

/* Omit the 40 bytes for the header. */
static void forget_header(struct run *run, struct flow_receive *r)
{
	r->sge.length = (uint32_t)plan_largest(run->plan);
}

static void spoil_receive_key(struct run *run, struct flow_receive *r)
{
	(void)run;
	r->sge.lkey ^= INJECT_KEY;
}

static void move_outside(struct run *run, struct flow_receive *r)
{
	const struct memory *m = &run->res.memory;

	r->sge.addr = (uintptr_t)m->buffer + m->length;
}

typedef void change_request(struct run *run, struct flow_request *r);

/* Change the first send of each QP, or ALL sends. */
static int change_requests(struct run *run, bool all, change_request *change)
{
	size_t length = flow_requests(run->result->params.plan.post_list);

	for (uint32_t i = 0; i < run->res.n_qps; i++) {
		struct flow_request *r = run->res.qps[i].requests;

		for (size_t k = 0; r && k < (all ? length : 1); k++)
			change(run, &r[k]);
	}
	return 0;
}

static void spoil_request_key(struct run *run, struct flow_request *r)
{
	(void)run;
	r->sge.lkey ^= INJECT_KEY;
}

static int first_lkey(struct run *run)
{
	return change_requests(run, false, spoil_request_key);
}

static void halve(struct run *run, struct flow_request *r)
{
	(void)run;
	r->sge.length = ATOMIC_SIZE / 2;
}

static void lengthen(struct run *run, struct flow_request *r)
{
	r->sge.length = run->result->params.plan.mtu + 64;
}

static void divide(struct run *run, struct flow_request *r)
{
	static struct ibv_sge pieces[1024];

	(void)run;
	r->wr.sg_list = pieces;
	r->wr.num_sge = sizeof(pieces) / sizeof(*pieces);
}

/* The loops set the flags of a list's last send. */
static void send_inline(struct run *run, struct flow_request *r)
{
	for (uint32_t i = 0; i < run->res.n_qps; i++)
		for (int k = 0; k < 2; k++)
			run->res.qps[i].flags[k] |= IBV_SEND_INLINE;
	r->wr.send_flags |= IBV_SEND_INLINE;
}

static int renew_memory(struct run *run)
{
	return inject_memory(run, 0);
}

static int read_only(struct run *run)
{
	return inject_memory(run, ~0);
}

static int mr_no_access(struct run *run)
{
	return inject_memory(run, op_table[run->plan->op].access);
}

static int spoil_lkey(struct run *run)
{
	for (uint32_t i = 0; i < run->res.n_qps; i++)
		run->res.qps[i].lkey ^= INJECT_KEY;
	return 0;
}

static int spoil_rkey(struct run *run)
{
	for (uint32_t i = 0; i < run->peer.n; i++)
		run->peer.qps[i].rkey ^= INJECT_KEY;
	return 0;
}

static int spoil_both_keys(struct run *run)
{
	spoil_rkey(run);
	return spoil_lkey(run);
}

/* Shift the address so that the last byte of the first QP's messages is the
 * first one outside. */
static int past_the_end(struct run *run)
{
	run->peer.va += run->peer.length - plan_largest(run->plan) + 1;
	return 0;
}

static int before_the_beginning(struct run *run)
{
	run->peer.va--;
	return 0;
}

static int unaligned(struct run *run)
{
	run->peer.va += ATOMIC_SIZE / 2;
	return 0;
}

static int no_dest_reads(struct run *run)
{
	run->result->params.plan.outstanding_reads = 0;
	return 0;
}

static int other_mtu(struct run *run)
{
	uint8_t *mtu = &run->result->path.mtu;

	*mtu = *mtu == IBV_MTU_256 ? IBV_MTU_512 : IBV_MTU_256;
	return 0;
}

static int to_reset(struct run *run)
{
	return inject_state(run, IBV_QPS_RESET);
}

static int to_init(struct run *run)
{
	return inject_state(run, IBV_QPS_INIT);
}

static int to_error(struct run *run)
{
	return inject_state(run, IBV_QPS_ERR);
}

/* Use the highest unicast QPN: devices assign them from the bottom. */
static int nobodys_qpn(struct run *run)
{
	for (uint32_t i = 0; i < run->peer.n; i++)
		run->peer.qps[i].qpn = ENDPOINT_QPN_MAX - 1;
	return 0;
}

/* A path to addresses reserved for documentation, or to the highest unicast
 * LID. */
static int nobodys_gid(struct run *run)
{
	static const uint8_t v4[] = { 192, 0, 2, 1 };
	static const uint8_t v6[16] = { 0x20, 0x01, 0x0d, 0xb8, [15] = 1 };
	struct path *path = &run->result->path;

	if (gid_is_ipv4(&path->remote.raw))
		memcpy(&path->remote.raw.raw[12], v4, sizeof(v4));
	else
		memcpy(path->remote.raw.raw, v6, sizeof(v6));
	path->dlid = LID_MAX;
	return 0;
}

/* Each datagram carries its own destination, so change that. */
static int datagrams_to_nobody(struct run *run)
{
	for (uint32_t i = 0; i < run->res.n_qps; i++)
		run->res.qps[i].remote_qpn = ENDPOINT_QPN_MAX - 1;
	return 0;
}

static int wrong_qkey(struct run *run)
{
	for (uint32_t i = 0; i < run->res.n_qps; i++)
		run->res.qps[i].remote_qkey ^= 1;
	return 0;
}

/* Resize the queues more than once while nobody takes completions, then from
 * the loop. */
static int resize_queues(struct run *run)
{
	int ret = 0;

	for (int i = 0; i < RESIZES && !ret; i++) {
		wait_ms(run, LATER / RESIZES);
		ret = inject_resizes(run);
	}
	return ret;
}

/* Make the loop believe that the send queue is longer than it is. */
static int long_queue(struct run *run)
{
	for (uint32_t t = 0; t < run->n_flows; t++)
		run->flows[t].shape.depth = UINT16_MAX;
	return 0;
}

/* The functions of a case, at most one per point. */
#define STEPS 3

static const struct {
	bool client;		/* the end to change */
	struct {
		enum inject_point point;
		int (*spoil)(struct run *run);
		bool later;	/* not at once */
	} steps[STEPS];
	inject_change_receive *receive;	/* each, once they are created */
	change_request *request;	/* each, once they are prepared */
} actions[INJECT_COUNT] = {
#define AT(id, end, at, does, ...) \
	[INJECT_##id] = { .client = end, .steps = { \
		{ .point = INJECT_AT_##at, .spoil = does }, __VA_ARGS__ } }
#define IN_MID_RUN(id, end, does) \
	[INJECT_##id] = { .client = end, .steps = { \
		{ INJECT_AT_RUNNING, does, true } } }
#define RECEIVES(id, change) \
	[INJECT_##id] = { .client = SERVER, .receive = change }
#define REQUESTS(id, change) \
	[INJECT_##id] = { .client = CLIENT, .request = change }
#define CLIENT true
#define SERVER false
	AT(NO_RECEIVE, SERVER, ENDPOINT, no_receives),
	AT(NO_RECEIVE_SRQ, SERVER, ENDPOINT, no_receives),
	AT(NO_RECEIVE_EVER, SERVER, ENDPOINT, no_receives),
	AT(SLOW_RECEIVER, SERVER, RUNNING, take_nothing),
	AT(LATE_RECEIVES, SERVER, ENDPOINT, no_receives,
	   { INJECT_AT_RUNNING, post_receives, true }),
	AT(NO_RECEIVE_IMM, SERVER, ENDPOINT, no_receives),
	RECEIVES(SHORT_RECEIVE, make_short),
	RECEIVES(RECEIVE_LKEY, spoil_receive_key),
	RECEIVES(RECEIVE_ADDRESS, move_outside),
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
	REQUESTS(ATOMIC_LENGTH, halve),
	AT(ATOMIC_LKEY, CLIENT, CREATED, spoil_lkey),
	AT(ATOMIC_RKEY, CLIENT, ENDPOINT, spoil_rkey),
	AT(NO_DEST_READS, SERVER, ENDPOINT, no_dest_reads),
	AT(PEER_RESET, SERVER, CONNECTED, to_reset),
	AT(PEER_INIT, SERVER, CONNECTED, to_init),
	AT(PEER_ERROR, SERVER, CONNECTED, to_error),
	IN_MID_RUN(PEER_ERROR_LATER, SERVER, to_error),
	AT(WRONG_QPN, CLIENT, ENDPOINT, nobodys_qpn),
	AT(WRONG_GID, CLIENT, ENDPOINT, nobodys_gid),
	AT(NO_ACK_TIMEOUT, SERVER, CONNECTED, to_error),
	AT(OWN_ERROR, CLIENT, CONNECTED, to_error),
	AT(RECEIVER_ERROR, SERVER, CONNECTED, to_error),
	AT(OWN_RESET, CLIENT, CONNECTED, to_reset),
	AT(FIRST_LKEY, CLIENT, PREPARED, first_lkey),
	AT(FULL_SEND_QUEUE, CLIENT, ENDPOINT, nobodys_qpn,
	   { .point = INJECT_AT_PREPARED, .spoil = long_queue }),
	AT(FULL_COMPLETION_QUEUE, CLIENT, PREPARED, long_queue),
	AT(CQ_OVERRUN, SERVER, CREATED, inject_small_queues,
	   { .point = INJECT_AT_RUNNING, .spoil = take_nothing }),
	AT(CQ_RESIZE, SERVER, RUNNING, resize_queues),
	AT(FULL_RECEIVE_QUEUE, SERVER, ENDPOINT, too_many_receives),
	REQUESTS(MANY_PIECES, divide),
	REQUESTS(MUCH_INLINE, send_inline),
	REQUESTS(UD_TOO_LONG, lengthen),
	RECEIVES(UD_NO_HEADER, forget_header),
	AT(UD_NO_RECEIVE, SERVER, ENDPOINT, no_receives),
	AT(UD_QPN, CLIENT, REACHED, datagrams_to_nobody),
	AT(UD_QKEY, CLIENT, REACHED, wrong_qkey),
	AT(UC_NO_RECEIVE, SERVER, ENDPOINT, no_receives),
	AT(UC_RKEY, CLIENT, ENDPOINT, spoil_rkey),
	AT(UC_NO_ACCESS, SERVER, CREATED, inject_no_access),
	AT(UC_IMM_RKEY, CLIENT, ENDPOINT, spoil_rkey),
	AT(OTHER_MTU, SERVER, ENDPOINT, other_mtu),
	IN_MID_RUN(MR_GONE, SERVER, renew_memory),
	AT(MR_OTHER_PD, SERVER, CREATED, inject_other_domain),
	AT(MW_INVALID, SERVER, CREATED, inject_memory_window,
	   { .point = INJECT_AT_CONNECTED, .spoil = inject_bind_memory_window },
	   { INJECT_AT_RUNNING, inject_invalidate_memory_window, true }),
};

/* Refuse a client's fault that the table does not have for this test, or that
 * is combined with --verify. */
static int check(struct run *run)
{
	const struct plan *plan = run->plan;
	const struct inject_case *c = inject_find(plan->inject);

	if (c && run->res.memory.copier)
		return fail(&run->result->error, -EINVAL, "leave --memory out",
			    "--inject %s: not with messages in %s", c->name,
			    run->res.memory.allocation->text);
	if (c && plan_has_targets(plan))
		return fail(&run->result->error, -EINVAL, "leave -c out",
			    "--inject %s: not over %s", c->name,
			    transport_table[plan->transport].name);
	if (!c || (!plan->verify && !strcmp(test_name_of(plan), c->test)))
		return 0;
	return fail(&run->result->error, -EINVAL, NULL,
		    "--inject %s: only for %s, without --verify", c->name,
		    c->test);
}

int inject_at(struct run *run, enum inject_point point)
{
	uint32_t inject = run->plan->inject;
	int ret = point == INJECT_AT_CREATED ? check(run) : 0;

	if (actions[inject].client != run->client)
		return ret;
	for (int i = 0; i < STEPS && !ret; i++) {
		if (actions[inject].steps[i].point != point)
			continue;
		if (actions[inject].steps[i].later)
			wait_ms(run, LATER);
		ret = actions[inject].steps[i].spoil(run);
	}
	if (!ret && point == INJECT_AT_CREATED && actions[inject].receive)
		inject_change_receives(run, actions[inject].receive);
	if (!ret && point == INJECT_AT_PREPARED && actions[inject].request)
		change_requests(run, true, actions[inject].request);
	return ret;
}
