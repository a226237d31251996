/* A provider for the timed loops: queues that complete what a test wants. */
#include "config.h"
#include "fake_provider.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/xalloc.h"

static struct fake *fake_of(struct ibv_context *context)
{
	return (struct fake *)context;	/* its first member */
}

static void push(struct fake_ring *ring, struct fake_completion c)
{
	if (ring->tail - ring->head == FAKE_RING)
		abort();
	ring->entries[ring->tail++ % FAKE_RING] = c;
}

/* Time goes by: the phase moves when it is due. */
static void tick(struct fake *fake)
{
	if (++fake->ticks == fake->mark_at)
		atomic_fetch_add(&fake->control.command, FLOW_MARK);
	if (fake->ticks == fake->sent_at)
		atomic_store(&fake->control.peer_sent, true);
	for (int i = 0; i < FAKE_MOVES; i++)
		if (fake->moves[i].at == fake->ticks)
			flow_set_phase(&fake->control, fake->moves[i].phase);
}

/* By how many posts Q is ahead of the QP that was served least. */
static uint32_t lead(const struct fake *fake, const struct fake_qp *q)
{
	uint64_t least = UINT64_MAX;

	for (uint32_t i = 0; i < fake->n_qps; i++)
		if (fake->qps[i].posted < least)
			least = fake->qps[i].posted;
	return (uint32_t)(q->posted - least);
}

static void note_post(struct fake *fake, struct fake_qp *q,
		      const struct ibv_send_wr *wr)
{
	uint64_t outstanding = ++q->posted - q->retired;

	if (outstanding > q->most)
		q->most = (uint32_t)outstanding;
	if (fake->polls == 0 && lead(fake, q) > fake->unfair)
		fake->unfair = lead(fake, q);
	fake->with_sge += wr->num_sge == 1;
	fake->inlined += (wr->send_flags & IBV_SEND_INLINE) != 0;
	if (q->posted <= 64 && wr->sg_list) {
		q->addresses[q->posted - 1] = wr->sg_list->addr;
		q->remotes[q->posted - 1] = wr->wr.rdma.remote_addr;
	}
	if (!(wr->send_flags & IBV_SEND_SIGNALED))
		return;
	q->signaled++;
	if (q->posted - q->last_signaled > q->widest_gap)
		q->widest_gap = q->posted - q->last_signaled;
	q->last_signaled = q->posted;
}

static int accept_send(struct fake *fake, struct fake_qp *q,
		       const struct ibv_send_wr *wr)
{
	uint64_t sent = fake->ticks;
	struct fake_completion c = {
		.wc = { .wr_id = wr->wr_id, .qp_num = q->index },
	};

	if (fake->wire_free > sent)
		sent = fake->wire_free;
	fake->wire_free = sent + fake->wire;
	c.due = fake->wire_free + fake->delay;

	if (++fake->posts == fake->fail_post)
		return fake->errnum;
	if (q->posted - q->retired >= fake->depth) {
		fake->overflows++;
		return ENOMEM;
	}
	note_post(fake, q, wr);
	c.post = q->posted;
	if (fake->posts == fake->fail_wc) {
		c.wc.status = fake->status;
		c.wc.vendor_err = 0x5a;
		fake->failed_qp = q->index;
	}
	if (c.wc.status || wr->send_flags & IBV_SEND_SIGNALED)
		push(&fake->cqs[q->cqs].sends, c);
	if (fake->peer)
		fake->peer(fake, q, wr);
	tick(fake);
	return 0;
}

static int post_send(struct ibv_qp *qp, struct ibv_send_wr *wr,
		     struct ibv_send_wr **bad)
{
	struct fake *fake = fake_of(qp->context);
	int ret = 0;

	fake->calls++;
	for (; wr && !ret; wr = wr->next) {
		*bad = wr;
		ret = accept_send(fake, &fake->qps[qp->qp_num], wr);
	}
	return ret;
}

/* The whole list is one call. */
static int accept_receives(struct fake *fake, struct fake_rq *rq,
			   struct ibv_recv_wr *wr, struct ibv_recv_wr **bad)
{
	uint32_t length = 0;

	rq->calls++;
	for (; wr; wr = wr->next) {
		struct fake_receive *r =
			&rq->entries[rq->posted % FAKE_RECEIVES];

		*bad = wr;
		if (++fake->recvs == fake->fail_recv)
			return fake->errnum;
		if (rq->posted - rq->taken == FAKE_RECEIVES)
			abort();
		*r = (struct fake_receive){ .wr_id = wr->wr_id };
		if (wr->num_sge)
			r->sge = *wr->sg_list;
		if (++rq->posted - rq->taken > rq->most)
			rq->most = (uint32_t)(rq->posted - rq->taken);
		if (++length > rq->longest)
			rq->longest = length;
	}
	return 0;
}

