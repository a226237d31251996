/*
 * The contents of the frames of the dialogue, in enough detail to write a
 * client.  wire.h describes header, integers, reals and strings; "time" is u64
 * nanoseconds.  session/dialogue.h shows the order of frames.  With a key an
 * end seals everything it sends after its AUTH (seal.h).
 *
 * HELLO	string version of the program, string hostname,
 *		u8 1: has a key (--key-file), 32 bytes nonce, random
 * AUTH		32 bytes proof of the key, 24 bytes header of the stream that
 *		seals the frames that follow from this end (net/auth.h,
 *		net/seal.h); none without a key
 * REFUSE	string stage, string code, string message, string advice:
 *		the server refuses PLAN, or cannot serve it
 * ABORT	the same, from either end, at any time; the connection ends
 *
 *		Code EAGAIN in REFUSE: the client may try again a little
 *		later.
 *
 * PLAN		port of the client (below),
 *		u8 operation (traffic/op.h),
 *		u8 metric (0 bandwidth, 1 latency; 2: connections are
 *		measured, and no traffic, see below),
 *		fields (below): the parameters of the test.  Their ids, ranges,
 *		units and words are those of model/param_table.c, what they
 *		mean is in struct plan.  Each is a u64: 1 for a flag, times in
 *		ns, a rate as base/rate.c has it, of a choice the number of the
 *		word, from 0, of counters 0 those of interest, 1 all, 2 none;
 *		0xffffffff is "auto", which both ends then derive from both
 *		ports, by the rules of model/plan.h.  But these are
 *		   1 n x u64 message size, 1 to 64 of them
 *		  35 n x u32 flow label, which QPs take round-robin, 0 to 64
 *		  57 16 bytes: multicast group, as a GID; zeros: one that both
 *		     ends derive from the server's Q_Key (verbs/multicast.h)
 *		  59 n x { u32 number of requests, u32 their size }, n to 32: a
 *		     batch, which then counts as one message of its bytes
 *		A parameter left out has the default of the table, which is
 *		therefore part of the protocol; only 1 has none.  An end may
 *		send a default, too.
 * WAIT		u32 clients ahead in the queue: from a server that has not
 *		answered PLAN yet, four times a second; the client answers
 *		each with ALIVE
 * ACCEPT	port of the server.  A PLAN with check is accepted even by a
 *		server that could not serve it, and no objects are made: the
 *		client sends BYE, and the server answers with BYE, or with
 *		ABORT and the error that would have made it refuse.
 *
 * port:	string hostname, string device, string firmware,
 *		u8 port number, u8 state (enum ibv_port_state),
 *		u8 link layer (1 InfiniBand, 2 Ethernet),
 *		u8 active MTU (enum ibv_mtu), u8 1: GRH required,
 *		u8 1: the GID was forced by the user, u16 LID, u16 P_Key,
 *		u32 rate in Mb/s, u32 NUMA node its memory was put on
 *		(0xffffffff: none in particular),
 *		u64 max_msg_sz, u32 max_qp, u32 max_qp_wr, u32 max_cqe,
 *		u32 max_qp_rd_atom, u32 max_qp_init_rd_atom, u32 max_srq,
 *		u32 max_srq_wr, u32 max_mr,
 *		3 x u32 on-demand paging of RC, UC, UD (1 sends, 2 receives,
 *		4 writes, 8 reads, 16 atomics, 32 shared receives),
 *		u16 n, n x { u32 index, u8 type (enum gid_type),
 *		16 bytes GID } (type 0 IB, 1 RoCE v1, 2 RoCE v2, 3 an IP
 *		address of an iWARP device),
 *		fields (below)
 *
 *		Field 1, "facts", is a list of fields, too: what the host of
 *		the end is set to, by the ids, kinds and limits of
 *		model/facts.h.  A text is a string of at most 71 bytes, a real
 *		is a real of 0 or more, all others are u64.  The reader takes
 *		'_' for what no interface and no PCIe address has in its name.
 *		Field 2, "xrc", optional, says that the device has XRC: u32
 *		on-demand paging, with the bits of the others.
 *		Field 3, "sge", optional, is u32 max_sge, u32 max_sge_rd and
 *		u32 max_srq_sge of the device.
 *		Field 4, "mcast", optional, is u32 max_mcast_grp and
 *		u32 max_mcast_qp_attach of the device.
 *		Field 5, "iwarp", optional, is u8 1: it is an iWARP device.
 *		Field 6, "transport", optional, is u8 enum
 *		ibv_transport_type of another device than one of InfiniBand,
 *		RoCE or iWARP: 2 and 3 usnic, 4 unspecified (EFA), 5 one that
 *		libibverbs does not know.
 *
 * ENDPOINT	u16 LID, 16 bytes GID (zero: none), u8 GID type,
 *		u32 GID index, u32 GID index the receiver shall use,
 *		u8 1: with GRH, u8 path MTU (enum ibv_mtu), u32 Q_Key, u64 VA,
 *		u64 length, u64 stride,
 *		u32 n, n x { u32 QPN, u32 PSN, u32 rkey }, fields (below).
 *		The Q_Key is for UD; its top bit is 0.
 *		The client chooses both GIDs; the server's ENDPOINT confirms.
 *		VA, length and rkeys describe the memory that the peer may
 *		write or read: QP i has stride bytes, at least the largest
 *		size, at VA + i x stride.  n and MTU are as agreed.
 *
 *		Field 1, "rdma-cm", only the server's with parameter 49, is
 *		u16 port and 16 random bytes: there its rdma_cm awaits a
 *		connection for each QP of the client (verbs/cm.h,
 *		verbs/cm_id.h).
 *		Field 2, "memory", optional, is a string of at most 63 bytes:
 *		what this end's messages are in (model/memory_choice.h).
 *		Field 3, "xrc", with XRC only, is n x { u32 QPN, u32 number of
 *		a shared receive queue }: what the peer's QP i is connected to,
 *		and where its messages take receives.
 *
 *		Field 4, "took", optional, is u64 ns: below.
 *		Field 5, "allowances", optional, of an iWARP device that sends
 *		or receives sends, is u64 address, u32 rkey: the peer writes
 *		how many receives its QP i has posted, in all, as a big-endian
 *		u64 to address + 128 i, where this end reads how many messages
 *		it may send (traffic/allowance.h).
 *
 *		With metric 2 the client sends, in any order and after each
 *		answer: ENDPOINT of one QP, which the server answers with
 *		ENDPOINT of one QP that is in RTS, and took, how long its calls
 *		took, or with REFUSE; START, u64 number of connections that
 *		stay, the oldest ones, answered with the same when the others
 *		are gone; or BYE.
 *
 *		With metric 2 and parameter 49 there is one ENDPOINT each way,
 *		with a QPN of 0, and field 1 in the server's.  Then the
 *		client's rdma_cm makes and ends connections there, and the
 *		server sends REFUSE for one that it rejects
 *		(session/acceptor.c); and BYE.
 *
 * READY	attributes of the first QP, as the device reports them: u32
 *		each, in the order and the ranges of EFFECTIVE_LIST
 *		(model/endpoint.h); 0xffffffff: no such attribute
 *
 * REACHED	over UC and UD, from an end that will be sent messages: the 16
 *		random bytes of a packet, a SEND to the first QP of its
 *		ENDPOINT, which the other end posts when both have sent READY.
 *		This proves that the end receives at the GID it names, so
 *		that no other host gets traffic it did not ask for.
 * AGAIN	the packet did not come: send it again, at most 9 times
 *
 * START	u64 message size; the server's answer: ready for it. With hold
 *		in the plan the client's second START of a size opens the window
 * SENT		u32 n, n x u64 messages sent by each thread, warm-up included:
 *		from an end that sends, after its last message, so that the
 *		other knows how many to expect
 * DONE		the client's first, when both have sent and received all; then
 *		the server's: u64 messages posted, u64 received, u64 counted,
 *		u64 window (ns from its opening to its closing), u64 pings
 *		without an answer, u64 operations of an open loop that began
 *		late, u64 error bound of the window and u64 of an interval (ns;
 *		2^60: not known), u64 checks of the send queue, u64 checks that
 *		found it dry, u8 enum post_method (0: did not send),
 *		u32 bytes that can be sent inline, string clock, real clock
 *		resolution and read cost in ns, real deviation of its rate (or
 *		NAN), real ns per unit of the histogram,
 *		u32 n, n x { u32 CPU (0xffffffff: any), u32 QPs, u64 counted,
 *		u64 window } for each of several threads,
 *		u32 n, n x { u64 start, u64 length (ns, from the opening of the
 *		window), u64 counted } for each interval, then
 *		u64 samples and, when that is not 0, u64 min, u64 max, u64 sum,
 *		u64 origin, real squares, u32 n, n x { u32 bin, u64 count }
 *		(stats/histogram.h), and after these in either case fields
 *		(below)
 *
 *		Field 1, "counters", optional: u64 ns between two readings,
 *		u16 n, n x { string name, u8 1: known, u64 by how much it rose,
 *		0 if that is not known }, by their names in ascending order of
 *		their bytes: counters of this end's port (host/counters.h), if
 *		it was asked for any and has some.
 *
 *		Field 2, "cpu", optional, is what this end's CPUs did while
 *		it was measured: u64 ns between two readings; of the process
 *		u64 user time, u64 system time, u64 voluntary and u64
 *		involuntary context switches; of all CPUs of the machine u64
 *		busy time and u64 time; u64 interrupts of the device;
 *		u32 n, n x { u32 CPU (0xffffffff: any), u64 user time, u64
 *		system time, u64 voluntary and u64 involuntary switches } for
 *		each thread that ran a loop.  Times are in ns; what is not
 *		known is 2^60, but the first five are.
 *
 *		Field 3, "events", optional, with parameter 28: u64 completion
 *		events of sends and u64 of receives that this end took.
 *
 *		Field 4, "receivers", the server's only, with parameter 58
 *		above 1, is n x u64: messages that each of them received.
 *
 *		Field 5, "clock", optional: real drift of this end's clock from
 *		its kernel's (or NAN), and two spans by this clock, in u64 ns,
 *		or 0: from the client's START to this DONE, and from this end's
 *		START to the client's DONE; the server's only.  Then a string,
 *		the kernel's clocksource.
 *
 *		Field 6, "on-cpu", optional, after field 2: u64 time that a
 *		hypervisor took from all CPUs of the machine (2^60: not known),
 *		u32 n, as in field 2, n x { u64 time that the loop ran (0: not
 *		known), u64 time of it in which its thread had a CPU }, in ns.
 *
 *		Field 7, "heard", optional, the client's only: u64 number of
 *		frames that the server sent since its START (ALIVE, SENT) and
 *		the client took, and two spans by the client's clock, in u64 ns:
 *		from its START until the last of them came (the server's START
 *		if there is none), and from the server's START to this DONE.
 *
 *		Field 8, "others", the server's only, with parameter 57: u64
 *		messages, 1 at least, that came to the multicast group from
 *		other senders, and that "received" has not.
 *
 * fields:	a list of fields as in net/wire.h.
 *
 * AGAIN, BYE and ALIVE carry nothing.  While traffic runs both ends send ALIVE
 * every 250 ms, or every eighth of the plan's timeout when that is less; an end
 * that hears nothing for the timeout gives up.  A late ALIVE is skipped.  A
 * server reports a failure before its ACCEPT with REFUSE; ABORT reports every
 * other failure.
 *
 * Decoders check every value and return 0, or -EPROTO with the field, its
 * value and the allowed range in ERR.
 */
