/* The data path of the fake NIC: what is posted happens at once. */
#include "config.h"
#include "fake_nic.h"

#include <errno.h>
#include <sched.h>
#include <string.h>
#include <time.h>

#include "fake_verbs.h"

/* As long as retries take before a peer that is not there is given up. */
#define RETRIES_NS 500000000

pthread_mutex_t nic_lock = PTHREAD_MUTEX_INITIALIZER;
struct nic_qp *nic_qps[NIC_OBJECTS];
struct nic_mr *nic_mrs[NIC_OBJECTS];

static struct nic_qp *find_qp(uint32_t qpn)
{
	uint32_t i = qpn - NIC_FIRST_QPN;

	return i < NIC_OBJECTS ? nic_qps[i] : NULL;
}

/* The memory at ADDRESS that KEY opens for ACCESS; NULL when it does not. */
static void *translate(uint32_t key, uint64_t address, uint64_t length,
		       unsigned int access)
{
	uint32_t i = key - NIC_RKEY_BASE;
	const struct nic_mr *m = i < NIC_OBJECTS ? nic_mrs[i] : NULL;
	uint64_t start;

	if (!m || (m->access & access) != access)
		return NULL;
	start = (uintptr_t)m->mr.addr;
	if (address < start || length > m->mr.length ||
	    address - start > m->mr.length - length)
		return NULL;
	return (void *)(uintptr_t)address;
}

static void complete(struct ibv_cq *to, struct ibv_wc wc)
{
	struct nic_cq *cq = (struct nic_cq *)to;
	uint64_t tail = atomic_load(&cq->tail);

	if (tail - cq->head >= (uint64_t)cq->cq.cqe) {
		fake_verbs.overflows++;
		return;
	}
	cq->ring[tail % (uint64_t)cq->cq.cqe] = wc;
	atomic_store(&cq->tail, tail + 1);
}

/* The last byte becomes visible last, as write latency relies on. */
static void move(uint8_t *to, const uint8_t *from, uint32_t length)
{
	if (!length)
		return;
	memcpy(to, from, length - 1);
	__atomic_store_n(to + length - 1, from[length - 1], __ATOMIC_RELEASE);
}

/* A message into the next receive of PEER. */
static enum ibv_wc_status receive(struct nic_qp *peer, const void *data,
				  uint32_t length)
{
	struct nic_receive *r =
		&peer->receives[peer->recv_done % peer->cap.max_recv_wr];
	void *to = translate(r->sge.lkey, r->sge.addr, length,
			     IBV_ACCESS_LOCAL_WRITE);

	if (!to || length > r->sge.length)
		return IBV_WC_REM_INV_REQ_ERR;
	move(to, data, length);
	peer->recv_done++;
	complete(peer->qp.recv_cq, (struct ibv_wc){
		.wr_id = r->wr_id,
		.opcode = IBV_WC_RECV,
		.byte_len = length,
		.qp_num = peer->qp.qp_num,
	});
	return IBV_WC_SUCCESS;
}

static enum ibv_wc_status transfer(struct nic_qp *peer,
				   const struct nic_send *s)
{
	uint32_t length = s->wr.num_sge ? s->sge.length : 0;
	bool read = s->wr.opcode == IBV_WR_RDMA_READ;
	uint8_t *here = translate(s->sge.lkey, s->sge.addr, length,
				  read ? IBV_ACCESS_LOCAL_WRITE : 0);
	uint8_t *there;

	if (!here && length)
		return IBV_WC_LOC_PROT_ERR;
	if (s->wr.opcode == IBV_WR_SEND)
		return receive(peer, here, length);
	there = translate(s->wr.wr.rdma.rkey, s->wr.wr.rdma.remote_addr,
			  length, read ? IBV_ACCESS_REMOTE_READ :
					 IBV_ACCESS_REMOTE_WRITE);
	if (!there)
		return IBV_WC_REM_ACCESS_ERR;
	move(read ? here : there, read ? there : here, length);
	return IBV_WC_SUCCESS;
}

