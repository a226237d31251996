/* Prepares all work requests of a size before its time counts. */
#include "config.h"
#include "traffic/flow.h"

#include "base/numbers.h"
#include "traffic/receive.h"
#include "traffic/verify.h"

/* Number of message slots in the region that a QP walks through. */
static uint64_t walk_slots(const struct flow *f)
{
	const uint64_t extent = gather_extent(&f->out);

	if (f->shape.walk <= extent)
		return 1;
	return (f->shape.walk - extent) / gather_span(&f->out) + 1;
}

static unsigned int send_flags(const struct flow *f, enum op op, bool signaled)
{
	bool fits = f->shape.size <= f->inline_size && f->shape.size > 0;

	return f->flags |
	       (signaled ? IBV_SEND_SIGNALED | f->signaled_flags : 0) |
	       (fits && !op_table[op].fetches ? IBV_SEND_INLINE : 0);
}

/* Set the destination of Q's send WR, OFFSET bytes into the peer's region. */
static void set_target(const struct flow_qp *q, enum op op, uint64_t offset,
		       struct ibv_send_wr *wr)
{
	wr->qp_type.xrc.remote_srqn = q->remote_srqn;
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
 * Prepare send I of Q's list and its copies, as of a signaled list: every
 * layout.signal_every-th send asks for a completion, and so does the last, as
 * signal_every divides list_length.  If some lists are not signaled, only their
 * last sends differ.
 */
static void prepare_request(const struct flow *f, const struct flow_qp *q,
			    enum op op, uint32_t i, struct flow_request *r)
{
	const struct flow_shape *shape = &f->shape;
	uint64_t offset = i % walk_slots(f) * gather_span(&f->out);
	bool last = (i + 1) % shape->list_length == 0;
	bool signaled = (i + 1) % f->layout.signal_every == 0;
	struct ibv_sge *list = f->entries > 1 ? r->wr.sg_list : &r->sge;

	*r = (struct flow_request){
		.wr = {
			.wr_id = q->tag |
				 (q->posted + i % shape->list_length + 1),
			.next = last ? NULL : &r[1].wr,
			.sg_list = list,
			.num_sge = shape->size ? (int)f->out.n : 0,
			.opcode = op_table[op].opcode,
			.send_flags = q->flags[signaled],
		},
		.sge = {
			.addr = q->local + offset,
			.length = (uint32_t)shape->size,
			.lkey = q->lkey,
		},
	};
	if (list != &r->sge)
		gather_fill(&f->out, r->sge.addr, q->lkey, list);
	set_target(q, op, offset, &r->wr);
}

static void prepare_qp(const struct flow *f, enum op op, struct flow_qp *q)
{
	q->ahead = f->layout.positions;
	q->copy = 0;
	q->unsignaled_left = f->layout.unsignaled;
	for (int signaled = 0; signaled < 2; signaled++)
		q->flags[signaled] = send_flags(f, op, signaled);
	for (uint32_t i = 0; i < f->layout.requests; i++)
		prepare_request(f, q, op, i, &q->requests[i]);
}

/*
 * A walk moves from list to list: each has a copy if they fit and have single
 * entries, else the only one moves.  In a region too small for two lists, only
 * the sends within a list walk, and the list itself does not move.
 */
static void prepare_walk(struct flow *f)
{
	const struct flow_shape *shape = &f->shape;
	uint32_t length = shape->list_length;
	uint64_t lists = walk_slots(f) / length;
	bool copies = length > 1 && lists > 1 && f->entries < 2 &&
		      lists <= flow_requests(length) / length;
	bool moves = lists > 1 && !copies;

	f->layout.stride = moves ? gather_span(&f->out) * length : 0;
	f->layout.positions = moves ? lists : UINT64_MAX;
	f->layout.requests = copies ? (uint32_t)lists * length : length;
}

/* Decide which sends of f->shape are signaled. */
static void prepare_signals(struct flow *f)
{
	struct flow_shape *shape = &f->shape;
	uint32_t lists;

	if (shape->cq_mod > shape->depth)
		shape->cq_mod = shape->depth;
	lists = shape->cq_mod / shape->list_length;
	f->layout.unsignaled = lists ? (lists - 1) * shape->list_length : 0;
	f->layout.signal_every = (uint32_t)largest_divisor(shape->list_length,
							   shape->cq_mod);
}

/* Clear the results.  ACK is kept from an earlier run of the same size, as it
 * depends on the size alone. */
static void clear_counts(struct flow *f, uint64_t ack)
{
	f->posted = f->completed = f->received = f->others = 0;
	f->lost = f->left = 0;
	f->expected = UINT64_MAX;
	f->send_events = f->receive_events = 0;
	f->idle_polls = 0;
	f->idle_at = UINT64_MAX;
	f->polls = (struct flow_polls){ .timed_from = UINT64_MAX };
	f->dryness = (struct flow_dryness){ .polls_left = 1, .ack = ack };
	f->window = (struct flow_window){ .opened = 0 };
}

void flow_prepare(struct flow *f, enum op op, const struct flow_shape *shape)
{
	const bool same = f->shape.size == shape->size;

	f->shape = *shape;
	f->out = gather_of(shape->size, f->entries);
	f->slow_path = f->verify || f->entries > 1 || f->copier;
	f->layout.op = op;
	prepare_signals(f);
	prepare_walk(f);
	clear_counts(f, same ? f->dryness.ack : 0);
	f->pingpong.receive = UINT32_MAX;
	f->pace = (struct pacer){ .bursts = 0 };
	f->pingpong.slot = 0;
	tell_progress(f, 0);
	atomic_store(&f->progress->marked, 0);
	atomic_store(&f->progress->over, false);
	if (f->latency)
		histogram_reset(f->latency);
	for (uint32_t i = 0; i < f->n_qps; i++) {
		flow_limit(&f->qps[i], UINT64_MAX);
		if (f->qps[i].requests)
			prepare_qp(f, op, &f->qps[i]);
	}
	for (uint32_t i = 0; i < f->n_receives; i++)
		f->receives[i].before = flow_taken(&f->receives[i]);
	if (f->verify)
		verify_prepare(f);
}

int flow_fill_receives(struct flow *f)
{
	for (uint32_t i = 0; i < f->n_receives; i++) {
		struct flow_receives *r = &f->receives[i];
		int ret = 0;

		while (!ret && r->outstanding + r->waiting < r->depth)
			ret = repost(f, r, r->outstanding + r->waiting);
		if (!ret && r->waiting)
			ret = post_receives(f, r);
		if (ret)
			return ret;
	}
	return 0;
}