#pragma once

#include "model/counters.h"
#include "model/endpoint.h"
#include "model/plan.h"
#include "model/port.h"
#include "model/result.h"
#include "net/wire.h"
#include "stats/histogram.h"

/* More messages than any run has, and more ns than any run lasts. */
#define COUNT_MAX (1ULL << 60)

/* More clients than any server queues. */
#define WAIT_MAX 65535

/* What one end sent of one message size. */
struct sent {
	uint32_t n;		/* threads */
	uint64_t messages[CPUS_MAX];
};

#define HELLO_NONCE_SIZE 32
#define AUTH_PROOF_SIZE 32
#define REACHED_SIZE 16
#define AUTH_STREAM_SIZE 24

struct auth {
	uint8_t proof[AUTH_PROOF_SIZE];
	uint8_t stream[AUTH_STREAM_SIZE];
};

struct hello {
	char version[32];
	char hostname[PORT_NAME_SIZE];
	bool has_key;
	uint8_t nonce[HELLO_NONCE_SIZE];	/* never used before */
};

/* An error bound, in ns, that is not known. */
#define DONE_UNKNOWN COUNT_MAX

/* The results of one message size at the end that sends them. */
struct done {
	uint64_t posted;
	uint64_t received;
	uint64_t counted;
	uint64_t window_ns;
	uint64_t lost;		/* pings without an answer */
	uint64_t late;		/* open-loop operations that began late */
	uint64_t left;		/* more than posted, which may have arrived: the
				 * sender did not wait for them */
	uint64_t window_error;	/* ns, or DONE_UNKNOWN */
	uint64_t interval_error;	/* ns, or DONE_UNKNOWN */
	uint64_t queue_checks;	/* of the send queue: traffic/flow.h */
	uint64_t dry;
	enum post_method method;
	uint32_t inline_size;	/* of the queue pairs, as granted */
	struct clock_description clock;
	double ns_per_tick;
	uint64_t n_heard;	/* frames of the server's that the client took
				 * after its START */
	uint64_t heard[2];	/* ns, by the client's clock: from its START to
				 * the last of them or else the server's START,
				 * and from that to this DONE; 0: not known */
	uint64_t span[2];	/* ns, by the server's clock: at most and at
				 * least as long as between the client's START
				 * and DONE (run/compare.c); 0: not known */
	/* on the heap, done_free() */
	uint32_t n_threads;	/* 0: a single thread */
	struct thread_row *threads;
	uint32_t n_intervals;
	struct interval *intervals;
	struct end_measured own;
	uint32_t n_receivers;	/* of a group; 0: fewer than 2 */
	uint64_t *receivers;	/* messages that each received; on the heap */
	uint64_t others;	/* messages of other senders of a group */
	/* the caller's, filled by decode; NULL: samples are an error */
	struct histogram *latency;
	/* a perftest's worst sample, which no frame has; 0: not known */
	double least_gbps;
	/* the first value of the peer's that cannot be: it was left out */
	struct error implausible;
};

