/*
 * The data path, written as a provider's is: a descriptor and a wr_id into
 * rings, a doorbell per list, a completion queue of its own format that poll
 * translates.  No lock and no system call.
 */
#include "fake_nic.h"

#include <endian.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/timerfd.h>
#if __has_include(<valgrind/callgrind.h>)
#include <valgrind/callgrind.h>
#else
#define CALLGRIND_TOGGLE_COLLECT
#endif

#define likely(x) __builtin_expect(!!(x), 1)
#define ALWAYS_INLINE inline __attribute__((always_inline))
#define unlikely(x) __builtin_expect(!!(x), 0)

static const struct {
	uint8_t hardware;
	uint8_t completion;	/* enum ibv_wc_opcode */
} opcodes[] = {
	[IBV_WR_RDMA_WRITE] = { 0x08, IBV_WC_RDMA_WRITE },
	[IBV_WR_RDMA_WRITE_WITH_IMM] = { 0x09, IBV_WC_RDMA_WRITE },
	[IBV_WR_SEND] = { 0x0a, IBV_WC_SEND },
	[IBV_WR_SEND_WITH_IMM] = { 0x0b, IBV_WC_SEND },
	[IBV_WR_RDMA_READ] = { 0x10, IBV_WC_RDMA_READ },
	[IBV_WR_ATOMIC_CMP_AND_SWP] = { 0x11, IBV_WC_COMP_SWAP },
	[IBV_WR_ATOMIC_FETCH_AND_ADD] = { 0x12, IBV_WC_FETCH_ADD },
};

/* A benchmark that asks for more completions than its queue holds is wrong. */
static __attribute__((cold, noreturn)) void overrun(void)
{
	fprintf(stderr, "fake NIC: a completion queue overflowed\n");
	abort();
}

/* A place for a completion due at DUE: nearly always the last. */
static ALWAYS_INLINE struct fake_cqe *place(struct fake_cq *cq, uint64_t due,
					    const bool timed)
{
	uint32_t at = cq->tail++;

	if (unlikely(at - cq->head > cq->mask))
		overrun();
	while (timed && at != cq->head &&
	       cq->ring[(at - 1) & cq->mask].due > due) {
		cq->ring[at & cq->mask] = cq->ring[(at - 1) & cq->mask];
		at--;
	}
	return &cq->ring[at & cq->mask];
}

static ALWAYS_INLINE void complete(struct fake_qp *q, uint32_t head,
				   const struct ibv_send_wr *wr,
				   uint32_t length, uint64_t now,
				   uint64_t due, const bool timed)
{
	struct fake_cqe *e = place((struct fake_cq *)q->qp.send_cq, due, timed);

	if (timed) {
		e->due = due;
		e->posted = now;
	}
	e->q = q;
	e->index = head;
	e->length = length;
	e->opcode = wr->opcode;
}

static ALWAYS_INLINE void write_segment(struct fake_segment *to,
					const struct ibv_sge *sge)
{
	to->length = htobe32(sge->length);
	to->lkey = htobe32(sge->lkey);
	to->addr = htobe64(sge->addr);
}

/* Write the gather list of WR; returns the length of the message. */
static ALWAYS_INLINE uint32_t write_segments(struct fake_segment *to,
					     const struct ibv_send_wr *wr)
{
	uint32_t length = 0;

	if (likely(wr->num_sge == 1)) {
		write_segment(to, wr->sg_list);
		return wr->sg_list->length;
	}
	for (int i = 0; i < wr->num_sge; i++) {
		write_segment(&to[i], &wr->sg_list[i]);
		length += wr->sg_list[i].length;
	}
	return length;
}

static inline void write_control(struct fake_qp *q, uint32_t head,
				 struct fake_wqe *wqe,
				 const struct ibv_send_wr *wr)
{
	wqe->opcode_index = htobe32(head << 8 | opcodes[wr->opcode].hardware);
	wqe->qpn_segments = htobe32(q->control + (uint32_t)wr->num_sge);
	wqe->flags = wr->send_flags;
	wqe->immediate = wr->imm_data;
	wqe->remote_addr = htobe64(wr->wr.rdma.remote_addr);
	wqe->rkey = htobe32(wr->wr.rdma.rkey);
}

static ALWAYS_INLINE int post_one(struct fake_qp *q, uint32_t head,
				  const struct ibv_send_wr *wr, uint64_t now,
				  const bool timed)
{
	uint32_t index = head & q->mask, length;
	struct fake_wqe *wqe = &q->wqes[index];
	const bool reads = wr->opcode == IBV_WR_RDMA_READ;
	uint64_t due = 0;

	if (unlikely(head - q->tail >= q->depth))
		return ENOMEM;
	if (unlikely((uint32_t)wr->num_sge > FAKE_MAX_SGE ||
		     wr->opcode >= sizeof(opcodes) / sizeof(*opcodes)))
		return EINVAL;
	q->wr_ids[index] = wr->wr_id;
	write_control(q, head, wqe, wr);
	length = write_segments(wqe->data, wr);
	/* a fence lets it begin when all before it are complete */
	if (timed && (wr->send_flags & IBV_SEND_FENCE) && now < q->last_due)
		due = fake_due(q, q->last_due, length, reads);
	else if (timed)
		due = fake_due(q, now, length, reads);
	if ((wr->send_flags | q->signal_all) & IBV_SEND_SIGNALED)
		complete(q, head, wr, length, now, due, timed);
	return 0;
}

