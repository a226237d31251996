#include "config.h"
#include "fake_provider.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>

#include "base/xalloc.h"

static struct fake *fake_of(struct ibv_context *context)
{
	return (struct fake *)context;	/* its first member */
}

static void push(struct fake_ring *ring, struct fake_completion c)
{
	ring->entries[ring->tail++ % FAKE_RING] = c;
}

/* Time goes by: the phase moves when it is due. */
static void tick(struct fake *fake)
{
	if (++fake->ticks == fake->mark_at)
		atomic_fetch_add(&fake->control.command, FLOW_MARK);
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
	if (q->posted <= 64) {
		q->addresses[q->posted - 1] = wr->sg_list->addr;
		q->remotes[q->posted - 1] = wr->wr.rdma.remote_addr;
	}
	if (!(wr->send_flags & IBV_SEND_SIGNALED))
		return;
	q->signalled++;
	if (q->posted - q->last_signalled > q->widest_gap)
		q->widest_gap = q->posted - q->last_signalled;
	q->last_signalled = q->posted;
}

static int accept_send(struct fake *fake, struct fake_qp *q,
		       const struct ibv_send_wr *wr)
{
	struct fake_completion c = {
		.wr_id = wr->wr_id,
		.due = fake->ticks + fake->delay,
		.qp = q->index,
	};

	if (++fake->posts == fake->fail_post)
		return fake->errnum;
	if (q->posted - q->retired >= fake->depth) {
		fake->overflows++;
		return ENOMEM;
	}
	note_post(fake, q, wr);
	c.post = q->posted;
	if (fake->posts == fake->fail_wc) {
		c.status = fake->status;
		fake->failed_qp = q->index;
	}
	if (c.status || wr->send_flags & IBV_SEND_SIGNALED)
		push(&fake->sends, c);
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

static int post_recv(struct ibv_qp *qp, struct ibv_recv_wr *wr,
		     struct ibv_recv_wr **bad)
{
	struct fake *fake = fake_of(qp->context);
	struct fake_qp *q = &fake->qps[qp->qp_num];

	*bad = wr;
	if (++fake->recvs == fake->fail_recv)
		return fake->errnum;
	if (++q->receives > q->most_receives)
		q->most_receives = q->receives;
	return 0;
}

void fake_deliver(struct fake *fake, struct fake_qp *q)
{
	if (!q->receives) {
		fake->rnr++;
		return;
	}
	q->receives--;
	push(&fake->receives, (struct fake_completion){
		.wr_id = (uint64_t)q->index << FLOW_COUNT_BITS,
		.due = fake->ticks + fake->delay,
		.qp = q->index,
	});
}

static void retire(struct fake *fake, const struct fake_completion *c)
{
	struct fake_qp *q = &fake->qps[c->qp];

	if (!c->post)
		return;
	fake->retired += c->post - q->retired;
	q->retired = c->post;
}

/* The first completions the loop takes in a phase are an edge for it. */
static void note_edge(struct fake *fake, uint32_t phase)
{
	if (fake->reached[phase])
		return;
	fake->reached[phase] = fake->retired;
	for (uint32_t i = 0; i < fake->n_qps; i++)
		fake->qps[i].retired_at[phase] = fake->qps[i].retired;
}

static int poll_cq(struct ibv_cq *cq, int most, struct ibv_wc *wc)
{
	struct fake *fake = fake_of(cq->context);
	struct fake_ring *ring = cq == &fake->send_cq ? &fake->sends :
							&fake->receives;
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
		wc[n++] = (struct ibv_wc){
			.wr_id = c->wr_id,
			.status = c->status,
			.vendor_err = c->status ? 0x5a : 0,
			.qp_num = c->qp,
		};
		retire(fake, c);
	}
	if (n)
		note_edge(fake, phase_of(command));
	if (n && command >= FLOW_MARK && !fake->retired_at_mark)
		fake->retired_at_mark = fake->retired;
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
	builder_init(&q->b);
	fq->qp = &q->b.qp;
	fq->qpx = &q->b.qpx;
	fq->tag = (uint64_t)i << FLOW_COUNT_BITS;
	fq->lists[FLOW_QUIET].requests = fake->requests[i][FLOW_QUIET];
	fq->lists[FLOW_SIGNALLED].requests =
		fake->requests[i][FLOW_SIGNALLED];
	fq->local = 0x10000000ULL * (i + 1);
	fq->remote = 0x10000000ULL * (i + 101);
}

struct fake *fake_new(struct flow *flow, uint32_t n_qps)
{
	struct fake *fake = aligned_alloc(64, (sizeof(*fake) + 63) / 64 * 64);

	if (!fake)
		abort();
	*fake = (struct fake){ .n_qps = n_qps, .depth = UINT32_MAX };
	fake->context.ops.post_send = post_send;
	fake->context.ops.post_recv = post_recv;
	fake->context.ops.poll_cq = poll_cq;
	fake->send_cq.context = fake->recv_cq.context = &fake->context;
	for (uint32_t i = 0; i < n_qps; i++)
		init_qp(fake, i);
	*flow = (struct flow){
		.qps = fake->flow_qps,
		.n_qps = n_qps,
		.send_cq = &fake->send_cq,
		.recv_cq = &fake->recv_cq,
		.clock = &fake->clock,
		.control = &fake->control,
		.progress = &fake->progress,
		.method = POST_LEGACY,
		.latency = histogram_new(),
	};
	return fake;
}

void fake_take_receives(struct fake *fake, struct flow *flow, uint32_t depth)
{
	for (uint32_t i = 0; i < fake->n_qps; i++) {
		struct flow_receives *r = &fake->flow_receives[i];

		r->qp = &fake->qps[i].b.qp;
		r->depth = depth;
		r->list_length = 1;
		r->entries = &fake->receive_entries[i];
		r->entries->wr.wr_id = (uint64_t)i << FLOW_COUNT_BITS;
	}
	flow->receives = fake->flow_receives;
	flow->n_receives = fake->n_qps;
}

void fake_free(struct fake *fake, struct flow *flow)
{
	free(flow->latency);
	free(fake);
}
