/*
 * What both ends do.  The client makes it from its options and sends it; the
 * server agrees or refuses.  Every field but op, metric and those that
 * plan_fit() alone sets is a row of param_table (model/param.h), from which it
 * is parsed, printed and encoded.
 */
#ifndef MODEL_PLAN_H
#define MODEL_PLAN_H

#include <stdint.h>

#include "base/error.h"
#include "base/rate.h"
#include "base/units.h"
#include "model/port.h"
#include "traffic/op.h"

/* "Choose for me", where a number of 32 bits is asked for. */
#define PLAN_AUTO UINT32_MAX

/* A message size given by nobody: 64 KiB for bandwidth, or what fits into one
 * packet nearly everywhere, 2 bytes for latency; and all of --all. */
#define PLAN_SIZE_BANDWIDTH 65536
#define PLAN_SIZE_DATAGRAM 1024
#define PLAN_SIZE_LATENCY 2
#define PLAN_SIZES_ALL "2..8M"

/* When the operations of an open loop are to start. */
enum arrival { ARRIVAL_FIXED, ARRIVAL_POISSON, ARRIVALS };

struct plan {
	enum op op;
	enum metric metric;
	struct sizes sizes;
	uint64_t iterations;	/* per QP; 0: for duration */
	uint64_t duration;	/* ns, as all times here */
	uint64_t warmup;
	uint64_t timeout;	/* without progress or word from the peer */
	uint64_t walk;		/* bytes of the region a QP walks through */
	uint32_t qps;
	uint32_t tx_depth;	/* may be PLAN_AUTO: see plan_depth() */
	uint32_t link_mbps;	/* of the slower end; 0 until plan_fit() */
	uint32_t most_sends;	/* in a queue of either device; likewise */
	uint32_t rx_depth;	/* may be PLAN_AUTO until plan_fit() */
	uint32_t cq_mod;	/* may be PLAN_AUTO: see plan_cq_mod() */
	uint32_t mtu;		/* bytes; may be PLAN_AUTO until plan_fit() */
	uint32_t outstanding_reads;	/* likewise; see plan_reads() */
	uint32_t server_reads;	/* the server's, when both send; 0 until
				 * plan_fit() chooses */
	uint32_t qp_timeout;	/* may be PLAN_AUTO until plan_fit() */
	uint32_t sl;
	uint32_t post_list;	/* sends handed over at once */
	uint32_t post;		/* enum post_method */
	uint32_t threads;	/* that share the QPs */
	bool round_trip;	/* of a ping-pong report all, not half */
	uint32_t transport;	/* enum transport */
	bool bidirectional;	/* both ends send at once */
	bool reversed;		/* the server sends, the client receives */
	bool imm;		/* with immediate data: see op */
	uint32_t atomic;	/* enum atomic_type: see op */
	bool all;		/* sizes are all powers of two that fit */
	uint32_t inline_size;	/* bytes; may be PLAN_AUTO: see plan_inline() */
	uint32_t recv_post_list;	/* receives posted at once */
	bool srq;		/* receives are shared by a thread's QPs */
	bool events;		/* sleep until there are completions */
	uint64_t rate;		/* base/rate.h; 0: as fast as it goes */
	uint32_t burst;		/* messages sent at once at that rate */
	uint32_t arrival;	/* enum arrival, of an open loop */
	uint32_t open_depth;	/* most operations of an open loop under way */
	uint32_t tclass;
	uint32_t dscp;		/* PLAN_AUTO: not given */
	struct labels flow_labels;	/* QP i has label i mod n; n 0: none */
	uint32_t hop_limit;
	uint32_t retry_count;
	uint32_t rnr_retry;
	uint32_t min_rnr_timer;
	bool hugepages;
	bool mr_per_qp;
	bool relaxed_ordering;
	bool odp;		/* on-demand paging */
	bool verify;		/* every byte is checked where it arrives */
	uint32_t inject;	/* enum inject: a fault to be provoked */
	uint64_t interval;	/* ns, also between the client's live rows; 0:
				 * none of these, and as long as is usual */
	bool check;		/* compare both ends, make and send nothing */
	bool perftest_defaults;	/* tx_depth and cq_mod left open are as in
				 * perftest */
};

/* The largest message of the plan, in bytes. */
uint64_t plan_largest(const struct plan *plan);

/* True for an open loop: latency of operations that start when they are to,
 * whether or not those before have ended. */
bool plan_is_open(const struct plan *plan);

/* True when each end both sends and receives: ping-pong. */
bool plan_is_pingpong(const struct plan *plan);

/* True when this end sends messages of its own; in a ping-pong both do. */
bool plan_sends(const struct plan *plan, bool client);

/* True when messages may be lost without an error. */
bool plan_is_unreliable(const struct plan *plan);

/* True when each message has an address of its own, and a header before it
 * where it arrives. */
bool plan_is_datagram(const struct plan *plan);

/*
 * True when an end sends this one what needs no answer, so that nothing but
 * this end's word says that it is here: UC and UD messages, and what answers
 * those that are verified.  It has to prove it first (session/reach.h).
 */
bool plan_proves_address(const struct plan *plan, bool client);

/* True when writes are verified: a send after them says that they are there,
 * and one back that they were looked at (traffic/verify.h). */
bool plan_sends_notices(const struct plan *plan);

/* True when a receiver knows how many messages came. */
bool plan_counts_received(const struct plan *plan);

/* True when the bandwidth is that of the messages received: a completion of an
 * unreliable transport says only that something was sent. */
