/*
 * What a timed loop touches, and nothing else.  The loops (bandwidth.h,
 * latency.h, responder.h) make no library and no system call: verbs are the
 * inline calls of libibverbs through context->ops, so they run as well on the
 * fake provider of the unit tests.
 */
#ifndef TRAFFIC_FLOW_H
#define TRAFFIC_FLOW_H

#include <infiniband/verbs.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/numbers.h"
#include "stats/histogram.h"
#include "traffic/clock.h"
#include "traffic/op.h"
#include "traffic/pace.h"
#include "traffic/samples.h"

/* The loops' specialised copies are for speed alone, and a compiler that puts a
 * sanitizer into each takes minutes. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define ALWAYS_INLINE inline
#else
#define ALWAYS_INLINE inline __attribute__((always_inline))
#endif

struct flow;

/*
 * Where a run stands.  It only grows.  The monitor thread moves it; the loops
 * read it, relaxed, once an iteration.
 */
enum phase {
	PHASE_WARMUP,	/* traffic that is not measured */
	PHASE_MEASURE,
	PHASE_DRAIN,	/* time is up: finish what is outstanding, leave */
	PHASE_ABORT,	/* leave at once */
};

/*
 * The word that the monitor moves and every loop of a run reads: the phase,
 * and above it the number of the last mark asked for.  A loop answers a mark
 * at the next completions it takes, where an interval ends.
 */
#define FLOW_PHASE_MASK 3U
#define FLOW_MARK 4U

struct flow_control {
	_Alignas(CACHE_LINE) _Atomic uint32_t command;
	/* the peer has sent all it will: each flow's expected is valid */
	_Atomic bool peer_sent;
};

/* What one loop tells the monitor. */
struct flow_progress {
	/* completed, or posted */
	_Alignas(CACHE_LINE) _Atomic uint64_t messages;
	/* the answer to a mark, valid once marked has its number */
	_Atomic uint32_t marked;
	uint64_t mark_ticks;
	uint64_t mark_counted;	/* messages since the window opened */
	_Atomic bool over;	/* the loop has ended: no more answers */
};

/*
 * A work request's ID: the index of its queue pair and the cumulative count
 * of messages posted there.  One completion retires all up to its count.
 */
#define FLOW_COUNT_BITS 44
#define FLOW_COUNT_MASK ((1ULL << FLOW_COUNT_BITS) - 1)

/* A prepared send, and its one scatter/gather entry. */
struct flow_request {
	struct ibv_send_wr wr;
	struct ibv_sge sge;
};

/*
 * list_length prepared sends, linked.  A single one moves on in memory from one
 * use to the next.  Longer lists are prepared as often as their walk has
 * positions, if there is room; else the only one moves, too.
 */
struct flow_list {
	struct flow_request *requests;	/* flow_requests() of them */
	uint64_t posted;	/* a single one: messages of the QP before it */
	uint64_t position;	/* in the walk, where it moves */
};

/* Sends that are prepared at most for lists shorter than that. */
#define FLOW_PREPARED 128

/* Of each QP's two lists one asks for no completion. */
enum { FLOW_UNSIGNALED, FLOW_SIGNALED, FLOW_LISTS };

/* A receive, and its one scatter/gather entry. */
struct flow_receive {
	struct ibv_recv_wr wr;
	struct ibv_sge sge;
};

/*
 * Receives of one QP or, where they are shared, of all.  They are handed over
 * list_length at once, so that some wait; which buffer each has is told by the
 * low bits of its ID when they differ, as they do to be verified.
 */
struct flow_receives {
	struct ibv_qp *qp;	/* one of these two */
	struct ibv_srq *srq;
	uint32_t depth;		/* most outstanding */
	uint32_t list_length;
	uint32_t posted;	/* outstanding */
	uint32_t waiting;	/* to be posted */
	struct flow_receive *entries;	/* depth, or list_length of them */
	struct flow_receive *first;	/* of those that wait */
	struct flow_receive *last;
};