static int post_recv(struct ibv_qp *qp, struct ibv_recv_wr *wr,
		     struct ibv_recv_wr **bad)
{
	struct fake *fake = fake_of(qp->context);

	if (qp->srq)
		return EINVAL;
	return accept_receives(fake, &fake->qps[qp->qp_num].rq, wr, bad);
}

static int post_srq_recv(struct ibv_srq *srq, struct ibv_recv_wr *wr,
			 struct ibv_recv_wr **bad)
{
	struct fake *fake = fake_of(srq->context);

	return accept_receives(fake, &fake->shared, wr, bad);
}

struct fake_rq *fake_rq_of(struct fake *fake, struct fake_qp *q)
{
	return q->b.qp.srq ? &fake->shared : &q->rq;
}

void fake_deliver_message(struct fake *fake, struct fake_qp *q,
			  const struct ibv_wc *wc, const void *data)
{
	struct fake_rq *rq = fake_rq_of(fake, q);
	struct fake_completion c = {
		.wc = *wc,
		.due = fake->ticks + fake->delay,
	};
	const struct fake_receive *r;

	if (rq->posted == rq->taken) {
		fake->rnr++;
		return;
	}
	r = &rq->entries[rq->taken++ % FAKE_RECEIVES];
	if (data && r->sge.addr)
		memcpy((void *)(uintptr_t)r->sge.addr, data, wc->byte_len);
	c.wc.wr_id = r->wr_id;
	c.wc.qp_num = q->index;
	push(&fake->cqs[q->cqs].receives, c);
}

void fake_deliver(struct fake *fake, struct fake_qp *q)
{
	const struct ibv_wc wc = { .opcode = IBV_WC_RECV };

	fake_deliver_message(fake, q, &wc, NULL);
}

static int req_notify_cq(struct ibv_cq *cq, int solicited_only)
{
	struct fake *fake = fake_of(cq->context);

	(void)solicited_only;
	return ++fake->arms == fake->fail_arm ? fake->errnum : 0;
}

static void retire(struct fake *fake, const struct fake_completion *c)
{
	struct fake_qp *q = &fake->qps[c->wc.qp_num];

	if (!c->post) {
		fake->taken++;
		return;
	}
	fake->retired += c->post - q->retired;
	q->retired = c->post;
}

/* The first completions the loop takes in a phase are an edge for it. */
static void note_edge(struct fake *fake, uint32_t command)
{
	uint32_t phase = phase_of(command);

	if (!fake->reached[phase]) {
		fake->reached[phase] = fake->retired;
		for (uint32_t i = 0; i < fake->n_qps; i++)
			fake->qps[i].retired_at[phase] = fake->qps[i].retired;
	}
	if (!fake->taken_at[phase])
		fake->taken_at[phase] = fake->taken;
	if (command < FLOW_MARK)
		return;
	if (!fake->retired_at_mark)
		fake->retired_at_mark = fake->retired;
	if (!fake->taken_at_mark)
		fake->taken_at_mark = fake->taken;
}

static int poll_cq(struct ibv_cq *cq, int most, struct ibv_wc *wc)
{
	struct fake *fake = fake_of(cq->context);
	struct fake_ring *ring = cq->cq_context;
	uint32_t command = atomic_load(&fake->control.command);
	int n = 0;

	if (fake->on_poll)
		fake->on_poll(fake);
	if (++fake->polls == fake->fail_poll)
		return -1;
	if (fake->batch && (uint32_t)most > fake->batch)
		most = (int)fake->batch;
	while (!fake->never && n < most && ring->head < ring->tail) {
		struct fake_completion *c =
			&ring->entries[ring->head % FAKE_RING];

		if (c->due > fake->ticks)
			break;
		ring->head++;
		wc[n++] = c->wc;
		retire(fake, c);
	}
	if (n)
		note_edge(fake, command);
	tick(fake);
	return n;
}

static void init_qp(struct fake *fake, uint32_t i)
{
	struct fake_qp *q = &fake->qps[i];
	struct flow_qp *fq = &fake->flow_qps[i];

	q->index = i;
	q->b.qp.qp_num = i;
	q->b.qp.context = &fake->context;
	builder_init(&q->b, &q->lists);
	fq->qp = &q->b.qp;
	fq->qpx = &q->b.qpx;
	fq->tag = (uint64_t)i << FLOW_COUNT_BITS;
	fq->requests = fake->requests[i];
	fq->local = 0x10000000ULL * (i + 1);
	fq->remote = 0x10000000ULL * (i + 101);
}

