/*
 * A NIC that is not there, for the timed loops: the three verbs that are
 * inline calls through context->ops.  It completes signalled work some polls
 * after it was posted, notes what the loop did, and fails when told to.
 */
#ifndef TESTS_UNIT_FAKE_PROVIDER_H
#define TESTS_UNIT_FAKE_PROVIDER_H

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stdint.h>

#include "fake_builder.h"
#include "traffic/flow.h"

#define FAKE_QPS 8
#define FAKE_RING 65536		/* completions on their way */
#define FAKE_MOVES 4

struct fake_qp {
	struct builder b;
	uint32_t index;
	uint64_t posted;
	uint64_t retired;	/* as far as the loop was told */
	uint64_t retired_at[PHASE_ABORT + 1];
	uint64_t signalled;
	uint64_t last_signalled;	/* number of that post */
	uint64_t widest_gap;	/* posts from one signalled to the next */
	uint32_t most;		/* outstanding at once */
	uint32_t receives;
	uint32_t most_receives;
	uint64_t addresses[64];	/* of the first posts, here and there */
	uint64_t remotes[64];
};

struct fake_completion {
	uint64_t wr_id;
	uint64_t due;		/* in ticks */
	uint64_t post;		/* its number on its QP; 0: a receive */
	uint32_t qp;
	enum ibv_wc_status status;
};

struct fake_ring {
	struct fake_completion entries[FAKE_RING];
	uint64_t head, tail;
};

struct fake {
	struct ibv_context context;
	struct ibv_cq send_cq;
	struct ibv_cq recv_cq;
	uint32_t n_qps;
	struct fake_qp qps[FAKE_QPS];
	struct flow_qp flow_qps[FAKE_QPS];
	struct flow_request requests[FAKE_QPS][FLOW_LISTS][FLOW_PREPARED];
	struct flow_receives flow_receives[FAKE_QPS];
	struct flow_receive receive_entries[FAKE_QPS];
	struct flow_control control;
	struct flow_progress progress;
	struct clock clock;
	/* how it behaves */
	uint32_t depth;		/* of each send queue */
	uint32_t delay;		/* ticks from a post to its completion */
	uint32_t batch;		/* most completions of a poll; 0: all */
	bool never;		/* nothing ever completes */
	uint64_t fail_post;	/* this post, from 1, returns errnum */
	uint64_t fail_recv;	/* likewise a receive */
	int errnum;
	uint64_t fail_wc;	/* this post completes with status */
	enum ibv_wc_status status;
	uint64_t fail_poll;	/* this poll returns -1 */
	/* the phase changes as time goes by */
	struct {
		uint64_t at;	/* ticks: each post and each poll is one */
		enum phase phase;
	} moves[FAKE_MOVES];
	uint64_t mark_at;	/* ticks: a mark is asked for; 0: never */
	/* called for each post that succeeds: the peer */
	void (*peer)(struct fake *fake, struct fake_qp *q,
		     const struct ibv_send_wr *wr);
	void (*on_poll)(struct fake *fake);	/* called before each poll */
	void *argument;
	/* what it saw */
	uint64_t ticks;
	uint64_t posts;
	uint64_t calls;		/* of ibv_post_send */
	uint64_t polls;
	uint64_t recvs;
	uint64_t retired;
	uint64_t reached[PHASE_ABORT + 1];	/* retired with the first
						 * completions of a phase */
	uint64_t retired_at_mark;	/* likewise */
	uint32_t overflows;	/* posts to a full queue */
	uint32_t unfair;	/* the largest lead of a QP at first */
	uint32_t with_sge;	/* posts that had a scatter/gather entry */
	uint32_t failed_qp;	/* whose completion failed */
	uint32_t rnr;		/* messages that met no receive */
	struct fake_ring sends, receives;
};

/* A fake NIC on the heap with N QPs, and FLOW over it; fake_free() both. */
struct fake *fake_new(struct flow *flow, uint32_t n_qps);
void fake_free(struct fake *fake, struct flow *flow);

/* Let FLOW take in messages, with DEPTH receives on each QP. */
void fake_take_receives(struct fake *fake, struct flow *flow, uint32_t depth);

/* flow_prepare() with lists of one. */
static inline void prepare(struct flow *f, enum op op, uint64_t size,
			   uint64_t walk, uint32_t depth, uint32_t every,
			   uint64_t iterations)
{
	flow_prepare(f, op, &(struct flow_shape){
		.size = size,
		.walk = walk,
		.depth = depth,
		.signal_every = every,
		.list_length = 1,
		.iterations = iterations,
	});
}

/* A message from the peer comes in on Q. */
void fake_deliver(struct fake *fake, struct fake_qp *q);

#endif
