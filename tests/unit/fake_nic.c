/* The data path of the fake NIC: what is posted happens at once. */
#include "config.h"
#include "fake_nic.h"

#include <errno.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "fake_verbs.h"

/* As long as retries take before a peer that is not there is given up. */
#define RETRIES_NS 500000000

pthread_mutex_t nic_lock = PTHREAD_MUTEX_INITIALIZER;
uint64_t nic_transfers;
unsigned int nic_waiting;
pthread_cond_t nic_transferred = PTHREAD_COND_INITIALIZER;
struct nic_qp *nic_qps[NIC_OBJECTS];
struct nic_mr *nic_mrs[NIC_OBJECTS];

struct nic_qp *nic_find_qp(uint32_t qpn)
{
	uint32_t i = qpn - NIC_FIRST_QPN;

	return i < NIC_OBJECTS ? nic_qps[i] : NULL;
}

bool nic_is_reliable(const struct nic_qp *q)
{
	return q->qp.qp_type == IBV_QPT_RC ||
	       q->qp.qp_type == IBV_QPT_XRC_SEND ||
	       q->qp.qp_type == IBV_QPT_XRC_RECV;
}

static void finish(struct nic_qp *q, const struct nic_send *s,
		   enum ibv_wc_status status)
{
	const struct ibv_wc wc = {
		.wr_id = s->wr.wr_id,
		.opcode = nic_opcodes[s->wr.opcode].sent,
		.status = status,
		.qp_num = q->qp.qp_num,
	};

	q->done++;
	if (status)
		q->qp.state = IBV_QPS_ERR;
	if (status || s->wr.send_flags & IBV_SEND_SIGNALED)
		nic_complete(q->qp.send_cq, &wc, false);
	nic_transfers++;
	if (nic_waiting)
		pthread_cond_broadcast(&nic_transferred);
}

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

/* No answer from the peer of Q: is it time to say so? */
static bool retry_exceeded(struct nic_qp *q)
{
	if (!q->stalled_at)
		q->stalled_at = now_ns();
	return now_ns() - q->stalled_at > RETRIES_NS;
}

/* One more; a test may look at the count without the lock. */
static uint64_t count_message(void)
{
	return __atomic_add_fetch(&fake_verbs.messages, 1, __ATOMIC_RELAXED);
}

/* The next message of an unreliable QP goes out, wherever it ends. */
static void send_away(struct nic_qp *q, const struct nic_send *s)
{
	struct nic_qp *peer = nic_peer(q, s);
	uint32_t every = fake_verbs.lose_every;
	uint64_t nth = ++fake_verbs.unreliable;

	if (nth <= fake_verbs.lose_first || (every && nth % every == 0)) {
		fake_verbs.lost++;
		peer = NULL;
	}
	if (fake_verbs.black_hole && nth > fake_verbs.spare_first)
		peer = NULL;
	finish(q, s, count_message() == fake_verbs.fail_message ?
			     fake_verbs.status : nic_transfer(q, peer, s));
}

/* True when Q's next message was dealt with; not when it must wait. */
static bool advance(struct nic_qp *q)
{
	struct nic_send *s;
	struct nic_qp *peer;
	struct nic_rq *rq;

	if (q->done == q->posted)
		return false;
	s = &q->sends[q->done % q->cap.max_send_wr];
	if (q->qp.state == IBV_QPS_ERR) {
		finish(q, s, IBV_WC_WR_FLUSH_ERR);
		return true;
	}
	if (!nic_is_reliable(q)) {
		send_away(q, s);
		return true;
	}
	if (__atomic_load_n(&fake_verbs.black_hole, __ATOMIC_RELAXED))
		return false;
	peer = nic_peer(q, s);
	if (!peer) {
		if (!retry_exceeded(q))
			return false;
		finish(q, s, IBV_WC_RETRY_EXC_ERR);
		return true;
	}
	rq = nic_receives_of(peer, s);
	if (nic_opcodes[s->wr.opcode].takes_receive && rq &&
	    rq->posted == rq->done)
		return false;
	finish(q, s, count_message() == fake_verbs.fail_message ?
			     fake_verbs.status : nic_transfer(q, peer, s));
	return true;
}

/* Copied when it is posted: the buffer is the caller's again. */
static int keep_send(const struct nic_qp *q, const struct ibv_send_wr *wr)
{
	const uint64_t slot = q->posted % q->cap.max_send_wr;
	struct nic_send *s = &q->sends[slot];
	uint32_t length = 0;

	*s = (struct nic_send){
		.wr = *wr,
		.sge = q->sge + slot * q->cap.max_send_sge,
		.inline_data = q->inline_data + slot * q->cap.max_inline_data,
	};
	if (wr->num_sge > (int)q->cap.max_send_sge)
		return EINVAL;
	if (wr->num_sge)
		memcpy(s->sge, wr->sg_list,
		       (size_t)wr->num_sge * sizeof(*s->sge));
	if (wr->num_sge > 1)
		fake_verbs.gathered++;
	if (!(wr->send_flags & IBV_SEND_INLINE))
		return 0;
	for (int i = 0; i < wr->num_sge; i++) {
		const struct ibv_sge *e = &s->sge[i];

		if (e->length > q->cap.max_inline_data - length)
			return EINVAL;
		memcpy(s->inline_data + length,
		       (const void *)(uintptr_t)e->addr, e->length);
		length += e->length;
	}
	fake_verbs.inlined++;
	return 0;
}