/* The device sees a list at its doorbell: all of it was posted then. */
static ALWAYS_INLINE int post_list(struct fake_qp *q, struct ibv_send_wr *wr,
				   struct ibv_send_wr **bad, uint64_t now,
				   const bool timed)
{
	uint32_t head = q->head;
	int ret = 0;

	for (; wr; wr = wr->next, head++) {
		ret = post_one(q, head, wr, now, timed);
		if (unlikely(ret)) {
			*bad = wr;
			break;
		}
	}
	q->head = head;
	__atomic_thread_fence(__ATOMIC_RELEASE);
	q->doorbell = htobe32(head);
	return ret;
}

static __attribute__((noinline)) int post_timed(struct fake_qp *q,
						struct ibv_send_wr *wr,
						struct ibv_send_wr **bad)
{
	return post_list(q, wr, bad, fake_now(), true);
}

static int post_send(struct ibv_qp *qp, struct ibv_send_wr *wr,
		     struct ibv_send_wr **bad)
{
	struct fake_qp *q = (struct fake_qp *)qp;

	if (unlikely(fake_timing.on))
		return post_timed(q, wr, bad);
	return post_list(q, wr, bad, 0, false);
}

/* Receives are taken and never used: nothing arrives here. */
static int post_recv(struct ibv_qp *qp, struct ibv_recv_wr *wr,
		     struct ibv_recv_wr **bad)
{
	struct fake_qp *q = (struct fake_qp *)qp;

	for (; wr; wr = wr->next) {
		if (q->recv_head >= q->cap.max_recv_wr) {
			*bad = wr;
			return ENOMEM;
		}
		q->recv_head++;
	}
	return 0;
}

static inline void translate(const struct fake_cqe *e, struct ibv_wc *wc)
{
	struct fake_qp *q = e->q;

	wc->wr_id = q->wr_ids[e->index & q->mask];
	wc->status = IBV_WC_SUCCESS;
	wc->opcode = (enum ibv_wc_opcode)opcodes[e->opcode].completion;
	wc->vendor_err = 0;
	wc->byte_len = e->length;
	wc->qp_num = q->qp.qp_num;
	wc->wc_flags = 0;
	q->tail = e->index + 1;
}

/* As poll_at_once(), of what is due. */
static __attribute__((noinline)) int poll_timed(struct fake_cq *cq, int most,
						struct ibv_wc *wc)
{
	uint64_t now = cq->head != cq->tail ? fake_now() : 0;
	int n = 0;

	for (; n < most && cq->head != cq->tail; n++, cq->head++) {
		const struct fake_cqe *e = &cq->ring[cq->head & cq->mask];

		if (e->due > now)
			break;
		translate(e, &wc[n]);
		fake_note(e->posted, now);
	}
	return n;
}

static inline int poll_at_once(struct fake_cq *cq, int most, struct ibv_wc *wc)
{
	uint32_t head = cq->head;
	int n = 0;

	for (; n < most && head != cq->tail; n++, head++)
		translate(&cq->ring[head & cq->mask], &wc[n]);
	cq->head = head;
	return n;
}

static int poll_cq(struct ibv_cq *ibcq, int most, struct ibv_wc *wc)
{
	struct fake_cq *cq = (struct fake_cq *)ibcq;
	int n = unlikely(fake_timing.on) ? poll_timed(cq, most, wc) :
					   poll_at_once(cq, most, wc);

	__atomic_thread_fence(__ATOMIC_RELEASE);
	cq->doorbell = htobe32(cq->head);
	return n;
}

/*
 * Under callgrind, only what happens from the first post to the completion
 * that FAKE_COUNT counts is to be counted: programs wait for their peers and
 * some spin to find the frequency of the CPU, and no two runs do it alike.
 */
static uint32_t last_to_count;

static int post_first(struct ibv_qp *qp, struct ibv_send_wr *wr,
		      struct ibv_send_wr **bad)
{
	qp->context->ops.post_send = post_send;
	CALLGRIND_TOGGLE_COLLECT;
	return post_send(qp, wr, bad);
}

static int poll_counting(struct ibv_cq *cq, int most, struct ibv_wc *wc)
{
	int n = poll_cq(cq, most, wc);

	if (unlikely(((struct fake_cq *)cq)->head == last_to_count)) {
		CALLGRIND_TOGGLE_COLLECT;
		cq->context->ops.poll_cq = poll_cq;
	}
	return n;
}

/* Of what completes after it was posted.  What arrives (fake_data.c) raises no
 * event: whoever sleeps looks now and then. */
static int req_notify_cq(struct ibv_cq *ibcq, int solicited_only)
{
	struct fake_cq *cq = (struct fake_cq *)ibcq;
	struct fake_channel *c = (struct fake_channel *)ibcq->channel;
	struct itimerspec when = { 0 };
	uint64_t ns;

	(void)solicited_only;
	if (!c || cq->head == cq->tail)
		return 0;
	ns = fake_ns_until(fake_timing.on ?
				   cq->ring[cq->head & cq->mask].due : 0);
	when.it_value.tv_sec = (time_t)(ns / 1000000000);
	when.it_value.tv_nsec = (long)(ns % 1000000000);
	c->cq = ibcq;
	return timerfd_settime(c->channel.fd, 0, &when, NULL) ? errno : 0;
}

/* Without fake_data.c nothing takes them, either. */
static int post_srq_recv(struct ibv_srq *srq, struct ibv_recv_wr *wr,
			 struct ibv_recv_wr **bad)
{
	(void)srq, (void)wr, (void)bad;
	return 0;
}

void fake_path_ops(struct ibv_context_ops *ops)
{
	const char *count = getenv("FAKE_COUNT");

	last_to_count = count ? (uint32_t)strtoul(count, NULL, 10) : 0;
	ops->post_send = last_to_count ? post_first : post_send;
	ops->post_recv = post_recv;
	ops->post_srq_recv = post_srq_recv;
	ops->poll_cq = last_to_count ? poll_counting : poll_cq;
	ops->req_notify_cq = req_notify_cq;
}