/* Note that WHAT of DONE is left out for the reason in WHY, which becomes
 * empty. */
void done_leave_out(struct done *done, const char *what, struct error *why);

/* Free what DONE holds, except the histogram. */
void done_free(struct done *done);

/* Each allocates a frame, for frame_free(). */
struct frame encode_empty(enum frame_type type);
struct frame encode_hello(const struct hello *hello);
struct frame encode_auth(const struct auth *auth);
struct frame encode_error(enum frame_type type, const struct error *what);
struct frame encode_plan(const struct plan *plan, const struct port *client);
struct frame encode_accept(const struct port *server);
struct frame encode_endpoint(const struct endpoint *endpoint);
struct frame encode_ready(const struct effective *effective);
struct frame encode_wait(uint32_t before);
struct frame encode_reached(const uint8_t bytes[REACHED_SIZE]);
struct frame encode_start(uint64_t size);
struct frame encode_sent(const struct sent *sent);
struct frame encode_done(const struct done *done);

int decode_empty(const struct frame *frame, struct error *err);
int decode_hello(const struct frame *frame, struct hello *hello,
		 struct error *err);
int decode_auth(const struct frame *frame, struct auth *auth,
		struct error *err);
int decode_error(const struct frame *frame, struct error *what,
		 struct error *err);