bool plan_receiver_measures(const struct plan *plan);

/* True when a receiver that measures could not tell the messages of the warm-up
 * from those that are to be counted: then each size is warmed up in a round of
 * its own, which has START, SENT and DONE, but no row. */
bool plan_warms_up_apart(const struct plan *plan);

/* True when this end's numbers are the result, or half of it. */
bool plan_measures(const struct plan *plan, bool client);

/* True when this end posts receives. */
bool plan_posts_receives(const struct plan *plan, bool client);

/* Places in each region that messages take turns in: where the last byte of a
 * message tells that it came, one for each that may be under way. */
uint32_t plan_slots(const struct plan *plan);

/* Bytes from one of several slots to the next. */
uint64_t plan_slot_step(const struct plan *plan);

/* Bytes of a receive: of the largest message and, on UD, its header, rounded
 * up to a cache line. */
uint64_t plan_receive_size(const struct plan *plan);

/* Bytes from one QP's region to the next: all slots, the largest message or the
 * walk, rounded up to a cache line.  To be verified each message under way has
 * a place of its own. */
uint64_t plan_stride(const struct plan *plan);

/* Regions at each end, of qps x stride bytes: one it sends from, reads into or
 * offers to the peer; one for each direction when both ends send. */
uint32_t plan_regions(const struct plan *plan);

/* Bytes that each end registers. */
uint64_t plan_memory(const struct plan *plan);

/*
 * How long, in ns, an end may need to make what PLAN asks for, or to bring it
 * to the peer's: generous, for slow machines and pages that are made one by
 * one, so that only an end that pretends to work takes longer.
 */
uint64_t plan_work_limit(const struct plan *plan);

/* What REGION of the memory registered at this end must allow, and no more: of
 * two, only the second is the peer's to touch. */
int plan_access(const struct plan *plan, bool client, uint32_t region);

/* What the peer may do by this end's queue pairs: nothing but what its
 * operation is. */
int plan_qp_access(const struct plan *plan, bool client);

/* Length of each QP's send queue, in messages: of an open loop never less than
 * may be under way, and in a ping-pong, where sends are known to be complete
 * later than answers come, than twice that. */
uint32_t plan_send_queue(const struct plan *plan);

/* Room that needs in the queue and in its completion queue: twice as much where
 * notices go between. */
uint32_t plan_send_capacity(const struct plan *plan);

/*
 * Most messages of SIZE bytes outstanding on one QP: the send queue, or all
 * there are to send.  Chosen automatically: 128, or up to 512 where the link
 * carries so many while an acknowledgement comes from afar; and at most 32 MiB,
 * so that what is outstanding when the time is over is soon done; but not of
 * an open loop.
 */
uint32_t plan_depth(const struct plan *plan, uint64_t size);

/*
 * Sends of SIZE bytes handed over at once: --post-list, but never more than
 * plan_depth(); a divisor of the iterations when all are outstanding at once,
 * so that every list is full.
 */
uint32_t plan_post_list(const struct plan *plan, uint64_t size);

/*
 * Messages of SIZE bytes that one send completion stands for.  Chosen
 * automatically: a quarter of plan_depth(), at most 100, but a completion at
 * least every MiB of all QPs and, of paced messages, every 10 ms.  Never more
 * than plan_depth(); in a ping-pong a quarter, so that the queue never fills;
 * a multiple or a divisor of plan_post_list(), so that all lists look alike;
 * a divisor of the iterations when all are outstanding at once, so that the
 * last one is signalled.
 */
uint32_t plan_cq_mod(const struct plan *plan, uint64_t size);

/* Least number of receives at either end of a ping-pong: one for each message
 * that may be under way, and one while the one before is posted again. */
uint32_t plan_least_rx_depth(const struct plan *plan);

/* Messages of SIZE bytes that are sent at once at --rate: of --burst, but whole
 * lists, which are handed over at once. */
uint64_t plan_burst(const struct plan *plan, uint64_t size);

/* Bytes to be sent inline, as far as devices can.  Chosen automatically: 0 for
 * bandwidth, 256 for latency. */
uint32_t plan_inline(const struct plan *plan);

/*
 * Rules between options that no device is needed for: latency with one QP,
 * sizes the operation allows, moderation and lists within the queue, threads
 * that have a QP each, rates that can be told from standing still, ...
 * Returns 0 or -EINVAL, said in ERR.
 */
int plan_check(const struct plan *plan, struct error *err);

/* Most QPs of one end whose completions share a queue of a device with LIMITS.
 * rx_depth must be known where that end posts receives. */
uint32_t plan_qps_per_cq(const struct plan *plan, bool client,
			 const struct port_limits *limits);

/* Send completions that one QP can have outstanding. */
uint64_t plan_send_completions(const struct plan *plan);

/* Reads or atomics of one QP that FROM may start and TO answers at once. */
uint32_t plan_most_reads(const struct port *from, const struct port *to);

/* Reads or atomics that this end starts at once on each QP, and the other
 * answers; 0 for an end that starts none.  Known after plan_choose(). */
uint32_t plan_reads(const struct plan *plan, bool client);

/* Note of both ports what the send queues of PLAN depend on. */
void plan_choose_depth(struct plan *plan, const struct port *client,
		       const struct port *server);

/* Choose what PLAN, which plan_check() found well, left open: MTU, depths,
 * outstanding reads, acknowledge timeout, how many of --all sizes. */
void plan_choose(struct plan *plan, const struct port *client,
		 const struct port *server);

#endif
