/*
 * Data that arrives, if FAKE_DATA names a file that all processes of a test
 * share.  The file has a mailbox for each queue pair and each shared receive
 * queue: what its owner posted to receive, and what arrived.  Remote memory is
 * that of the process whose ID is the rkey.  A message arrives when it is posted,
 * whenever it completes; over RC it is not posted until there is a receive.
 */
#define _GNU_SOURCE
#include "fake_nic.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#define BOXES 1024
#define RING 4096
#define GRH_SIZE 40

struct receive {
	uint64_t wr_id;
	struct iovec room[FAKE_MAX_SGE];
	uint32_t n;
};

struct arrival {
	uint64_t wr_id;
	uint32_t length;
	uint32_t immediate;
	uint32_t sender;
	uint32_t opcode;
	uint32_t flags;
};

/* Senders lock the mailbox of the queue pair, and that of its receives. */
struct fake_box {
	pid_t owner;		/* 0: free */
	uint32_t lock;
	uint32_t receiver;	/* the mailbox that has its receives */
	uint32_t posted, taken;		/* receives */
	uint32_t arrived, seen;
	struct receive receives[RING];
	struct arrival arrivals[RING];
};

/* A request that waits for a receive. */
struct fake_held {
	struct ibv_send_wr wr;
	struct ibv_sge sge[FAKE_MAX_SGE];
};

static struct fake_box *boxes;		/* NULL: no data moves */
static struct fake_qp *queues[BOXES];	/* of this process */
static uint32_t n_queues;		/* all are below */
static struct ibv_context_ops plain;

#define LOAD(x) __atomic_load_n(&(x), __ATOMIC_ACQUIRE)
#define STORE(x, value) __atomic_store_n(&(x), (value), __ATOMIC_RELEASE)

static __attribute__((noreturn)) void give_up(const char *what)
{
	fprintf(stderr, "fake NIC: %s: %s\n", what, strerror(errno));
	abort();
}

static struct fake_box *map(const char *path)
{
	const size_t size = BOXES * sizeof(*boxes);
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	void *all;

	if (fd < 0 || ftruncate(fd, (off_t)size))
		give_up(path);
	all = mmap(NULL, size, PROT_READ | PROT_WRITE,
		   MAP_SHARED | MAP_NORESERVE, fd, 0);
	if (all == MAP_FAILED)
		give_up(path);
	close(fd);
	return all;
}

/* Take a mailbox that nobody owns, or whose owner is gone; -1: none is left. */
static int take_box(void)
{
	for (int i = 0; i < BOXES; i++) {
		struct fake_box *box = &boxes[i];
		pid_t owner = LOAD(box->owner);

		if (owner && (!kill(owner, 0) || errno != ESRCH))
			continue;
		if (!__atomic_compare_exchange_n(&box->owner, &owner, getpid(),
						 false, __ATOMIC_ACQ_REL,
						 __ATOMIC_RELAXED))
			continue;
		box->lock = box->posted = box->taken = 0;
		box->arrived = box->seen = 0;
		box->receiver = (uint32_t)i;
		return i;
	}
	errno = ENOMEM;
	return -1;
}

int fake_data_take(struct fake_qp *q, struct ibv_srq *srq)
{
	const int i = take_box();

	if (i < 0)
		return i;
	if (srq)
		boxes[i].receiver = ((struct fake_srq *)srq)->box;
	q->box = &boxes[i];
	queues[i] = q;
	if (n_queues <= (uint32_t)i)
		n_queues = (uint32_t)i + 1;
	return i;
}

void fake_data_release(struct fake_qp *q)
{
	queues[q->box - boxes] = NULL;
	free(q->held);
	STORE(q->box->owner, 0);
}

struct ibv_srq *ibv_create_srq(struct ibv_pd *pd,
			       struct ibv_srq_init_attr *attr)
{
	struct fake_srq *srq;
	int box;

	(void)attr;
	if (!boxes) {
		errno = EOPNOTSUPP;
		return NULL;
	}
	box = take_box();
	srq = box < 0 ? NULL : calloc(1, sizeof(*srq));
	if (!srq)
		return NULL;
	srq->srq.context = pd->context;
	srq->srq.pd = pd;
	srq->box = (uint32_t)box;
	return &srq->srq;
}

void fake_data_release_srq(struct ibv_srq *srq)
{
	if (boxes)
		STORE(boxes[((struct fake_srq *)srq)->box].owner, 0);
}

static void lock(struct fake_box *box)
{
	while (__atomic_exchange_n(&box->lock, 1, __ATOMIC_ACQUIRE))
		sched_yield();
}

static void unlock(struct fake_box *box)
{
	STORE(box->lock, 0);
}

static uint32_t total(const struct iovec *list, uint32_t n)
{
	size_t length = 0;

	for (uint32_t i = 0; i < n; i++)
		length += list[i].iov_len;
	return (uint32_t)length;
}

static uint32_t list_of(const struct ibv_sge *sge, int n, struct iovec *list)
{
	for (int i = 0; i < n; i++)
		list[i] = (struct iovec){ (void *)(uintptr_t)sge[i].addr,
					  sge[i].length };
	return (uint32_t)n;
}

