/*
 * All the state that a timed loop touches.  The loops (loops.h, open_loop.h)
 * make no library or system calls, except to sleep (--events) and to copy
 * (copier.h): verbs are libibverbs' inline calls through context->ops, so the
 * loops also run on the fake provider of the unit tests.
 */
#pragma once

#include <infiniband/verbs.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/numbers.h"
#include "stats/histogram.h"
#include "traffic/clock.h"
#include "traffic/gather.h"
#include "traffic/op.h"
#include "traffic/pace.h"
#include "traffic/samples.h"

#define ALWAYS_INLINE inline __attribute__((always_inline))

struct flow;

/*
 * Phase of a run; it only grows.  The monitor thread advances it; the loops
 * read it, relaxed, once an iteration.
 */
enum phase {
	PHASE_WARMUP,	/* traffic not measured */
	PHASE_MEASURE,
	PHASE_DRAIN,	/* time is up: finish what is outstanding, leave */
	PHASE_LEAVE,	/* that takes too long: send no more, and do not wait
			 * for what is outstanding */
	PHASE_ABORT,	/* leave at once */
};

/*
 * The monitor writes this command word and every loop of a run reads it: the
 * phase in the low bits, above it the number of the last mark requested.  A
 * loop answers a mark at the next completions it takes; there an interval ends.
 */
#define FLOW_PHASE_MASK 7U
#define FLOW_MARK 8U

struct flow_control {
	_Alignas(CACHE_LINE) _Atomic uint32_t command;
	/* the peer has sent everything: each flow's expected is valid */
	_Atomic bool peer_sent;
};

/* A loop's reports to the monitor. */
struct flow_progress {
	/* messages completed, received or posted, as the loop counts */
	_Alignas(CACHE_LINE) _Atomic uint64_t messages;
	/* number of the mark answered; makes the next three fields valid */
	_Atomic uint32_t marked;
	uint64_t mark_ticks;
	uint64_t mark_counted;	/* messages since the window opened */
	uint64_t mark_received;	/* the peer's messages since then */
	_Atomic bool over;	/* loop ended: no more answers */
};

/*
 * wr_id of a send: the index of its queue pair and the cumulative count of
 * messages posted there.  One completion retires all messages up to its count.
 */
#define FLOW_COUNT_BITS 44
#define FLOW_COUNT_MASK ((1ULL << FLOW_COUNT_BITS) - 1)

/* A prepared send, and its one scatter/gather entry.  If it has several, sge is
 * the place of the message, and wr.sg_list has them (gather.h). */
struct flow_request {
	struct ibv_send_wr wr;
	struct ibv_sge sge;
};

/* Requests prepared for a list of 2 to this many sends, copies included. */
#define FLOW_PREPARED 128

/* A receive, and its one scatter/gather entry; several entries are as in
 * flow_request. */
struct flow_receive {
	struct ibv_recv_wr wr;
	struct ibv_sge sge;
};

/*
 * Receives of one QP, or of all QPs if they share a receive queue.  They are
 * posted list_length at once, so some wait until a list is full.  In a verified
 * run each has its own buffer, which the low bits of its wr_id name.
 */
struct flow_receives {
	struct ibv_qp *qp;	/* used if srq is NULL */
	struct ibv_srq *srq;
	uint32_t depth;		/* maximum outstanding */
	uint32_t list_length;
	uint32_t outstanding;
	uint64_t total;		/* posted since the connection began */
	uint64_t before;	/* taken before this size, or by messages of
				 * other senders */
	uint32_t waiting;	/* collected for the next post */
	struct flow_receive *entries;	/* depth, or list_length entries */
	struct ibv_sge *scatter;	/* of them, if they have several each */
	uint32_t *words;	/* what each one receives, where notices have
				 * no immediate data; else NULL */
	struct ibv_mr *words_mr;
	struct flow_receive *first;	/* of the waiting ones */
	struct flow_receive *last;
};