/* On cache lines of its own: its neighbour may be another thread's. */
struct flow_qp {
	_Alignas(CACHE_LINE) struct ibv_qp *qp;
	struct ibv_qp_ex *qpx;	/* the same, for POST_WR */
	uint64_t posted;	/* messages since the connection began */
	uint64_t completed;
	uint64_t limit;		/* post no more than this */
	uint64_t position;	/* of the next list in the walk */
	uint32_t unsignaled_left;	/* lists until the next signalled one */
	struct flow_list lists[FLOW_LISTS];
	struct flow_list *next;	/* one of them, ready to be posted */
	/* never changes */
	uint64_t tag;		/* index << FLOW_COUNT_BITS */
	uint64_t local;		/* address of its region here */
	uint64_t remote;	/* and at the peer */
	uint32_t lkey;
	uint32_t rkey;
	struct ibv_ah *ah;	/* UD; NULL: the QP is connected */
	uint32_t remote_qpn;	/* likewise */
	uint32_t remote_qkey;
	struct flow_receives *receives;	/* NULL: it takes none */
};

/* Completion queues of some of the QPs. */
struct flow_cqs {
	struct ibv_cq *send;
	struct ibv_cq *recv;
};

/* Why a loop gave up; status is IBV_WC_SUCCESS unless a completion did. */
struct flow_failure {
	const char *verb;	/* "ibv_post_send", ...; NULL: nothing failed */
	int errnum;		/* positive errno of that verb, or 0 */
	enum ibv_wc_status status;
	uint32_t vendor_err;
	uint32_t qp_index;
	bool receive;		/* the completion was of one */
	uint64_t number;	/* of the message sent, from 1; 0: not known */
};

/* The traffic of one size. */
struct flow_shape {
	uint64_t size;		/* bytes of a message */
	uint64_t walk;		/* bytes each QP steps through */
	uint32_t depth;		/* most sends outstanding on one QP */
	uint32_t signal_every;	/* messages that a completion stands for */
	uint32_t list_length;	/* sends handed over at once */
	uint64_t iterations;	/* per QP; 0: until PHASE_DRAIN */
};

/* How the sends of that are prepared (prepare.h). */
struct flow_lists {
	enum op op;
	uint64_t stride;	/* bytes from a list to the next of a walk */
	uint64_t positions;	/* of lists in a walk */
	uint32_t unsignaled;	/* lists between two signaled ones */
	uint32_t signal_every;	/* in a signaled list that many sends stand for
				 * one completion */
	bool copies;		/* a list for each position is prepared */
};

/* Where the messages of a ping-pong come and go. */
struct flow_pingpong {
	uint32_t slots;		/* that they take turns in; 0: there is one */
	uint32_t slot;		/* of the next message of a pong */
	uint64_t slot_step;	/* bytes from one to the next */
	volatile uint8_t *flag_in;	/* last byte of the message awaited */
	uint8_t *flag_out;		/* last byte of the message sent */
	uint32_t receive;	/* to be given back */
};

/*
 * How well an edge of a window is known.  It is where completions were found:
 * they came since the look before, and beyond what they tell of some messages
 * may have been complete, too, whose completion was not found yet or is never
 * told.
 */
struct flow_edge {
	uint64_t ticks;		/* UINT64_MAX: not known */
	uint64_t messages;
};

/* When a loop looks at its completion queues, as far as it decides where an
 * edge of the window is (window.h); in ticks. */
struct flow_looks {
	uint64_t from;		/* messages posted from which on each look at
				 * the completion queue is timed */
	uint64_t last;		/* after the last timed look; 0: none */
	uint64_t before;	/* after the one before */
	uint64_t gap;		/* that what was found came in; UINT64_MAX: not
				 * known yet */
	uint64_t spacing;	/* from one poll with completions to the next,
				 * of late; 0: not known */
	bool drained;		/* it found all there were */
	uint64_t due_since;	/* when an edge became due */
	uint64_t arrived_at;	/* if counts_arrivals: of the last message */
};

/* How often the send queue ran dry: less was left in it than is sent until an
 * acknowledgement comes. */
struct flow_dryness {
	uint32_t polls_left;	/* until the queue is looked at, */
	uint32_t polls;		/* of that many since the last such look */
	uint64_t since;		/* ticks of the last such look, 0: none, and */
	uint64_t completed;	/* what was completed then */
	uint64_t ack;		/* ticks that a message takes that waits for no
				 * other; 0: not measured */
	uint64_t looks;		/* in the window, and how often it was dry */
	uint64_t dry;
};

