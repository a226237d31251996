#include "config.h"
#include "traffic/flow.h"

#include <errno.h>
#include <stdlib.h>

#include "base/numbers.h"
#include "traffic/post.h"
#include "traffic/receive.h"
#include "traffic/verify.h"

/* Step of a walk: messages start on cache lines of their own. */

void flow_set_phase(struct flow_control *control, enum phase phase)
{
	uint32_t now = atomic_load(&control->command);

	while (phase_of(now) < phase &&
	       !atomic_compare_exchange_weak(&control->command, &now,
					     (now & ~FLOW_PHASE_MASK) |
						     (uint32_t)phase))
		;
}

uint64_t flow_last_post(const struct flow *f)
{
	uint64_t last = f->posted;

	for (uint32_t i = 0; i < f->n_qps; i++) {
		if (f->qps[i].limit == UINT64_MAX)
			return UINT64_MAX;
		last += f->qps[i].limit - f->qps[i].posted;
	}
	return last;
}

/* The largest divisor of N that is at most MOST, which is above 0. */
static uint32_t divisor(uint32_t n, uint32_t most)
{
	uint32_t d = most < n ? most : n;

	while (n % d)
		d--;
	return d;
}

static uint64_t walk_step(const struct flow_shape *shape)
{
	return round_up(shape->size ? shape->size : 1, CACHE_LINE);
}

/* Places for a message in the region that a QP walks through. */
static uint64_t walk_slots(const struct flow_shape *shape)
{
	if (shape->walk <= shape->size)
		return 1;
	return (shape->walk - shape->size) / walk_step(shape) + 1;
}

static unsigned int send_flags(const struct flow *f, enum op op,
			       bool signalled)
{
	bool fits = f->shape.size <= f->inline_size && f->shape.size > 0;

	return (signalled ? IBV_SEND_SIGNALED : 0) |
	       (fits && !op_table[op].fetches ? IBV_SEND_INLINE : 0);
}

/* Where a send of Q goes, OFFSET bytes into what the peer offers. */
static void set_target(const struct flow_qp *q, enum op op, uint64_t offset,
		       struct ibv_send_wr *wr)
{
	if (op_is_atomic(op)) {
		wr->wr.atomic.remote_addr = q->remote + offset;
		wr->wr.atomic.compare_add = op == OP_FETCH_ADD;
		wr->wr.atomic.rkey = q->rkey;
	} else if (op_table[op].access) {
		wr->wr.rdma.remote_addr = q->remote + offset;
		wr->wr.rdma.rkey = q->rkey;
	} else if (q->ah) {
		wr->wr.ud.ah = q->ah;
		wr->wr.ud.remote_qpn = q->remote_qpn;
		wr->wr.ud.remote_qkey = q->remote_qkey;
	}
}

/*
 * Send I of a list at POSITION.  In a signalled list each list_every-th asks
 * for a completion, and so the last.
 */
static void prepare_request(const struct flow *f, const struct flow_qp *q,
			    enum op op, bool signalled, uint64_t position,
			    uint32_t i, struct flow_request *r)
{
	const struct flow_shape *shape = &f->shape;
	uint64_t offset = i % walk_slots(shape) * walk_step(shape) +
			  position * f->stride;

	signalled = signalled && (i + 1) % f->list_every == 0;
	*r = (struct flow_request){
		.wr = {
			.wr_id = q->tag | (i + 1),
			.next = i + 1 == shape->list_length ? NULL : &r[1].wr,
			.sg_list = &r->sge,
			.num_sge = shape->size > 0,
			.opcode = op_table[op].opcode,
			.send_flags = send_flags(f, op, signalled),
		},
		.sge = {
			.addr = q->local + offset,
			.length = (uint32_t)shape->size,
			.lkey = q->lkey,
		},
	};
	set_target(q, op, offset, &r->wr);
}

static void prepare_list(const struct flow *f, const struct flow_qp *q,
			 enum op op, bool signalled, struct flow_list *list)
{
	uint32_t length = f->shape.list_length;
	uint64_t copies = f->copies ? f->positions : 1;

	list->posted = list->position = 0;
	for (uint64_t n = 0; n < copies; n++)
		for (uint32_t i = 0; i < length; i++)
			prepare_request(f, q, op, signalled, n, i,
					&list->requests[n * length + i]);
}

static void prepare_qp(const struct flow *f, enum op op, struct flow_qp *q)
{
	q->position = 0;
	q->quiet_left = f->quiet;
	q->next = NULL;
	for (int l = 0; l < FLOW_LISTS; l++)
		prepare_list(f, q, op, l == FLOW_SIGNALLED, &q->lists[l]);
}

/*
 * A walk steps from list to list; a region that does not hold two of them is
 * stepped through within the list, which then stays where it is.
 */
static void prepare_walk(struct flow *f)
{
	const struct flow_shape *shape = &f->shape;
	uint32_t length = shape->list_length;
	uint64_t lists = walk_slots(shape) / length;

	f->stride = lists < 2 ? 0 : walk_step(shape) * length;
	f->positions = lists < 2 ? UINT64_MAX : lists;
	f->copies = length > 1 && lists > 1 &&
		    lists <= flow_requests(length) / length;
}