/* Copy between LIST here and the REMOTE memory of the process PID. */
static void copy(pid_t pid, const struct iovec *list, uint32_t n,
		 const struct iovec *remote, uint32_t n_remote, bool read)
{
	const ssize_t due = total(list, n);
	ssize_t done = !due ? 0 :
		read ? process_vm_readv(pid, list, n, remote, n_remote, 0) :
		       process_vm_writev(pid, list, n, remote, n_remote, 0);

	/* who is gone, or about to go, takes nothing any more */
	if (done != due && !(done < 0 && (errno == ESRCH || errno == EFAULT)))
		give_up("memory of the other end");
}

static struct fake_box *target_of(const struct fake_qp *q,
				  const struct ibv_send_wr *wr)
{
	const uint32_t number = q->qp.qp_type == IBV_QPT_UD ?
					wr->wr.ud.remote_qpn : q->dest;

	return &boxes[(number - FAKE_FIRST_QPN) % BOXES];
}

static bool needs_receive(const struct ibv_send_wr *wr)
{
	return wr->opcode == IBV_WR_SEND || wr->opcode == IBV_WR_SEND_WITH_IMM ||
	       wr->opcode == IBV_WR_RDMA_WRITE_WITH_IMM;
}

static bool has_receive(const struct fake_box *box)
{
	const struct fake_box *receiver = &boxes[box->receiver];

	return LOAD(receiver->posted) != LOAD(receiver->taken) &&
	       LOAD(box->arrived) - LOAD(box->seen) < RING;
}

/* The next receive of BOX; false: there is none. */
static bool take_receive(struct fake_box *box, struct receive *receive)
{
	struct fake_box *receiver = &boxes[box->receiver];
	bool found;

	if (receiver != box)
		lock(receiver);
	found = has_receive(box);
	if (found) {
		*receive = receiver->receives[receiver->taken % RING];
		STORE(receiver->taken, receiver->taken + 1);
	}
	if (receiver != box)
		unlock(receiver);
	return found;
}

/* WR takes a receive of the queue pair that it is for, or is lost. */
static void deliver(struct fake_qp *q, const struct ibv_send_wr *wr,
		    const struct iovec *list, uint32_t n)
{
	const bool datagram = q->qp.qp_type == IBV_QPT_UD;
	const bool writes = wr->opcode == IBV_WR_RDMA_WRITE_WITH_IMM;
	struct fake_box *box = target_of(q, wr);
	struct receive receive;

	lock(box);
	if (!take_receive(box, &receive))
		goto out;
	if (datagram) {
		receive.room[0].iov_base =
			(char *)receive.room[0].iov_base + GRH_SIZE;
		receive.room[0].iov_len -= GRH_SIZE;
	}
	if (!writes)
		copy(box->owner, list, n, receive.room, receive.n, false);
	box->arrivals[box->arrived % RING] = (struct arrival){
		.wr_id = receive.wr_id,
		.length = total(list, n) + (datagram ? GRH_SIZE : 0),
		.immediate = wr->imm_data,
		.sender = q->qp.qp_num,
		.opcode = writes ? IBV_WC_RECV_RDMA_WITH_IMM : IBV_WC_RECV,
		.flags = (datagram ? IBV_WC_GRH : 0) |
			 (wr->opcode != IBV_WR_SEND ? IBV_WC_WITH_IMM : 0),
	};
	STORE(box->arrived, box->arrived + 1);
out:
	unlock(box);
}

/* No other process changes the value meanwhile. */
static void add_or_swap(const struct ibv_send_wr *wr, const struct iovec *list,
			const struct iovec *remote)
{
	uint64_t before, after;
	const struct iovec own = { &before, sizeof(before) };
	const struct iovec changed = { &after, sizeof(after) };

	copy((pid_t)wr->wr.atomic.rkey, &own, 1, remote, 1, true);
	if (wr->opcode == IBV_WR_ATOMIC_FETCH_AND_ADD)
		after = before + wr->wr.atomic.compare_add;
	else
		after = before == wr->wr.atomic.compare_add ?
				wr->wr.atomic.swap : before;
	copy((pid_t)wr->wr.atomic.rkey, &changed, 1, remote, 1, false);
	memcpy(list->iov_base, &before, sizeof(before));
}

static void move(struct fake_qp *q, const struct ibv_send_wr *wr)
{
	struct iovec list[FAKE_MAX_SGE], remote;
	const uint32_t n = list_of(wr->sg_list, wr->num_sge, list);
	const pid_t pid = (pid_t)wr->wr.rdma.rkey;

	remote = (struct iovec){ (void *)(uintptr_t)wr->wr.rdma.remote_addr,
				 total(list, n) };
	switch (wr->opcode) {
	case IBV_WR_RDMA_WRITE:
	case IBV_WR_RDMA_WRITE_WITH_IMM:
		copy(pid, list, n, &remote, 1, false);
		break;
	case IBV_WR_RDMA_READ:
		copy(pid, list, n, &remote, 1, true);
		break;
	case IBV_WR_ATOMIC_CMP_AND_SWP:
	case IBV_WR_ATOMIC_FETCH_AND_ADD:
		remote.iov_base = (void *)(uintptr_t)wr->wr.atomic.remote_addr;
		add_or_swap(wr, list, &remote);
		break;
	default:
		break;
	}
	if (needs_receive(wr))
		deliver(q, wr, list, n);
}