/* The time measured. */
struct flow_window {
	uint64_t opened;	/* ticks; 0: it never did */
	uint64_t closed;
	bool cut;		/* closed where the run failed, which may be
				 * long after the last completion */
	uint64_t warmup;	/* messages completed before it opened */
	uint64_t counted;	/* messages completed inside it */
	struct flow_edge opening;	/* how well the edges are known, */
	struct flow_edge closing;
	struct flow_edge mark;	/* and those between intervals, at worst */
};

struct open_loop;

struct flow {
	/* set once: what is connected */
	_Alignas(CACHE_LINE) struct flow_qp *qps;
	uint32_t n_qps;
	struct ibv_cq *send_cq;	/* those polled now, of cqs */
	struct ibv_cq *recv_cq;
	const struct clock *clock;
	struct flow_control *control;
	struct flow_progress *progress;
	enum post_method method;	/* POST_WR or POST_LEGACY */
	bool unreliable;	/* UC, UD: what is sent may be lost */
	bool counts_arrivals;	/* what is measured is what comes in */
	bool credits;		/* the peer tells what it has checked; IDs of
				 * sends count more than messages (credit.h) */
	struct flow_cqs *cqs;
	uint32_t n_cqs;
	uint32_t cq_at;		/* of those polled now */
	struct flow_receives *receives;
	uint32_t n_receives;	/* 0: this end takes none */
	uint64_t loss_timeout;	/* ticks after which a ping is lost */
	uint64_t sharp;		/* ticks: an edge of the window known to that
				 * is as good as it gets */
	uint64_t hurry;		/* ticks after which it need not be so good */
	/* sleep a while, or until there are completions; NULL: poll.  Returns
	 * 0 or a negative errno, noted in the flow */
	int (*wait)(struct flow *f);
	struct flow_sleep *sleep;	/* its own */
	uint32_t inline_size;	/* messages up to that are sent inline */
	struct histogram *latency;	/* ticks; NULL for bandwidth */
	struct sample_ring *samples;	/* NULL: not wanted */
	struct verifier *verify;	/* NULL: bytes are not checked */
	/* of one size: what it asks for */
	struct flow_shape shape;
	struct flow_lists lists;
	struct pacer pace;	/* of a bandwidth test; bursts 0: as fast as
				 * it goes */
	struct open_loop *open;	/* the requester's, if the loop is open */
	struct flow_pingpong pingpong;
	uint64_t expected;	/* messages: see flow_control.peer_sent */
	/* what came out */
	uint64_t posted;	/* messages, warm-up included */
	uint64_t completed;
	uint64_t received;
	uint64_t lost;		/* pings without an answer */
	uint32_t idle_polls;	/* since there last were completions */
	uint64_t idle_at;	/* completed when a poll last found nothing */
	struct flow_looks looks;
	struct flow_dryness dryness;
	struct flow_window window;
	struct flow_failure failure;
};

/* The byte at FLAG, which the device writes while a loop looks. */
static inline uint8_t flow_flag(const volatile uint8_t *flag)
{
	return __atomic_load_n(flag, __ATOMIC_RELAXED);
}

/* What the control word says now. */
static inline uint32_t flow_command(const struct flow *f)
{
	return atomic_load_explicit(&f->control->command,
				    memory_order_relaxed);
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

/* What f->posted will be when all is posted; UINT64_MAX: no end is known. */
uint64_t flow_last_post(const struct flow *f);

/* Move CONTROL to PHASE, unless it is there or beyond. */
void flow_set_phase(struct flow_control *control, enum phase phase);

/* Room that each list needs for LIST_LENGTH linked sends and their copies. */
static inline uint32_t flow_requests(uint32_t list_length)
{
	return list_length == 1 || list_length > FLOW_PREPARED ?
		       list_length : FLOW_PREPARED;
}

/*
 * Note a failed verb, and return a negative errno; the first one is kept.
 * ERRNUM is what the verb returned, positive or negative.
 */
int flow_verb_failed(struct flow *f, const char *verb, uint32_t qp_index,
		     int errnum) __attribute__((cold));

/* Note a completion with an error, of a RECEIVE or a send, the first that is
 * not the flushing of work after another; returns -EIO. */
int flow_completion_failed(struct flow *f, const struct ibv_wc *wc,
			   bool receive) __attribute__((cold));

/*
 * After a loop was aborted: look whether a completion says why, on either
 * queue.  True when F's failure is, or now is, a cause and not a flush.
 */
bool flow_find_failure(struct flow *f);

#endif
