/* Completion queues, their channels and shared receive queues of the fake
 * verbs. */
#include "config.h"
#include "fake_nic.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/time.h"
#include "fake_verbs.h"

/* Polls in a row that find nothing.  Every 64 of them the processor is yielded,
 * as an answer seldom takes longer than 512; from then on the poller sleeps,
 * about as often as the loops look at the time.  One that spins on memory
 * yields each time, as it comes here seldom. */
#define GLANCE 64
#define YIELDING 512
/* A spin on memory between two polls takes longer: ns.  With sanitizers a poll
 * itself takes some microseconds, and a yield at each would leave a busy machine
 * to others. */
#ifdef SANITIZED
#define SELDOM 100000
#define BUSY 64
#else
#define SELDOM 4000
#define BUSY 1024
#endif
/* ns */
#define LONGEST_SLEEP 1000000

struct ibv_comp_channel *ibv_create_comp_channel(struct ibv_context *context)
{
	struct nic_channel *c;
	int fds[2];

	if (nic_call_fails() || pipe2(fds, O_CLOEXEC))
		return NULL;
	c = nic_create(sizeof(*c), &fake_verbs.channels);
	c->channel.context = context;
	c->channel.fd = fds[0];
	c->event_fd = fds[1];
	return &c->channel;
}

int ibv_destroy_comp_channel(struct ibv_comp_channel *channel)
{
	struct nic_channel *c = (struct nic_channel *)channel;

	nic_misuse(channel->refcnt != 0);
	close(channel->fd);
	close(c->event_fd);
	nic_count(&fake_verbs.channels, -1);
	free(c);
	return 0;
}

static bool has_vector(const struct ibv_context *context, int vector)
{
	return vector >= 0 && vector < context->num_comp_vectors;
}

struct ibv_cq *ibv_create_cq(struct ibv_context *context, int cqe,
			     void *cq_context, struct ibv_comp_channel *channel,
			     int vector)
{
	struct nic_cq *cq;

	if (nic_call_fails())
		return NULL;
	if (cqe < 1 || cqe > fake_verbs.attr.max_cqe ||
	    !has_vector(context, vector)) {
		errno = EINVAL;
		return NULL;
	}
	cq = nic_create(sizeof(*cq), &fake_verbs.cqs);
	cq->cq.context = context;
	cq->cq.channel = channel;
	cq->cq.cq_context = cq_context;
	cq->cq.cqe = cqe;
	cq->ring = calloc((size_t)cqe, sizeof(*cq->ring));
	pthread_mutex_lock(&nic_lock);
	fake_verbs.vectors |= 1U << vector;
	fake_verbs.cqs_made++;
	if (channel)
		channel->refcnt++;
	pthread_mutex_unlock(&nic_lock);
	return &cq->cq;
}

/* Completions that are in the queue stay, in their order. */
int ibv_resize_cq(struct ibv_cq *cq, int cqe)
{
	struct nic_cq *c = (struct nic_cq *)cq;
	struct ibv_wc *ring;
	uint64_t n;

	if (nic_call_fails())
		return fake_verbs.errnum;
	if (fake_verbs.no_resize)
		return EOPNOTSUPP;
	if (cqe < 1 || cqe > fake_verbs.attr.max_cqe)
		return EINVAL;
	ring = calloc((size_t)cqe, sizeof(*ring));
	pthread_mutex_lock(&nic_lock);
	n = atomic_load(&c->tail) - c->head;
	for (uint64_t i = 0; i < n && n <= (uint64_t)cqe; i++)
		ring[i] = c->ring[(c->head + i) % (uint64_t)cq->cqe];
	if (n <= (uint64_t)cqe) {
		free(c->ring);
		c->ring = ring;
		c->head = 0;
		atomic_store(&c->tail, n);
		cq->cqe = cqe;
		fake_verbs.resizes++;
	} else {
		free(ring);
	}
	pthread_mutex_unlock(&nic_lock);
	return n <= (uint64_t)cqe ? 0 : EINVAL;
}

int ibv_destroy_cq(struct ibv_cq *cq)
{
	struct nic_cq *c = (struct nic_cq *)cq;

	pthread_mutex_lock(&nic_lock);
	for (uint32_t i = 0; i < nic_places; i++)
		if (nic_qps[i] && (nic_qps[i]->qp.send_cq == cq ||
				   nic_qps[i]->qp.recv_cq == cq))
			fake_verbs.misuses++;
	for (uint32_t i = 0; i < nic_places; i++)
		if (nic_srqs[i] && nic_srqs[i]->cq == cq)
			fake_verbs.misuses++;
	/* the real one would wait for ever */
	if (c->unacked)
		fake_verbs.misuses++;
	if (cq->channel)
		cq->channel->refcnt--;
	pthread_mutex_unlock(&nic_lock);
	nic_count(&fake_verbs.cqs, -1);
	free(c->ring);
	free(c);
	return 0;
}

static void raise_event(struct nic_cq *cq)
{
	const struct nic_channel *c =
		(const struct nic_channel *)cq->cq.channel;

	cq->armed = false;
	fake_verbs.events++;
	if (write(c->event_fd, &cq, sizeof(cq)) < 0)
		perror("completion event");
}

void nic_complete(struct ibv_cq *to, const struct ibv_wc *wc, bool solicited)
{
	struct nic_cq *cq = (struct nic_cq *)to;
	uint64_t tail = atomic_load(&cq->tail);

	if (tail - cq->head >= (uint64_t)cq->cq.cqe) {
		if (!fake_verbs.overflows++)
			fake_verbs_raise(to->context, IBV_EVENT_CQ_ERR);
		return;
	}
	cq->ring[tail % (uint64_t)cq->cq.cqe] = *wc;
	atomic_store(&cq->tail, tail + 1);
	if (cq->armed && (!cq->solicited || solicited || wc->status))
		raise_event(cq);
}