static void finish(struct nic_qp *q, const struct nic_send *s,
		   enum ibv_wc_status status)
{
	q->done++;
	if (status)
		q->qp.state = IBV_QPS_ERR;
	if (!status && !(s->wr.send_flags & IBV_SEND_SIGNALED))
		return;
	complete(q->qp.send_cq, (struct ibv_wc){
		.wr_id = s->wr.wr_id,
		.status = status,
		.qp_num = q->qp.qp_num,
	});
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

/* True when Q's next message was dealt with; not when it must wait. */
static bool advance(struct nic_qp *q)
{
	struct nic_send *s = &q->sends[q->done % q->cap.max_send_wr];
	struct nic_qp *peer = find_qp(q->dest);
	enum ibv_wc_status status = IBV_WC_WR_FLUSH_ERR;

	if (q->done == q->posted || fake_verbs.black_hole)
		return false;
	if (q->qp.state == IBV_QPS_ERR) {
		finish(q, s, status);
		return true;
	}
	if (!peer || peer->qp.state < IBV_QPS_RTR ||
	    peer->dest != q->qp.qp_num) {
		if (!retry_exceeded(q))
			return false;
		finish(q, s, IBV_WC_RETRY_EXC_ERR);
		return true;
	}
	if (s->wr.opcode == IBV_WR_SEND &&
	    peer->recv_posted == peer->recv_done)
		return false;
	status = ++fake_verbs.messages == fake_verbs.fail_message ?
			 fake_verbs.status : transfer(peer, s);
	finish(q, s, status);
	return true;
}

static int send_one(struct nic_qp *q, const struct ibv_send_wr *wr)
{
	struct nic_send *s = &q->sends[q->posted % q->cap.max_send_wr];

	if (++fake_verbs.posts == fake_verbs.fail_post)
		return fake_verbs.errnum;
	if (q->qp.state < IBV_QPS_RTS)
		return EINVAL;
	if (q->posted - q->retired >= q->cap.max_send_wr) {
		fake_verbs.overflows++;
		return ENOMEM;
	}
	q->posted++;
	s->wr = *wr;
	s->sge = wr->num_sge ? *wr->sg_list : (struct ibv_sge){ 0 };
	while (advance(q))
		;
	if (q->done != q->posted)
		fake_verbs.receives_late++;
	return 0;
}

static int post_send(struct ibv_qp *qp, struct ibv_send_wr *wr,
		     struct ibv_send_wr **bad)
{
	int ret = 0;

	pthread_mutex_lock(&nic_lock);
	for (; wr && !ret; wr = wr->next) {
		*bad = wr;
		ret = send_one((struct nic_qp *)qp, wr);
	}
	pthread_mutex_unlock(&nic_lock);
	return ret;
}

static int receive_one(struct nic_qp *q, const struct ibv_recv_wr *wr)
{
	struct nic_qp *peer = find_qp(q->dest);

	if (++fake_verbs.posts == fake_verbs.fail_post)
		return fake_verbs.errnum;
	if (q->qp.state < IBV_QPS_INIT)
		return EINVAL;
	if (q->recv_posted - q->recv_done >= q->cap.max_recv_wr) {
		fake_verbs.overflows++;
		return ENOMEM;
	}
	q->receives[q->recv_posted++ % q->cap.max_recv_wr] =
		(struct nic_receive){ wr->wr_id, *wr->sg_list };
	while (peer && peer->dest == q->qp.qp_num && advance(peer))
		;
	return 0;
}

static int post_recv(struct ibv_qp *qp, struct ibv_recv_wr *wr,
		     struct ibv_recv_wr **bad)
{
	int ret;

	*bad = wr;
	pthread_mutex_lock(&nic_lock);
	ret = receive_one((struct nic_qp *)qp, wr);
	pthread_mutex_unlock(&nic_lock);
	return ret;
}

/* The slots of a send queue are free again once the loop saw a completion of
 * that message or a later one. */
static void retire(const struct ibv_wc *wc)
{
	struct nic_qp *q = find_qp(wc->qp_num);

	if (!q || wc->opcode == IBV_WC_RECV)
		return;
	while (q->retired < q->done &&
	       q->sends[q->retired++ % q->cap.max_send_wr].wr.wr_id !=
		       wc->wr_id)
		;
}

/* Queue pairs on CQ whose peers are gone retry in the meantime. */
static void retry(const struct nic_cq *cq)
{
	pthread_mutex_lock(&nic_lock);
	for (uint32_t i = 0; i < NIC_OBJECTS; i++)
		if (nic_qps[i] && nic_qps[i]->qp.send_cq == &cq->cq &&
		    nic_qps[i]->stalled_at)
			while (advance(nic_qps[i]))
				;
	pthread_mutex_unlock(&nic_lock);
	sched_yield();		/* the peer may be on this core */
}

static int poll_cq(struct ibv_cq *from, int most, struct ibv_wc *wc)
{
	struct nic_cq *cq = (struct nic_cq *)from;
	int n = 0;

	if (atomic_load(&cq->tail) == cq->head) {
		if (++cq->empty % 64 == 0)
			retry(cq);
		return 0;
	}
	pthread_mutex_lock(&nic_lock);
	while (n < most && cq->head < atomic_load(&cq->tail)) {
		wc[n] = cq->ring[cq->head++ % (uint64_t)cq->cq.cqe];
		retire(&wc[n++]);
	}
	pthread_mutex_unlock(&nic_lock);
	return n;
}

void nic_set_ops(struct ibv_context_ops *ops)
{
	ops->post_send = post_send;
	ops->post_recv = post_recv;
	ops->poll_cq = poll_cq;
}