/* On its own cache lines: its neighbour may belong to another thread. */
struct flow_qp {
	_Alignas(CACHE_LINE) struct ibv_qp *qp;	/* sends and, but for XRC,
						 * receives */
	struct ibv_qp_ex *qpx;	/* qp, for POST_WR */
	uint64_t posted;	/* messages since the connection began */
	uint64_t completed;
	uint64_t limit;		/* upper bound of posted */
	uint64_t bound;		/* the least of that and of what the peer allows
				 * (flow_limit()) */
	uint64_t ahead;		/* positions of the walk, if the list moves,
				 * before it starts over */
	uint32_t copy;		/* index of the next list's first request */
	uint32_t unsignaled_left;	/* messages until the next signaled
					 * list */
	/* list_length prepared sends, linked: flow_requests() allocated.  A
	 * list of one send moves through memory from one use to the next.  A
	 * longer one has a copy for every position of the walk, used in turn,
	 * if they fit; otherwise its only copy moves, too. */
	struct flow_request *requests;
	/* of the last send of a list without a signal, and of a signaled one:
	 * enum ibv_send_flags */
	unsigned int flags[2];
	uint64_t allowed;	/* by the peer, and 1 more (allowance.h); 0: it
				 * does not say */
	/* never changes */
	uint64_t tag;		/* index << FLOW_COUNT_BITS */
	struct ibv_qp *target;	/* XRC only: receives what the peer sends */
	uint64_t local;		/* address of its local region */
	uint32_t remote_srqn;	/* XRC only: where the peer's receives are */
	uint32_t lkey;
	uint64_t remote;	/* address of its region at the peer */
	uint32_t rkey;
	struct ibv_ah *ah;	/* UD only; NULL: connected QP */
	uint32_t remote_qpn;	/* UD only, as remote_qkey */
	uint32_t remote_qkey;
	struct flow_receives *receives;	/* NULL: QP takes none */
};

/* Completion queues shared by a subset of the QPs. */
struct flow_cqs {
	struct ibv_cq *send;
	struct ibv_cq *recv;
};

/* Why a loop gave up; status is IBV_WC_SUCCESS unless a completion failed. */
struct flow_failure {
	const char *verb;	/* "ibv_post_send", ...; NULL: nothing failed */
	int errnum;		/* positive errno of that verb, or 0 */
	enum ibv_wc_status status;
	uint32_t vendor_err;
	uint32_t qp_index;
	bool receive;		/* a receive completion failed */
	uint64_t number;	/* of the message sent, from 1; 0: unknown */
};

/* The traffic of one size. */
struct flow_shape {
	uint64_t size;		/* bytes of a message */
	uint64_t walk;		/* bytes of memory each QP steps through */
	uint32_t depth;		/* maximum sends outstanding per QP */
	uint32_t cq_mod;	/* messages per completion */
	uint32_t list_length;	/* sends posted at once */
	uint64_t iterations;	/* per QP; 0: until PHASE_DRAIN */
};

/* How the sends of a flow_shape are prepared (prepare.c). */
struct flow_layout {
	enum op op;
	uint64_t stride;	/* bytes a list moves per use; 0: it stays */
	uint64_t positions;	/* of a list that moves, before it starts over;
				 * UINT64_MAX: it stays */
	uint32_t requests;	/* per QP: a list and its copies */
	uint32_t unsignaled;	/* messages between two signaled lists */
	uint32_t signal_every;	/* sends per completion in a signaled list */
};

/* Memory and slots of a ping-pong's messages. */
struct flow_pingpong {
	uint32_t slots;		/* used round robin; 0: just one */
	uint32_t slot;		/* of the pong's next message */
	uint64_t slot_step;	/* bytes between slots */
	volatile uint8_t *flag_in;	/* last byte of the awaited message */
	uint8_t *flag_out;		/* last byte of the message sent */
	bool second;		/* the other end sends first: this one answers,
				 * though it is the one that measures */
	bool slow_start;	/* the first answer may come late, and is not
				 * measured */
	uint32_t receive;	/* slot of the receive to give back */
};

/*
 * Uncertainty of an edge of the window.  The edge is a poll that found
 * completions.  They arrived some time since the previous poll, and more
 * messages may have completed by then: unsignaled ones, or ones whose
 * completion was still in the queue.
 */
struct flow_edge {
	uint64_t ticks;		/* UINT64_MAX: unknown */
	uint64_t messages;
};

/* The polls of the completion queues while an edge of the window is due
 * (window.h); times in ticks. */
