/*
 * What both ends do.  The client makes the plan from its options and sends it;
 * the server accepts or refuses it.  Every field is a row of param_table
 * (model/param.h), which drives parsing, printing and encoding, except op,
 * metric, control, what only plan_choose() sets, and what only a peer that is
 * not verbsperf needs.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/units.h"
#include "model/control.h"
#include "model/counters.h"
#include "model/inject.h"
#include "model/port.h"
#include "traffic/gather.h"
#include "traffic/op.h"

/* "Choose for me", for a 32-bit number. */
#define PLAN_AUTO UINT32_MAX

/* The longest duration, in ns. */
#define PLAN_LONGEST (7 * 86400 * 1000000000ULL)

/* Default message sizes in bytes: 64 KiB for bandwidth, 1 KiB for UD because it
 * fits into one packet nearly everywhere, 2 bytes for latency; and the sizes of
 * --all. */
#define PLAN_SIZE_BANDWIDTH 65536
#define PLAN_SIZE_DATAGRAM 1024
#define PLAN_SIZE_LATENCY 2
#define PLAN_SIZES_ALL "2..8M"

/* When the operations of an open loop start. */
enum arrival { ARRIVAL_FIXED, ARRIVAL_POISSON, ARRIVALS };

/* Who keeps the rate of a bandwidth test. */
enum pacing { PACING_LOOP, PACING_DEVICE, PACINGS };

/* A multicast group. */
struct mcast {
	bool wanted;
	bool given;		/* else both ends derive the same one */
	union ibv_gid gid;	/* zero unless given */
};

struct plan {
	enum op op;
	enum metric metric;
	enum control_test control;	/* only CONTROL_CONNECT has a server;
					 * CONTROL_NONE: a test of traffic */
	struct sizes sizes;
	uint64_t iterations;	/* per QP; 0: run for duration */
	uint64_t duration;	/* ns, like all times here */
	uint64_t warmup;
	uint64_t hold;		/* most that the warm-up goes on until the
				 * client is told to open the window; 0: it
				 * opens by itself */
	uint64_t timeout;	/* ns without progress or word from the peer */
	uint64_t walk;		/* bytes of its region that a QP walks
				 * through */
	uint32_t qps;
	uint32_t tx_depth;	/* may be PLAN_AUTO: see plan_depth() */
	uint32_t link_mbps;	/* of the slower end; 0 until plan_choose() */
	bool all_signaled;	/* a device takes no other sends (EFA's); false
				 * until plan_choose() */
	uint32_t most_sends;	/* longest send queue of both devices;
				 * likewise */
	uint32_t rx_depth;	/* may be PLAN_AUTO until plan_choose() */
	uint32_t cq_mod;	/* may be PLAN_AUTO: see plan_cq_mod() */
	uint32_t mtu;		/* bytes; at first maybe PLAN_AUTO */
	uint32_t outstanding_reads;	/* likewise; see plan_reads() */
	uint32_t server_reads;	/* the server's when both ends send; 0 until
				 * plan_choose() */
	uint32_t qp_timeout;	/* may be PLAN_AUTO until plan_choose() */
	uint32_t sl;
	uint32_t post_list;	/* sends posted in one call */
	uint32_t sge;		/* scatter/gather entries of a message, or
				 * fewer; 0: 1 */
	enum post_method post;
	uint32_t threads;	/* threads that share the QPs */
	bool round_trip;	/* ping-pong: report the whole round trip, not
				 * half */
	enum transport transport;
	bool bidirectional;	/* both ends send at the same time */
	bool reversed;		/* the server sends, the client receives */
	bool imm;		/* with immediate data: see op */
	enum atomic_type atomic;	/* see op */
	bool all;		/* sizes are all powers of two that fit */
	uint32_t inline_size;	/* bytes; may be PLAN_AUTO: see plan_inline() */
	uint32_t recv_post_list;	/* receives posted in one call */
	bool srq;		/* asked for: see plan_shares_receives() */
	bool events;		/* sleep until there are completions */
	bool solicited;		/* receivers sleep until a message asks for an
				 * event */
	struct mcast mcast;	/* the server receives from this group */
	uint32_t receivers;	/* queue pairs of the server in that group; 0:
				 * 1 */
	struct batch batch;	/* requests posted together, whose time is
				 * measured (traffic/batch.h); n 0: none */
	bool fence;		/* an operation waits until earlier ones are
				 * complete */
	uint64_t rate;		/* base/rate.c; 0: unlimited */
	uint32_t burst;		/* messages per burst at that rate */
	enum pacing pacing;
	uint32_t paced_kbps;	/* of each QP, if packet pacing keeps the rate;
				 * 0 until plan_choose() */
	uint8_t static_rate;	/* enum ibv_rate, if the path keeps it;
				 * likewise */
	enum arrival arrival;	/* of an open loop */
	uint32_t open_depth;	/* most outstanding operations of an open
				 * loop */
	uint64_t gap;		/* ns of pause before each operation whose
				 * latency is measured */
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
	bool verify;		/* the receiver checks every byte */
	enum inject inject;	/* fault to provoke */
	uint64_t interval;	/* ns, also between the client's live rows; 0:
				 * no live rows, default length */
	bool check;		/* compare both ends, send nothing */
	bool rdma_cm;		/* librdmacm connects the queue pairs */
	struct counter_choice counters;	/* that both ends read */
	bool perftest_defaults;	/* automatic tx_depth and cq_mod as in
				 * perftest */
	/* of a peer that is not verbsperf; never sent */
	bool quiet;		/* it says nothing while traffic runs, and then
				 * no counts: this end measures by itself */
	bool server_begins;	/* the server of a ping-pong sends first */
	bool arrivals;		/* this end measures what it receives */
	uint32_t qkey;		/* UD: that of all its queue pairs; 0: random,
				 * and told to the peer */
};