void flow_prepare(struct flow *f, enum op op, const struct flow_shape *shape)
{
	if (f->shape.size != shape->size)
		f->ack = 0;
	f->op = op;
	f->shape = *shape;
	if (f->shape.signal_every > shape->depth)
		f->shape.signal_every = shape->depth;
	f->quiet = f->shape.signal_every / shape->list_length;
	if (f->quiet)
		f->quiet--;
	f->list_every = divisor(shape->list_length, f->shape.signal_every);
	prepare_walk(f);
	f->posted = f->completed = f->received = f->lost = 0;
	f->arrived_at = 0;
	f->taken = UINT32_MAX;
	f->idle_turns = 0;
	f->idle_at = UINT64_MAX;
	f->watch_from = UINT64_MAX;
	f->looked_at = f->looked_before = f->gap = f->due_since = 0;
	f->look_in = 1;
	f->spacing = 0;
	f->look_since = f->look_completed = 0;
	f->looks = f->dry = 0;
	f->opening = f->closing = f->mark = (struct flow_edge){ 0 };
	f->expected = UINT64_MAX;
	f->opened = f->closed = f->warmup = f->counted = 0;
	f->cut = false;
	f->pace = (struct pacer){ .bursts = 0 };
	f->slot = 0;
	tell_progress(f, 0);
	atomic_store(&f->progress->marked, 0);
	atomic_store(&f->progress->over, false);
	if (f->latency)
		histogram_reset(f->latency);
	for (uint32_t i = 0; i < f->n_qps; i++) {
		f->qps[i].limit = UINT64_MAX;
		if (f->qps[i].lists[0].requests)
			prepare_qp(f, op, &f->qps[i]);
	}
	if (f->verify)
		verify_prepare(f);
}

int flow_fill_receives(struct flow *f)
{
	for (uint32_t i = 0; i < f->n_receives; i++) {
		struct flow_receives *r = &f->receives[i];
		int ret = 0;

		while (!ret && r->posted + r->waiting < r->depth)
			ret = give_back(f, r, r->posted + r->waiting);
		if (!ret && r->waiting)
			ret = post_receives(f, r);
		if (ret)
			return ret;
	}
	return 0;
}

int flow_verb_failed(struct flow *f, const char *verb, uint32_t qp_index,
		     int errnum)
{
	int ret = errnum ? -abs(errnum) : -EIO;

	if (!f->failure.verb)
		f->failure = (struct flow_failure){
			.verb = verb,
			.errnum = -ret,
			.qp_index = qp_index,
		};
	return ret;
}

/* The QP that WC is of: its ID names it, but for a shared receive. */
static uint32_t failed_qp(const struct flow *f, const struct ibv_wc *wc,
			  bool receive)
{
	bool shared = receive && f->n_receives && f->receives->srq;

	for (uint32_t i = 0; shared && i < f->n_qps; i++)
		if (f->qps[i].qp->qp_num == wc->qp_num)
			return i;
	return (uint32_t)(wc->wr_id >> FLOW_COUNT_BITS);
}

/* Which message of its QP the send is that WC is of; 0 when it does not say:
 * with credits an ID counts fences and credits as well. */
static uint64_t failed_message(const struct flow *f, const struct ibv_wc *wc,
			       bool receive)
{
	bool other = receive || (f->verify && f->verify->credits);

	return other ? 0 : wc->wr_id & FLOW_COUNT_MASK;
}

int flow_completion_failed(struct flow *f, const struct ibv_wc *wc,
			   bool receive)
{
	bool flushed = f->failure.verb &&
		       f->failure.status == IBV_WC_WR_FLUSH_ERR;

	if (!f->failure.verb || flushed)
		f->failure = (struct flow_failure){
			.verb = "ibv_poll_cq",
			.status = wc->status,
			.vendor_err = wc->vendor_err,
			.qp_index = failed_qp(f, wc, receive),
			.receive = receive,
			.number = failed_message(f, wc, receive),
		};
	return -EIO;
}

/* Flushed work is the consequence of an error, not the error. */
static bool find_failure(struct flow *f, struct ibv_cq *cq, bool receive)
{
	struct ibv_wc wc;

	while (cq && ibv_poll_cq(cq, 1, &wc) == 1) {
		if (wc.status == IBV_WC_SUCCESS ||
		    wc.status == IBV_WC_WR_FLUSH_ERR)
			continue;
		flow_completion_failed(f, &wc, receive);
		return true;
	}
	return false;
}

bool flow_find_failure(struct flow *f)
{
	bool found = f->failure.verb &&
		     f->failure.status != IBV_WC_WR_FLUSH_ERR;

	for (uint32_t i = 0; i < f->n_cqs && !found; i++)
		found = find_failure(f, f->cqs[i].send, false) ||
			find_failure(f, f->cqs[i].recv, true);
	return found;
}
