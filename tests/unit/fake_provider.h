/*
 * A NIC that is not there, for the timed loops: the verbs that are inline calls
 * through context->ops.  It completes signaled work some polls after it was
 * posted, notes what the loop did, and fails when told to.
 */
#pragma once

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stdint.h>

#include "fake_builder.h"
#include "traffic/flow.h"

#define FAKE_QPS 8
#define FAKE_CQS 4		/* pairs of completion queues at most */
#define FAKE_RING 8192		/* completions on their way in each */
#define FAKE_RECEIVES 512	/* outstanding in each receive queue */
#define FAKE_MOVES 4

struct fake_receive {
	uint64_t wr_id;
	struct ibv_sge sge;	/* zero: it has none */
};

/* A receive queue: of a QP, or shared. */
struct fake_rq {
	struct fake_receive entries[FAKE_RECEIVES];
	uint64_t posted, taken;
	uint32_t most;		/* outstanding at once */
	uint32_t calls;		/* of ibv_post_recv or ibv_post_srq_recv */
	uint32_t longest;	/* list handed over at once */
};

struct fake_qp {
	struct builder b;
	struct builder_lists lists;
	uint32_t index;
	uint64_t posted;
	uint64_t retired;	/* as far as the loop was told */
	uint64_t retired_at[PHASE_ABORT + 1];
	uint64_t signaled;
	uint64_t last_signaled;	/* number of that post */
	uint64_t widest_gap;	/* posts from one signaled to the next */
	uint32_t most;		/* outstanding at once */
	uint32_t cqs;		/* index of its completion queues */
	struct fake_rq rq;
	uint64_t addresses[64];	/* of the first posts, here and there */
	uint64_t remotes[64];
};

struct fake_completion {
	struct ibv_wc wc;
	uint64_t due;		/* in ticks */
	uint64_t post;		/* its number on its QP; 0: a receive */
};

struct fake_ring {
	struct fake_completion entries[FAKE_RING];
	uint64_t head, tail;
};

/* Completion queues of some of the QPs. */
struct fake_cqs {
	struct ibv_cq send;
	struct ibv_cq recv;
	struct fake_ring sends, receives;
};

struct fake {
	struct ibv_context context;
	uint32_t n_qps;
	struct fake_qp qps[FAKE_QPS];
	struct fake_cqs cqs[FAKE_CQS];
	struct ibv_srq srq;
	struct fake_rq shared;	/* of srq */
	struct flow_qp flow_qps[FAKE_QPS];
	struct flow_cqs flow_cqs[FAKE_CQS];
	struct flow_receives flow_receives[FAKE_QPS];
	struct flow_request requests[FAKE_QPS][FLOW_PREPARED];
	struct flow_control control;
	struct flow_progress progress;
	struct clock clock;
	/* how it behaves */
	uint32_t depth;		/* of each send queue */
	uint32_t delay;		/* ticks from a post to its completion */
	uint32_t wire;		/* ticks that each message takes before that,
				 * one after the other */
	uint32_t batch;		/* most completions of a poll; 0: all */
	bool never;		/* nothing ever completes */
	uint64_t fail_post;	/* this post, from 1, returns errnum */
	uint64_t fail_recv;	/* likewise a receive */
	int errnum;
	uint64_t fail_wc;	/* this post completes with status */
	enum ibv_wc_status status;
	uint64_t fail_poll;	/* this poll returns -1 */
	uint64_t fail_arm;	/* this ibv_req_notify_cq returns errnum */
	/* the phase changes as time goes by */
	struct {
		uint64_t at;	/* ticks: each post and each poll is one */
		enum phase phase;
	} moves[FAKE_MOVES];
	uint64_t mark_at;	/* ticks: a mark is asked for; 0: never */
	uint64_t sent_at;	/* likewise: the peer has sent all */
	/* called for each post that succeeds: the peer */
	void (*peer)(struct fake *fake, struct fake_qp *q,
		     const struct ibv_send_wr *wr);
	void (*on_poll)(struct fake *fake);	/* called before each poll */
	void *argument;
	/* what it saw */
	uint64_t ticks;
	uint64_t wire_free;
	uint64_t posts;
	uint64_t calls;		/* of ibv_post_send */
	uint64_t polls;
	uint64_t recvs;
	uint64_t arms;		/* calls of ibv_req_notify_cq */
	uint64_t retired;
	uint64_t reached[PHASE_ABORT + 1];	/* retired with the first
						 * completions of a phase */
	uint64_t retired_at_mark;	/* likewise */
	uint64_t taken;		/* receives completed, as the loop was told */
	uint64_t taken_at[PHASE_ABORT + 1];	/* likewise */
	uint64_t taken_at_mark;
	uint32_t overflows;	/* posts to a full queue */
	uint32_t unfair;	/* the largest lead of a QP at first */
	uint32_t with_sge;	/* posts that had a scatter/gather entry */
	uint32_t inlined;	/* posts that were inline */
	uint32_t failed_qp;	/* whose completion failed */
	uint32_t rnr;		/* messages that met no receive */
};

/* A fake NIC on the heap with N QPs, and FLOW over it; fake_free() both. */
struct fake *fake_new(struct flow *flow, uint32_t n_qps);
void fake_free(struct fake *fake, struct flow *flow);

/*
 * FLOW's QPs take receives: up to DEPTH each, or in all when they are SHARED,
 * posted LIST at once.  Each has an ID of its own, and no memory: the test can
 * give it some in flow->receives.
 */
void fake_take_receives(struct fake *fake, struct flow *flow, uint32_t depth,
			uint32_t list, bool shared);

/* FLOW's QPs have N pairs of completion queues, in turn. */
void fake_split_cqs(struct fake *fake, struct flow *flow, uint32_t n);

/* flow_prepare() with lists of one. */
static inline void prepare(struct flow *f, enum op op, uint64_t size,
			   uint64_t walk, uint32_t depth, uint32_t every,
			   uint64_t iterations)
{
	flow_prepare(f, op, &(struct flow_shape){
		.size = size,
		.walk = walk,
		.depth = depth,
		.cq_mod = every,
		.list_length = 1,
		.iterations = iterations,
	});
}

/* Where messages to Q go. */
struct fake_rq *fake_rq_of(struct fake *fake, struct fake_qp *q);

/* Receives that Q, or its shared queue, has outstanding. */
static inline uint32_t fake_outstanding(struct fake *fake, struct fake_qp *q)
{
	const struct fake_rq *rq = fake_rq_of(fake, q);

	return (uint32_t)(rq->posted - rq->taken);
}

/* A message from the peer comes in on Q. */
void fake_deliver(struct fake *fake, struct fake_qp *q);

/*
 * The same, as WC says it: opcode, imm_data and wc_flags, status; byte_len
 * bytes of DATA go into the receive, if it has memory.
 */
void fake_deliver_message(struct fake *fake, struct fake_qp *q,
			  const struct ibv_wc *wc, const void *data);