/* The largest message, or request of a batch, of the plan in bytes. */
uint64_t plan_largest(const struct plan *plan);

/* True for a run that only an interruption ends: perftest's
 * --run_infinitely. */
static inline bool plan_is_endless(const struct plan *plan)
{
	return plan->duration == PLAN_LONGEST;
}

/* True for an open loop: latency of operations that start on schedule, whether
 * or not earlier ones have completed. */
bool plan_is_open(const struct plan *plan);

/* True when latencies are measured: of messages, or of batches. */
bool plan_has_latency(const struct plan *plan);

/* True for a ping-pong: each end both sends and receives. */
bool plan_is_pingpong(const struct plan *plan);

/* True for a ping-pong by plain writes, which polls for the last byte in
 * memory. */
bool plan_waits_for_memory(const struct plan *plan);

/* True for a ping-pong with a quiet peer: each end measures it, whichever sends
 * first. */
bool plan_both_measure(const struct plan *plan);

/* True when this end sends messages of its own.  In a ping-pong both ends
 * do. */
bool plan_sends(const struct plan *plan, bool client);

/* True when this end sends messages other than answers, and so SENT after the
 * last one. */
bool plan_begins(const struct plan *plan, bool client);

/* True when this end answers in a ping-pong. */
bool plan_answers(const struct plan *plan, bool client);

/* True when this end waits for the peer to send everything, other than by
 * answering. */
bool plan_awaits_peer(const struct plan *plan, bool client);

/* Queue pairs of this end: those of the receivers of a group, or as many as at
 * the other end. */
uint32_t plan_qps(const struct plan *plan, bool client);

/* How many receivers each message is for: 1, but for a group's. */
uint32_t plan_copies(const struct plan *plan);

/* Messages that are to be received of SENT ones; UINT64_MAX if there are
 * more. */
uint64_t plan_due(const struct plan *plan, uint64_t sent);

/* Messages of SENT ones that are not among the RECEIVED; 0 if more arrived than
 * are due, as in a group to which others send. */
uint64_t plan_lost(const struct plan *plan, uint64_t sent, uint64_t received);

/* True when messages may be lost without an error. */
bool plan_is_unreliable(const struct plan *plan);

/* True when each message carries its own address, and a header precedes it in
 * the receiver's memory. */
bool plan_is_datagram(const struct plan *plan);

/* True when each end has two queue pairs where other transports have one: XRC
 * (traffic/op.h). */
bool plan_has_targets(const struct plan *plan);

/* True when the queue pairs of a thread share receives. */
bool plan_shares_receives(const struct plan *plan);

/*
 * True when the peer sends this end packets that need no answer: UC and UD
 * messages, and the answers to verified ones.  Then only this end itself says
 * that it is at its address, so it must prove that first (session/reach.c).
 */
bool plan_proves_address(const struct plan *plan, bool client);

/* True when writes are verified: a notice after them tells the receiver that
 * they are there, and the receiver answers when it has checked them
 * (traffic/verify.h). */
bool plan_sends_notices(const struct plan *plan);

/* True when the receiver knows how many messages arrived. */
bool plan_counts_received(const struct plan *plan);