static int send_one(struct nic_qp *q, const struct ibv_send_wr *wr)
{
	int ret;

	if (++fake_verbs.posts == fake_verbs.fail_post)
		return fake_verbs.errnum;
	if (q->qp.state < IBV_QPS_RTS)
		return EINVAL;
	if (q->posted - q->retired >= q->cap.max_send_wr) {
		fake_verbs.overflows++;
		return ENOMEM;
	}
	ret = keep_send(q, wr);
	if (ret)
		return ret;
	q->posted++;
	while (advance(q))
		;
	if (q->done != q->posted)
		fake_verbs.receives_late++;
	return 0;
}

/* Longer than any message is waited for over UC and UD. */
static void be_late(void)
{
	bool late;

	pthread_mutex_lock(&nic_lock);
	late = fake_verbs.unreliable + 1 == fake_verbs.late_message;
	pthread_mutex_unlock(&nic_lock);
	if (late)
		usleep(200000);
}

static int post_send(struct ibv_qp *qp, struct ibv_send_wr *wr,
		     struct ibv_send_wr **bad)
{
	int ret = 0;

	if (fake_verbs.late_message)
		be_late();
	pthread_mutex_lock(&nic_lock);
	for (; wr && !ret; wr = wr->next) {
		*bad = wr;
		ret = send_one((struct nic_qp *)qp, wr);
	}
	pthread_mutex_unlock(&nic_lock);
	return ret;
}

/* Whoever waits for a receive of RQ goes on. */
static void serve_senders(const struct nic_rq *rq, uint32_t dest)
{
	struct nic_qp *peer = nic_find_qp(dest);

	if (peer && peer->qp.qp_type == IBV_QPT_RC && nic_find_qp(peer->dest) &&
	    nic_find_qp(peer->dest)->rq == rq)
		while (advance(peer))
			;
}

/* Whoever sends over XRC goes on if it can. */
static void serve_xrc(void)
{
	for (uint32_t i = 0; i < nic_places; i++)
		if (nic_qps[i] && nic_qps[i]->qp.qp_type == IBV_QPT_XRC_SEND)
			while (advance(nic_qps[i]))
				;
}

static bool is_outstanding(const struct nic_rq *rq, uint64_t wr_id)
{
	for (uint64_t i = rq->done; i < rq->posted; i++)
		if (rq->ring[i % rq->size].wr_id == wr_id)
			return true;
	return false;
}

static int keep_receive(struct nic_rq *rq, const struct ibv_recv_wr *wr)
{
	struct nic_receive *r;
	uint64_t slot;

	if (wr->num_sge > (int)rq->entries)
		return EINVAL;
	if (fake_verbs.distinct && is_outstanding(rq, wr->wr_id))
		return EEXIST;
	if (++fake_verbs.posts == fake_verbs.fail_post)
		return fake_verbs.errnum;
	if (rq->posted - rq->done >= rq->size) {
		fake_verbs.overflows++;
		return ENOMEM;
	}
	slot = rq->posted % rq->size;
	r = &rq->ring[slot];
	*r = (struct nic_receive){ .wr_id = wr->wr_id,
				   .sge = rq->sge + slot * rq->entries,
				   .num_sge = wr->num_sge };
	if (wr->num_sge)
		memcpy(r->sge, wr->sg_list,
		       (size_t)wr->num_sge * sizeof(*r->sge));
	if (wr->num_sge > 1)
		fake_verbs.scattered++;
	rq->posted++;
	return 0;
}

static int post_recv(struct ibv_qp *qp, struct ibv_recv_wr *wr,
		     struct ibv_recv_wr **bad)
{
	struct nic_qp *q = (struct nic_qp *)qp;
	int ret = 0;

	pthread_mutex_lock(&nic_lock);
	if (q->qp.state < IBV_QPS_INIT || qp->srq)
		ret = EINVAL;
	for (; wr && !ret; wr = wr->next) {
		*bad = wr;
		ret = keep_receive(q->rq, wr);
		if (!ret)
			serve_senders(q->rq, q->dest);
	}
	pthread_mutex_unlock(&nic_lock);
	return ret;
}

static int post_srq_recv(struct ibv_srq *srq, struct ibv_recv_wr *wr,
			 struct ibv_recv_wr **bad)
{
	struct nic_rq *rq = &((struct nic_srq *)srq)->rq;
	int ret = 0;

	pthread_mutex_lock(&nic_lock);
	for (; wr && !ret; wr = wr->next) {
		*bad = wr;
		ret = keep_receive(rq, wr);
	}
	for (uint32_t i = 0; i < nic_places; i++)
		if (nic_qps[i] && nic_qps[i]->rq == rq)
			serve_senders(rq, nic_qps[i]->dest);
	if (((struct nic_srq *)srq)->xrcd)
		serve_xrc();
	pthread_mutex_unlock(&nic_lock);
	return ret;
}

void nic_retire(const struct ibv_wc *wc)
{
	struct nic_qp *q = nic_find_qp(wc->qp_num);

	if (!q || wc->opcode & IBV_WC_RECV)
		return;
	while (q->retired < q->done &&
	       q->sends[q->retired++ % q->cap.max_send_wr].wr.wr_id !=
		       wc->wr_id)
		;
}

void nic_retry(const struct ibv_cq *cq)
{
	for (uint32_t i = 0; i < nic_places; i++)
		if (nic_qps[i] && nic_qps[i]->qp.send_cq == cq &&
		    nic_qps[i]->stalled_at)
			while (advance(nic_qps[i]))
				;
}

void nic_set_ops(struct ibv_context_ops *ops)
{
	ops->post_send = post_send;
	ops->post_recv = post_recv;
	ops->post_srq_recv = post_srq_recv;
	nic_set_cq_ops(ops);
	nic_set_window_ops(ops);
}