static void init_cqs(struct fake *fake, uint32_t i)
{
	struct fake_cqs *cqs = &fake->cqs[i];

	cqs->send.context = cqs->recv.context = &fake->context;
	cqs->send.cq_context = &cqs->sends;
	cqs->recv.cq_context = &cqs->receives;
	fake->flow_cqs[i] = (struct flow_cqs){ &cqs->send, &cqs->recv };
}

void fake_split_cqs(struct fake *fake, struct flow *flow, uint32_t n)
{
	flow->n_cqs = n;
	for (uint32_t i = 0; i < fake->n_qps; i++)
		fake->qps[i].cqs = i % n;
}

void fake_take_receives(struct fake *fake, struct flow *flow, uint32_t depth,
			uint32_t list, bool shared)
{
	flow->receives = fake->flow_receives;
	flow->n_receives = shared ? 1 : fake->n_qps;
	for (uint32_t i = 0; i < fake->n_qps; i++) {
		struct fake_qp *q = &fake->qps[i];

		q->b.qp.srq = shared ? &fake->srq : NULL;
		fake->flow_qps[i].receives =
			&fake->flow_receives[shared ? 0 : i];
	}
	for (uint32_t i = 0; i < flow->n_receives; i++) {
		struct flow_receives *r = &fake->flow_receives[i];

		*r = (struct flow_receives){
			.qp = shared ? NULL : &fake->qps[i].b.qp,
			.srq = shared ? &fake->srq : NULL,
			.depth = depth,
			.list_length = list,
			.entries = xcalloc(depth, sizeof(*r->entries)),
		};
		for (uint32_t k = 0; k < depth; k++) {
			struct flow_receive *entry = &r->entries[k];

			entry->wr.wr_id = (uint64_t)i << FLOW_COUNT_BITS | k;
			entry->wr.sg_list = &entry->sge;
			entry->wr.num_sge = 1;
		}
	}
}

/* A queue pair that a loop which goes too far would post on, or change. */
static const struct flow_qp not_of_the_flow = { .limit = UINT64_MAX / 2 };

static void check_beyond(const struct fake *fake)
{
	for (uint32_t i = fake->n_qps; i < FAKE_QPS; i++) {
		if (!memcmp(&fake->flow_qps[i], &not_of_the_flow,
			    sizeof(not_of_the_flow)))
			continue;
		fprintf(stderr, "queue pair %u of %u was changed\n", i,
			fake->n_qps);
		abort();
	}
}

struct fake *fake_new(struct flow *flow, uint32_t n_qps)
{
	/* megabytes of rings, of which a test fills little */
	struct fake *fake = mmap(NULL, sizeof(*fake), PROT_READ | PROT_WRITE,
				 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (fake == MAP_FAILED)
		abort();
	fake->n_qps = n_qps;
	fake->depth = UINT32_MAX;
	fake->context.ops.post_send = post_send;
	fake->context.ops.post_recv = post_recv;
	fake->context.ops.post_srq_recv = post_srq_recv;
	fake->context.ops.poll_cq = poll_cq;
	fake->context.ops.req_notify_cq = req_notify_cq;
	fake->srq.context = &fake->context;
	for (uint32_t i = 0; i < FAKE_CQS; i++)
		init_cqs(fake, i);
	for (uint32_t i = 0; i < n_qps; i++)
		init_qp(fake, i);
	for (uint32_t i = n_qps; i < FAKE_QPS; i++)
		fake->flow_qps[i] = not_of_the_flow;
	*flow = (struct flow){
		.qps = fake->flow_qps,
		.n_qps = n_qps,
		.send_cq = &fake->cqs[0].send,
		.recv_cq = &fake->cqs[0].recv,
		.cqs = fake->flow_cqs,
		.n_cqs = 1,
		.clock = &fake->clock,
		.control = &fake->control,
		.progress = &fake->progress,
		.method = POST_LEGACY,
		.edge_error = UINT64_MAX,
		.latency = histogram_new(),
	};
	return fake;
}

void fake_free(struct fake *fake, struct flow *flow)
{
	check_beyond(fake);
	for (uint32_t i = 0; i < FAKE_QPS; i++)
		free(fake->flow_receives[i].entries);
	free(flow->latency);
	munmap(fake, sizeof(*fake));
}