struct flow_polls {
	uint64_t timed_from;	/* once posted reaches this, time every poll */
	uint64_t last;		/* end of the last timed poll; 0: none */
	uint64_t before;	/* end of the timed poll before it */
	uint64_t gap;		/* upper bound of the time since the completions
				 * found arrived; UINT64_MAX: unknown */
	uint64_t spacing;	/* recent mean time between polls that found
				 * completions; 0: unknown */
	bool drained;		/* last poll emptied the queues */
	uint64_t due_since;	/* when an edge became due */
	uint64_t arrived_at;	/* of the last message, if counts_arrivals */
};

/* How often the send queue ran dry: it held fewer messages than the device
 * sends in the time an acknowledgement takes. */
struct flow_dryness {
	uint32_t polls_left;	/* polls with completions until next check */
	uint32_t polls;		/* the same, from one check to the next */
	uint64_t since;		/* ticks at the last check; 0: none */
	uint64_t completed;	/* messages completed at the last check */
	uint64_t ack;		/* ticks from post to completion of a message
				 * sent alone; 0: not measured */
	uint64_t checks;	/* checks inside the window */
	uint64_t dry;		/* checks that found the queue dry */
};

/* The measurement window. */
struct flow_window {
	uint64_t opened;	/* ticks; 0: never opened */
	uint64_t closed;	/* ticks; 0: not closed */
	uint64_t drained;	/* ticks when all that was sent was complete;
				 * 0: never */
	bool cut;		/* closed by a failure, perhaps long after the
				 * last completion */
	uint64_t warmup;	/* messages of the warm-up, before it opened */
	uint64_t received;	/* the peer's messages before it opened */
	uint64_t counted;	/* messages measured inside it */
	struct flow_edge opening;	/* uncertainty of opened */
	struct flow_edge closing;	/* uncertainty of closed */
	struct flow_edge mark;	/* largest of all marks */
};

struct open_loop;
struct copier;

struct flow {
	/* set once, for the connection, but for the queues polled now */
	_Alignas(CACHE_LINE) struct flow_qp *qps;
	uint32_t n_qps;
	struct ibv_cq *send_cq;	/* polled now, of cqs[cq_at] */
	struct ibv_cq *recv_cq;
	const struct clock *clock;
	struct flow_control *control;
	struct flow_progress *progress;
	enum post_method method;	/* POST_WR or POST_LEGACY */
	bool unreliable;	/* UC, UD: messages may be lost */
	bool counts_arrivals;	/* measure received messages */
	bool credits;		/* the peer sends credits, and wr_ids number
				 * all work requests (credit.h) */
	struct allowance *allowances;	/* one of each QP; NULL: none */
	struct flow_cqs *cqs;
	uint32_t n_cqs;
	uint32_t cq_at;		/* index of the pair polled now */
	struct flow_receives *receives;
	uint32_t n_receives;	/* 0: this end takes none */
	uint64_t loss_timeout;	/* ticks after which a message is lost */
	uint64_t edge_error;	/* ticks; an edge with no larger error is taken
				 * at once */
	uint64_t edge_timeout;	/* ticks after which any edge is taken */
	/* sleep a while, or until there are completions; NULL: poll.  Returns
	 * 0 or a negative errno, noted in the flow */
	int (*wait)(struct flow *f);
	struct ibv_comp_channel *channel;	/* for wait(), or NULL */
	bool solicited;	/* wait() for messages that ask for an event */
	unsigned int flags;	/* of all sends: enum ibv_send_flags */
	unsigned int signaled_flags;	/* more, of signaled ones */
	uint32_t inline_size;	/* largest message sent inline, in bytes */
	struct histogram *latency;	/* ticks; NULL for bandwidth */
	struct sample_ring *samples;	/* NULL: not wanted */
	struct verifier *verify;	/* NULL: data not checked */
	const struct copier *copier;	/* NULL: the host reads and writes the
					 * memory itself */
	uint32_t entries;	/* scatter/gather entries of a message, or
				 * fewer; 0: 1 */
	struct gather in;	/* how a receive lies in memory; n 0: in one
				 * piece */
	bool slow_path;	/* messages are verified, copied or of several
			 * entries: the only test of these that a message
			 * costs */
	/* set for each size */
	struct flow_shape shape;
	struct gather out;	/* how a message sent or fetched lies in
				 * memory */
	struct flow_layout layout;
	struct pacer pace;	/* for bandwidth; bursts 0: not paced */
	struct open_loop *open;	/* requester of an open loop only */
	uint64_t batch;		/* requests of a batch (batch.h) */
	uint64_t gap;		/* ticks of pause before each operation of a
				 * latency loop */
	struct flow_pingpong pingpong;
	uint64_t expected;	/* messages: see flow_control.peer_sent */
	uint32_t receivers;	/* how often each is received: by all QPs of a
				 * multicast group; 0: once */
	uint32_t sender_qpn;	/* of a multicast group the QP whose messages
				 * count; 0: all that come do */
	/* results */
	uint64_t posted;	/* messages, with warm-up, as the next two */
	uint64_t completed;
	uint64_t received;
	uint64_t others;	/* messages of other senders of the group */
	uint64_t lost;		/* pings without an answer */
	uint64_t left;		/* sends not known to be complete at
				 * PHASE_LEAVE; counted in posted, too */
	uint64_t send_events;	/* completion events taken */
	uint64_t receive_events;
	uint32_t idle_polls;	/* since the last completion */
	uint64_t idle_at;	/* value of completed at the last empty poll */
	struct flow_polls polls;
	struct flow_dryness dryness;
	struct flow_window window;
	struct flow_failure failure;
};