/* True when bandwidth is measured at the receiver.  On an unreliable transport
 * a send completion says only that the message was sent. */
bool plan_receiver_measures(const struct plan *plan);

/* True when a receiver that measures could not tell warm-up messages from
 * counted ones.  Each size then warms up in a round of its own, with START,
 * SENT and DONE but no row. */
bool plan_warms_up_apart(const struct plan *plan);

/* True when this end's numbers are the result, or half of it. */
bool plan_measures(const struct plan *plan, bool client);

/* True when this end posts receives. */
bool plan_posts_receives(const struct plan *plan, bool client);

/* Most sends of any size that are posted in one call.  Of a batch as many are
 * outstanding on a QP, and have one completion. */
uint32_t plan_longest_list(const struct plan *plan);

/* Number of slots in each QP's region.  An open-loop ping-pong by writes has
 * one per outstanding message, because the last byte of a slot tells that its
 * message arrived.  All others have 1. */
uint32_t plan_slots(const struct plan *plan);

/* Bytes from one slot to the next. */
uint64_t plan_slot_step(const struct plan *plan);

/* How a receive lies in memory: the largest message, after the header of UD. */
struct gather plan_receive(const struct plan *plan);

/* Bytes of one receive buffer, in whole cache lines. */
uint64_t plan_receive_size(const struct plan *plan);

/* Bytes from one QP's region to the next: room for all slots, the largest
 * message or the walk, rounded up to a cache line.  With --verify every
 * outstanding message has its own place. */
uint64_t plan_stride(const struct plan *plan);

/* Number of regions at each end, each of its QPs x stride bytes.  One if the
 * end only sends from it, reads into it or offers it to the peer; two, one per
 * direction, if both ends send. */
uint32_t plan_regions(const struct plan *plan);

/* Bytes of memory that this end registers. */
uint64_t plan_memory(const struct plan *plan, bool client);

/*
 * Longest time, in ns, that an end may take to create what PLAN asks for, or to
 * connect it to the peer.  It allows for slow machines and for pages allocated
 * one by one, so that only an end that pretends to work takes longer.
 */
uint64_t plan_work_limit(const struct plan *plan);

/* Most scatter/gather entries of what this end sends or fetches, and of what it
 * receives; 0: it does not. */
uint32_t plan_send_entries(const struct plan *plan, bool client);
uint32_t plan_receive_entries(const struct plan *plan, bool client);

/* The access flags (enum ibv_access_flags) that REGION of this end's memory
 * needs, and no more.  Of two regions, the peer may touch only the second. */
int plan_access(const struct plan *plan, bool client, uint32_t region);

/* The access flags of this end's queue pairs: the peer may do its operation and
 * nothing else. */
int plan_qp_access(const struct plan *plan, bool client);

/* Length of each QP's send queue, in messages.  An open loop needs at least
 * --depth entries.  An open-loop ping-pong needs twice that, because an answer
 * can arrive before its send is known to be complete. */
uint32_t plan_send_queue(const struct plan *plan);

/* Entries in the send queue and in its completion queue: twice
 * plan_send_queue() when notices are sent in between. */
uint32_t plan_send_capacity(const struct plan *plan);

/*
 * Most messages of SIZE bytes outstanding on one QP: the send queue, or all
 * messages if there are fewer.  Automatic depth: 8 for latency; for bandwidth
 * 128, or up to 512 if the link carries that many while a distant
 * acknowledgement is awaited.  On each QP at most 32 MiB are outstanding, so
 * that they complete soon after the time is over, but an open loop has no such
 * bound.
 */
uint32_t plan_depth(const struct plan *plan, uint64_t size);

/*
 * Sends of SIZE bytes posted in one call: --post-list, but never more than
 * plan_depth().  When all iterations are outstanding at once it divides them,
 * so that every list is full.
 */
uint32_t plan_post_list(const struct plan *plan, uint64_t size);

/*
 * Messages of SIZE bytes per send completion.  Automatic: a quarter of
 * plan_depth(), at most 100, with a completion at least every MiB over all QPs
 * and, for paced messages, every 10 ms.  Never more than plan_depth(); in a
 * ping-pong at most a quarter of it, so that the queue never fills.  A multiple
 * or divisor of plan_post_list(), so that all lists look alike.  When all
 * iterations are outstanding at once it divides them, so that the last one is
 * signaled.
 */
uint32_t plan_cq_mod(const struct plan *plan, uint64_t size);

/* Messages of SIZE bytes per burst at --rate: --burst, rounded up to whole
 * lists, because a list is posted in one call. */
