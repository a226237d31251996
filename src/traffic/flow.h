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

#include "stats/histogram.h"
#include "traffic/clock.h"
#include "traffic/op.h"

#define ALWAYS_INLINE inline __attribute__((always_inline))

/*
 * Where a run stands.  It only grows.  The monitor thread moves it; a loop
 * reads it, relaxed, once a turn.
 */
enum phase {
	PHASE_WARMUP,	/* traffic that is not measured */
	PHASE_MEASURE,
	PHASE_DRAIN,	/* time is up: finish what is outstanding, leave */
	PHASE_ABORT,	/* leave at once */
};

/* The two words a loop and the monitor share, each on a line of its own. */
struct flow_control {
	_Alignas(64) _Atomic uint32_t phase;
	_Alignas(64) _Atomic uint64_t progress;	/* messages completed */
};

/*
 * A work request's ID: the index of its queue pair and the cumulative count
 * of messages posted there.  One completion retires all up to its count.
 */
#define FLOW_COUNT_BITS 44
#define FLOW_COUNT_MASK ((1ULL << FLOW_COUNT_BITS) - 1)

/* A region that one queue pair walks through in steps. */
struct flow_walk {
	uint64_t local;		/* address of the region here */
	uint64_t remote;	/* and at the peer */
	uint64_t offset;	/* of the next message */
};

struct flow_qp {
	struct ibv_qp *qp;
	uint64_t tag;		/* index << FLOW_COUNT_BITS */
	uint64_t posted;	/* messages since the connection began */
	uint64_t completed;
	uint64_t limit;		/* post no more than this */
	uint32_t until_signal;	/* posts up to and with the next signalled */
	struct flow_walk walk;
	struct ibv_sge sge;
	struct ibv_send_wr wr;
	struct ibv_sge recv_sge;
	struct ibv_recv_wr recv_wr;
	uint32_t recv_posted;	/* receives outstanding */
};

/* Why a loop gave up; status is IBV_WC_SUCCESS unless a completion did. */
struct flow_failure {
	const char *verb;	/* "ibv_post_send", ...; NULL: nothing failed */
	int errnum;		/* positive errno of that verb, or 0 */
	enum ibv_wc_status status;
	uint32_t vendor_err;
	uint32_t qp_index;
};

struct flow {
	/* set once: the connection */
	struct flow_qp *qps;
	uint32_t n_qps;
	struct ibv_cq *send_cq;
	struct ibv_cq *recv_cq;
	const struct clock *clock;
	struct flow_control *control;
	uint32_t rx_depth;
	/* set for each size */
	uint64_t size;
	uint64_t step;		/* of a walk; 0: stay */
	uint64_t last_offset;	/* the highest a walk may reach */
	uint32_t depth;		/* most sends outstanding on one QP */
	uint32_t signal_every;
	uint64_t iterations;	/* per QP; 0: until PHASE_DRAIN */
	volatile uint8_t *flag_in;	/* last byte of the message awaited */
	uint8_t *flag_out;		/* last byte of the message sent */
	/* what came out */
	uint64_t posted;	/* messages of this size, warm-up included */
	uint64_t completed;
	uint64_t received;
	uint64_t opened;	/* ticks; 0: the window never opened */
	uint64_t closed;
	uint64_t warmup;	/* messages completed before it opened */
	uint64_t counted;	/* messages completed inside it */
	struct histogram *latency;	/* ticks */
	struct flow_failure failure;
};

/* The phase as the loop sees it now. */
static inline enum phase flow_phase(const struct flow *f)
{
	return (enum phase)atomic_load_explicit(&f->control->phase,
						memory_order_relaxed);
}

/*
 * Prepare F for one size: what came out is cleared, walks begin again, and
 * signal_every becomes at most DEPTH, so that no loop can wait for a
 * completion that nobody asked for.  WALK is the length of each QP's region.
 */
void flow_prepare(struct flow *f, uint64_t size, uint64_t walk, uint32_t depth,
		  uint32_t signal_every, uint64_t iterations);

/*
 * Top up the receive queue of every QP to rx_depth.
 * Returns 0 or a negative errno, with the failure in F.
 */
int flow_fill_receives(struct flow *f);

/*
 * Note a failed verb, and return a negative errno; the first one is kept.
 * ERRNUM is what the verb returned, positive or negative.
 */
int flow_verb_failed(struct flow *f, const char *verb, uint32_t qp_index,
		     int errnum) __attribute__((cold));

/* Note a completion with an error, the first that is not the flushing of
 * work after another; returns -EIO. */
int flow_completion_failed(struct flow *f, const struct ibv_wc *wc)
	__attribute__((cold));

/*
 * After a loop was aborted: look whether a completion says why, on either
 * queue.  True when F's failure is, or now is, a cause and not a flush.
 */
bool flow_find_failure(struct flow *f);

#endif