/*
 * Turn REFUSE or ABORT from PEER ("client", "server") into this end's failure:
 * ERR becomes "the PEER: ..." and is marked as the peer's.  An error already in
 * ERR stays as it is.  Returns -ECONNABORTED, or -EPROTO when FRAME is
 * malformed.
 */
int frames_take_error(const struct frame *frame, const char *peer,
		      struct error *err);
/* Copy PEER's error into THEIRS in PEER's own words, without the prefix that
 * frames_take_error() put into ERR. */
void frames_own_words(const struct error *err, const char *peer,
		      struct error *theirs);
int decode_plan(const struct frame *frame, struct plan *plan,
		struct port *client, struct error *err);
int decode_accept(const struct frame *frame, struct port *server,
		  struct error *err);
/* On success endpoint->qps is allocated; the caller calls free(3). */
int decode_endpoint(const struct frame *frame, struct endpoint *endpoint,
		    struct error *err);
int decode_ready(const struct frame *frame, struct effective *effective,
		 struct error *err);
int decode_wait(const struct frame *frame, uint32_t *before, struct error *err);
int decode_reached(const struct frame *frame, uint8_t bytes[REACHED_SIZE],
		   struct error *err);
int decode_start(const struct frame *frame, uint64_t *size, struct error *err);
int decode_sent(const struct frame *frame, struct sent *sent,
		struct error *err);
int decode_done(const struct frame *frame, struct done *done,
		struct error *err);

/* done_frame.c, for tests: what an end's port counted.  COUNTERS that are read
 * are for counters_free() in any case. */
void done_code_counters(struct cursor *c, struct counters *counters);