uint64_t plan_burst(const struct plan *plan, uint64_t size);

/* Bytes to send inline, if the device can.  Automatic: 0 for bandwidth, 256 for
 * latency. */
uint32_t plan_inline(const struct plan *plan);

/*
 * Check the rules between options that need no device: latency uses one QP, the
 * operation allows the sizes, moderation and lists fit into the queue, each
 * thread has a QP, a rate is high enough to be told from a stall, ...  Returns
 * 0, or -EINVAL with the reason in ERR.
 */
int plan_check(const struct plan *plan, struct error *err);

/* Check only the rules of --rdma-cm: librdmacm, if this build has it, connects
 * RC, and finds the peer of UD. */
int plan_check_manager(const struct plan *plan, struct error *err);

/* Most QPs of one end that can share a completion queue on a device with
 * LIMITS.  rx_depth must be known if that end posts receives. */
uint32_t plan_qps_per_cq(const struct plan *plan, bool client,
			 const struct port_limits *limits);

/* Most send completions outstanding on one QP. */
uint64_t plan_send_completions(const struct plan *plan);

/* Most reads or atomics per QP that FROM can start and TO can answer at a
 * time. */
uint32_t plan_most_reads(const struct port *from, const struct port *to);

/* Further work requests in each send queue, for allowances: 0 unless PLAN has
 * such at PORT. */
uint32_t plan_allowance_writes(const struct plan *plan,
			       const struct port *port);

/* Most receives outstanding on each QP, or on the shared queue. */
uint32_t plan_receive_depth(const struct plan *plan, bool client);

/* Reads or atomics that this end has outstanding on each QP, and that the other
 * end answers; 0 for an end that starts none.  Known after plan_choose(). */
uint32_t plan_reads(const struct plan *plan, bool client);

/* Record from both ports what PLAN's send queues depend on. */
void plan_choose_depth(struct plan *plan, const struct port *client,
		       const struct port *server);

/* Choose what PLAN leaves open: MTU, depths, outstanding reads, acknowledge
 * timeout, how many of the --all sizes fit.  PLAN must have passed
 * plan_check(). */
void plan_choose(struct plan *plan, const struct port *client,
		 const struct port *server);

/* The share of PLAN's rate that each queue pair has, in kb/s. */
uint64_t pacing_share(const struct plan *plan);

/* The static rate (enum ibv_rate) of that share; 0 when there is none. */
uint8_t pacing_static_rate(const struct plan *plan);

/* "2.5, 5, 10 ...": the static rates of InfiniBand in Gb/s, for messages. */
extern const char pacing_static_rates[];

/* tests.c: the names of tests, of operation and metric. */

/* Those of traffic: "write_bw", ...; variants of an operation have the same. */
extern const char *const traffic_names[OP_COUNT][METRIC_COUNT];

/* The name of PLAN's test, of traffic or of the control path. */
const char *test_name_of(const struct plan *plan);

/* Find the test with exactly this NAME; false when there is none.  OP and
 * METRIC may be NULL. */
bool test_find(const char *name, enum op *op, enum metric *metric);

/* Write all names of tests of traffic, "write_bw write_lat ...", into TEXT of
 * SIZE bytes.  Returns TEXT. */
const char *test_list(char *text, size_t size);

/* addressing.c: what messages carry besides their data, the P_Key that decides
 * who may receive them, and the fields that tell routers and switches how to
 * treat them. */

/* Default of --hop-limit: IANA's default for IP. */
#define ADDRESSING_HOP_LIMIT 64

/* The traffic class of PLAN: --tclass, or --dscp in its upper six bits. */
uint8_t addressing_traffic_class(const struct plan *plan);

/* The flow label of queue pair INDEX: PLAN's labels are used round robin; 0
 * without any. */
uint32_t addressing_flow_label(const struct plan *plan, uint32_t index);

/* Refuse options that exclude each other.  Returns 0, or -EINVAL with the
 * reason in ERR. */
int addressing_check(const struct plan *plan, struct error *err);

/*
 * Refuse options that need a GRH when PATH has none (InfiniBand by LID).
 * Returns 0, or -EINVAL with the reason in ERR.
 */
int addressing_check_path(const struct plan *plan, const struct path *path,
			  struct error *err);

/*
 * Check that the P_Keys of both ends let messages through: they name the same
 * partition, and at least one end is a full member.  A P_Key that was not read
 * (0) is not compared.  Returns 0, or -EINVAL with the reason in ERR.
 */
int addressing_check_pkeys(const struct port *client,
			   const struct port *server, struct error *err);