/* As man ibv_req_notify_cq says: of completions there are already nothing is
 * told. */
static int req_notify_cq(struct ibv_cq *cq, int solicited_only)
{
	struct nic_cq *c = (struct nic_cq *)cq;

	pthread_mutex_lock(&nic_lock);
	if (!cq->channel)
		fake_verbs.misuses++;
	/* armed for all it stays so */
	c->solicited = solicited_only && (!c->armed || c->solicited);
	c->armed = cq->channel;
	pthread_mutex_unlock(&nic_lock);
	return 0;
}

int ibv_get_cq_event(struct ibv_comp_channel *channel, struct ibv_cq **cq,
		     void **cq_context)
{
	struct nic_cq *c;

	if (read(channel->fd, &c, sizeof(c)) < 0)
		return -1;
	pthread_mutex_lock(&nic_lock);
	c->unacked++;
	pthread_mutex_unlock(&nic_lock);
	*cq = &c->cq;
	*cq_context = c->cq.cq_context;
	return 0;
}

void ibv_ack_cq_events(struct ibv_cq *cq, unsigned int n)
{
	struct nic_cq *c = (struct nic_cq *)cq;

	nic_misuse(n > c->unacked);
	pthread_mutex_lock(&nic_lock);
	c->unacked -= n;
	pthread_mutex_unlock(&nic_lock);
}

/* Sleep until a message is dealt with: any, since who polls may wait for bytes.
 * Under nic_lock. */
static void await_transfer(struct nic_cq *cq)
{
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_nsec += LONGEST_SLEEP;
	if (until.tv_nsec >= 1000000000) {
		until.tv_nsec -= 1000000000;
		until.tv_sec++;
	}
	nic_waiting++;
	if (cq->seen == nic_transfers)
		pthread_cond_timedwait(&nic_transferred, &nic_lock, &until);
	nic_waiting--;
	cq->seen = nic_transfers;
}

/* True for one who spins on memory and looks here now and then. */
static bool polls_seldom(struct nic_cq *cq)
{
	const uint64_t before = cq->polled_at;

	cq->polled_at = time_now();
	return cq->empty > 1 && cq->polled_at - before > SELDOM;
}

static int poll_cq(struct ibv_cq *from, int most, struct ibv_wc *wc)
{
	struct nic_cq *cq = (struct nic_cq *)from;
	int n = 0;

	if (atomic_load(&cq->tail) == cq->head) {
		const bool sleepy = ++cq->empty >= YIELDING;

		if (cq->empty % (sleepy ? BUSY : GLANCE)) {
			if (polls_seldom(cq))
				sched_yield();
			return 0;
		}
		/* queue pairs whose peers are gone retry in the meantime */
		pthread_mutex_lock(&nic_lock);
		nic_retry(from);
		if (sleepy)
			await_transfer(cq);
		pthread_mutex_unlock(&nic_lock);
		/* the peer may be on this core */
		if (!sleepy)
			sched_yield();
		return 0;
	}
	cq->empty = 0;
	pthread_mutex_lock(&nic_lock);
	while (n < most && cq->head < atomic_load(&cq->tail)) {
		wc[n] = cq->ring[cq->head++ % (uint64_t)cq->cq.cqe];
		nic_retire(&wc[n++]);
	}
	pthread_mutex_unlock(&nic_lock);
	return n;
}

void nic_set_cq_ops(struct ibv_context_ops *ops)
{
	ops->poll_cq = poll_cq;
	ops->req_notify_cq = req_notify_cq;
}

void nic_make_receives(struct nic_rq *rq, uint32_t size, uint32_t entries)
{
	rq->size = size;
	rq->entries = entries;
	rq->ring = calloc(size, sizeof(*rq->ring));
	rq->sge = calloc(size, entries * sizeof(*rq->sge));
}

void nic_free_receives(struct nic_rq *rq)
{
	free(rq->ring);
	free(rq->sge);
}

struct ibv_srq *ibv_create_srq(struct ibv_pd *pd,
			       struct ibv_srq_init_attr *attr)
{
	struct nic_srq *s;

	if (nic_call_fails())
		return NULL;
	if (attr->attr.max_wr < 1 || attr->attr.max_sge < 1 ||
	    attr->attr.max_sge > (uint32_t)fake_verbs.attr.max_srq_sge ||
	    attr->attr.max_wr > (uint32_t)fake_verbs.attr.max_srq_wr) {
		errno = EINVAL;
		return NULL;
	}
	s = nic_create(sizeof(*s), &fake_verbs.srqs);
	s->srq.context = pd->context;
	s->srq.pd = pd;
	nic_count(&pd->handle, 1);
	nic_make_receives(&s->rq, attr->attr.max_wr, attr->attr.max_sge);
	return &s->srq;
}

int ibv_destroy_srq(struct ibv_srq *srq)
{
	struct nic_srq *s = (struct nic_srq *)srq;

	pthread_mutex_lock(&nic_lock);
	for (uint32_t i = 0; i < nic_places; i++)
		if (nic_qps[i] && nic_qps[i]->qp.srq == srq)
			fake_verbs.misuses++;
	pthread_mutex_unlock(&nic_lock);
	if (s->xrcd)
		nic_leave((void **)nic_srqs, s->number - NIC_FIRST_SRQN);
	nic_count(&srq->pd->handle, -1);
	nic_count(&fake_verbs.srqs, -1);
	nic_free_receives(&s->rq);
	free(s);
	return 0;
}