/* Over RC a message without a receive is sent again and again. */
static bool must_wait(const struct fake_qp *q, const struct ibv_send_wr *wr)
{
	return q->n_held || (q->qp.qp_type == IBV_QPT_RC && needs_receive(wr) &&
			     !has_receive(target_of(q, wr)));
}

static int hold(struct fake_qp *q, const struct ibv_send_wr *wr)
{
	struct fake_held *held;

	if (!q->held)
		q->held = calloc(q->depth, sizeof(*q->held));
	if (!q->held || q->n_held == q->depth)
		return ENOMEM;
	held = &q->held[(q->first_held + q->n_held++) % q->depth];
	held->wr = *wr;
	held->wr.next = NULL;
	memcpy(held->sge, wr->sg_list, (size_t)wr->num_sge * sizeof(*held->sge));
	held->wr.sg_list = held->sge;
	return 0;
}

static int post_one(struct fake_qp *q, const struct ibv_send_wr *wr)
{
	struct ibv_send_wr one = *wr, *bad;
	int ret;

	one.next = NULL;
	ret = plain.post_send(&q->qp, &one, &bad);
	if (!ret)
		move(q, wr);
	return ret;
}

static int post_send(struct ibv_qp *qp, struct ibv_send_wr *wr,
		     struct ibv_send_wr **bad)
{
	struct fake_qp *q = (struct fake_qp *)qp;
	int ret = 0;

	for (; wr && !ret; wr = wr->next) {
		*bad = wr;
		if (q->efa && !(wr->send_flags & IBV_SEND_SIGNALED))
			return EINVAL;
		ret = must_wait(q, wr) ? hold(q, wr) : post_one(q, wr);
	}
	return ret;
}

static void post_held(struct fake_qp *q)
{
	while (q->n_held) {
		const struct fake_held *held = &q->held[q->first_held];

		if (needs_receive(&held->wr) &&
		    !has_receive(target_of(q, &held->wr)))
			return;
		post_one(q, &held->wr);
		q->first_held = (q->first_held + 1) % q->depth;
		q->n_held--;
	}
}

static int post_receives(struct fake_box *box, struct ibv_recv_wr *wr,
			 struct ibv_recv_wr **bad)
{
	for (; wr; wr = wr->next) {
		struct receive *receive = &box->receives[box->posted % RING];

		if (box->posted - LOAD(box->taken) >= RING) {
			*bad = wr;
			return ENOMEM;
		}
		receive->wr_id = wr->wr_id;
		receive->n = list_of(wr->sg_list, wr->num_sge, receive->room);
		STORE(box->posted, box->posted + 1);
	}
	return 0;
}

static int post_recv(struct ibv_qp *qp, struct ibv_recv_wr *wr,
		     struct ibv_recv_wr **bad)
{
	return post_receives(((struct fake_qp *)qp)->box, wr, bad);
}

static int post_srq_recv(struct ibv_srq *srq, struct ibv_recv_wr *wr,
			 struct ibv_recv_wr **bad)
{
	return post_receives(&boxes[((struct fake_srq *)srq)->box], wr, bad);
}

static int take(struct fake_qp *q, int most, struct ibv_wc *wc)
{
	struct fake_box *box = q->box;
	int n = 0;

	for (; n < most && box->seen != LOAD(box->arrived); n++) {
		const struct arrival *a = &box->arrivals[box->seen % RING];

		wc[n] = (struct ibv_wc){
			.wr_id = a->wr_id,
			.status = IBV_WC_SUCCESS,
			.opcode = (enum ibv_wc_opcode)a->opcode,
			.byte_len = a->length,
			.imm_data = a->immediate,
			.qp_num = q->qp.qp_num,
			.src_qp = a->sender,
			.wc_flags = a->flags,
		};
		STORE(box->seen, box->seen + 1);
	}
	return n;
}

/* What arrived for the queue pairs that receive into CQ, and then what was
 * sent. */
static int poll_cq(struct ibv_cq *cq, int most, struct ibv_wc *wc)
{
	int n = 0;

	for (uint32_t i = 0; i < n_queues && n < most; i++) {
		struct fake_qp *q = queues[i];

		if (q && q->n_held && q->qp.send_cq == cq)
			post_held(q);
		if (q && q->qp.recv_cq == cq)
			n += take(q, most - n, wc + n);
	}
	return n + plain.poll_cq(cq, most - n, wc + n);
}

bool fake_data_moves(void)
{
	return boxes;
}

void fake_data_open(struct ibv_context_ops *ops)
{
	const char *path = getenv("FAKE_DATA");

	if (!path)
		return;
	if (!boxes)
		boxes = map(path);
	plain = *ops;
	ops->post_send = post_send;
	ops->post_recv = post_recv;
	ops->post_srq_recv = post_srq_recv;
	ops->poll_cq = poll_cq;
}