/* The number of the queue pair of Q that sends or, with RECEIVE, of the one
 * that receives. */
static inline uint32_t flow_qpn(const struct flow_qp *q, bool receive)
{
	return receive && q->target ? q->target->qp_num : q->qp->qp_num;
}

/* Messages that took a receive of R since the connection began. */
static inline uint64_t flow_taken(const struct flow_receives *r)
{
	return r->total - r->outstanding;
}

/* Limit the messages that Q posts. */
static inline void flow_limit(struct flow_qp *q, uint64_t limit)
{
	q->limit = limit;
	q->bound = smaller(limit, q->allowed - 1);
}

/* Read the byte at FLAG, which the device writes meanwhile. */
static inline uint8_t flow_flag(const volatile uint8_t *flag)
{
	return __atomic_load_n(flag, __ATOMIC_RELAXED);
}

/* The current command word. */
static inline uint32_t flow_command(const struct flow *f)
{
	return atomic_load_explicit(&f->control->command, memory_order_relaxed);
}

static inline enum phase phase_of(uint32_t command)
{
	return (enum phase)(command & FLOW_PHASE_MASK);
}

/* The phase as the loop sees it now. */
static inline enum phase flow_phase(const struct flow *f)
{
	return phase_of(flow_command(f));
}

/* Value of f->posted once every QP reaches its limit; UINT64_MAX: no limit. */
uint64_t flow_last_post(const struct flow *f);

/* Advance CONTROL to PHASE, unless it is there or beyond. */
void flow_set_phase(struct flow_control *control, enum phase phase);

/* Requests to allocate per QP: LIST_LENGTH linked sends and their copies. */
static inline uint32_t flow_requests(uint32_t list_length)
{
	return list_length == 1 || list_length > FLOW_PREPARED ?
		       list_length : FLOW_PREPARED;
}

/*
 * Note in F that VERB failed, unless F has a failure already.  ERRNUM is the
 * verb's return value, positive or negative; 0 becomes EIO.  Returns it as a
 * negative errno.
 */
int flow_verb_failed(struct flow *f, const char *verb, uint32_t qp_index,
		     int errnum) __attribute__((cold));

/* Note in F that WC, the completion of a RECEIVE or a send, has an error.  The
 * first failure stays, unless it is a flush, which an earlier error caused.
 * Returns -EIO. */
int flow_completion_failed(struct flow *f, const struct ibv_wc *wc,
			   bool receive) __attribute__((cold));

/*
 * After an abort, search the completion queues for its cause.  Returns true
 * when F's failure is a cause, and not a flush.
 */
bool flow_find_failure(struct flow *f);

/* prepare.c: prepares a flow for messages of one size. */

/*
 * Prepare F for one size: clear its results, restart the walks and prepare the
 * sends of operation OP.  Each QP's requests must have room for
 * flow_requests(list_length) entries.  shape.cq_mod becomes at most depth, so
 * that a full queue always has a completion to come.  Signaled sends are spaced
 * evenly: their distance divides list_length or is a multiple of it.
 * F is not paced; call pace_init() afterwards if it should be.
 */
void flow_prepare(struct flow *f, enum op op, const struct flow_shape *shape);

/*
 * Fill every receive queue of F, where the loops have given back what they
 * took.  Returns 0 or a negative errno, with the failure in F.
 */
int flow_fill_receives(struct flow *f);
