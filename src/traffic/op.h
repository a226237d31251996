/* The tables of transports and of operations.  A new one is a new line, the
 * last, as its number goes over the wire; an operation also needs a line in
 * traffic/post.h, and a transport its attributes in verbs/qp_attr.c. */
#pragma once

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes before each received datagram: the global route header, or as many
 * unused bytes. */
#define GRH_SIZE 40

/*
 * X(id, qp_type, target, reliable, datagram, paging)
 *   id        its name, also the argument of --transport
 *   qp_type   enum ibv_qp_type
 *   target    0, or the type of a second queue pair at each end: the first one
 *             then only sends, and what the peer sends comes to the second
 *             one, whose receives are in a shared queue
 *   reliable  messages without an acknowledgement are sent again, and in the
 *             end complete with an error
 *   datagram  each message has its own address, is one packet, and arrives
 *             with GRH_SIZE bytes before it
 *   paging    its field in struct ibv_device_attr_ex
 */
#define TRANSPORT_LIST(X) \
	X(RC, IBV_QPT_RC, 0, true, false, ODP_CAPS(rc)) \
	X(UC, IBV_QPT_UC, 0, false, false, ODP_CAPS(uc)) \
	X(UD, IBV_QPT_UD, 0, false, true, ODP_CAPS(ud)) \
	X(XRC, IBV_QPT_XRC_SEND, IBV_QPT_XRC_RECV, true, false, xrc_odp_caps)
#define ODP_CAPS(id) odp_caps.per_transport_caps.id##_odp_caps

enum transport {
#define X(id, ...) TRANSPORT_##id,
	TRANSPORT_LIST(X)
#undef X
	TRANSPORTS
};

/* Sets of transports. */
#define ON_RC (1U << TRANSPORT_RC)
#define ON_UC (1U << TRANSPORT_UC)
#define ON_UD (1U << TRANSPORT_UD)
#define ON_XRC (1U << TRANSPORT_XRC)

struct transport_info {
	const char *name;
	enum ibv_qp_type qp_type;
	int target;	/* enum ibv_qp_type, or 0 */
	bool reliable;
	bool datagram;
	size_t paging;	/* offset of a uint32_t in struct ibv_device_attr_ex */
};

static const struct transport_info transport_table[TRANSPORTS] = {
#define X(id, qp_type, target, reliable, datagram, caps) \
	[TRANSPORT_##id] = { #id, qp_type, target, reliable, datagram, \
			     offsetof(struct ibv_device_attr_ex, caps) },
	TRANSPORT_LIST(X)
#undef X
};

/* "RC|UC|UD|XRC" */
#define TRANSPORT_WORD(id, ...) "|" #id
#define TRANSPORT_WORDS (&("" TRANSPORT_LIST(TRANSPORT_WORD))[1])

/* The atomic operations, as --atomic-type names them. */
#define ATOMIC_LIST(X) X(FETCH_AND_ADD) X(CMP_AND_SWAP)

enum atomic_type {
#define X(id) ATOMIC_##id,
	ATOMIC_LIST(X)
#undef X
	ATOMIC_TYPES
};

/* "FETCH_AND_ADD|CMP_AND_SWAP" */
#define ATOMIC_WORD(id) "|" #id
#define ATOMIC_WORDS (&("" ATOMIC_LIST(ATOMIC_WORD))[1])

/*
 * X(id, name, title, opcode, builder, access, receives, pingpong, fetches,
 *   imm, atomic, paging, transports)
 *   name        test name, shared by its variants; the first variant listed
 *               is the default
 *   title       in the table of perftest
 *   builder     send_ops_flags for ibv_create_qp_ex(3), so that
 *               ibv_wr_start(3) can post the operation
 *   access      access flags of the responder's memory and queue pair
 *   receives    it consumes a receive at the responder
 *   pingpong    latency: the responder answers with the same operation and
 *               half the round trip is reported; else the requester's
 *               completion closes the round trip
 *   fetches     it brings data back: it counts as an outstanding read, and
 *               the device writes to local memory
 *   imm         it has immediate data: --imm
 *   atomic      which atomic operation it is, if it is one: --atomic-type
 *   paging      capability a device needs, per transport, to use memory paged
 *               on demand (enum ibv_odp_transport_cap_bits)
 *   transports  set of transports that support it
 */
#define OP_LIST(X) \
	X(SEND, "send", "Send", IBV_WR_SEND, IBV_QP_EX_WITH_SEND, 0, true, \
	  true, false, false, 0, IBV_ODP_SUPPORT_SEND, \
	  ON_RC | ON_UC | ON_UD | ON_XRC) \
	X(WRITE, "write", "RDMA_Write", IBV_WR_RDMA_WRITE, \
	  IBV_QP_EX_WITH_RDMA_WRITE, IBV_ACCESS_REMOTE_WRITE, false, true, \
	  false, false, 0, IBV_ODP_SUPPORT_WRITE, ON_RC | ON_UC | ON_XRC) \
	X(READ, "read", "RDMA_Read", IBV_WR_RDMA_READ, \
	  IBV_QP_EX_WITH_RDMA_READ, IBV_ACCESS_REMOTE_READ, false, false, \
	  true, false, 0, IBV_ODP_SUPPORT_READ, ON_RC | ON_XRC) \
	X(FETCH_ADD, "atomic", "Atomic FETCH_AND_ADD", \
	  IBV_WR_ATOMIC_FETCH_AND_ADD, IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD, \
	  IBV_ACCESS_REMOTE_ATOMIC, false, false, true, false, \
	  ATOMIC_FETCH_AND_ADD, IBV_ODP_SUPPORT_ATOMIC, ON_RC | ON_XRC) \
	X(SEND_IMM, "send", "Send", IBV_WR_SEND_WITH_IMM, \
	  IBV_QP_EX_WITH_SEND_WITH_IMM, 0, true, true, false, true, 0, \
	  IBV_ODP_SUPPORT_SEND, ON_RC | ON_UC | ON_UD | ON_XRC) \
	X(WRITE_IMM, "write", "RDMA_Write", IBV_WR_RDMA_WRITE_WITH_IMM, \
	  IBV_QP_EX_WITH_RDMA_WRITE_WITH_IMM, IBV_ACCESS_REMOTE_WRITE, true, \
	  true, false, true, 0, IBV_ODP_SUPPORT_WRITE, ON_RC | ON_UC | ON_XRC) \
	X(CMP_SWAP, "atomic", "Atomic CMP_AND_SWAP", \
	  IBV_WR_ATOMIC_CMP_AND_SWP, IBV_QP_EX_WITH_ATOMIC_CMP_AND_SWP, \
	  IBV_ACCESS_REMOTE_ATOMIC, false, false, true, false, \
	  ATOMIC_CMP_AND_SWAP, IBV_ODP_SUPPORT_ATOMIC, ON_RC | ON_XRC)

/* Bytes an atomic operation reads and writes, and their alignment. */
#define ATOMIC_SIZE 8

enum op {
#define X(id, ...) OP_##id,
	OP_LIST(X)
#undef X
	OP_COUNT
};

/* Later operations are variants of earlier ones, with the same name. */
#define OP_LAST_TEST OP_FETCH_ADD

struct op_info {
	/* loops that look a row up need no multiplication */
	_Alignas(64) const char *name;
	const char *title;
	enum ibv_wr_opcode opcode;
	uint64_t builder;
	int access;
	bool receives;
	bool pingpong;
	bool fetches;
	bool imm;
	enum atomic_type atomic;
	uint32_t paging;
	unsigned int transports;
};

static const struct op_info op_table[OP_COUNT] = {
#define X(id, ...) [OP_##id] = { __VA_ARGS__ },
	OP_LIST(X)
#undef X
};

static inline bool op_is_atomic(enum op op)
{
	return op_table[op].access == IBV_ACCESS_REMOTE_ATOMIC;
}

static inline bool op_has_imm(enum op op)
{
	return op_table[op].imm;
}

/* The variant of OP's test with immediate data if IMM or, for atomics, of TYPE;
 * OP itself if no variant matches. */
enum op op_choose(enum op op, bool imm, enum atomic_type type);

/* The verbs that post a send. */
enum post_method {
	POST_AUTO,	/* POST_WR if supported, else POST_LEGACY */
	POST_WR,	/* ibv_wr_start(3) to ibv_wr_complete(3) */
	POST_LEGACY,	/* ibv_post_send(3) */
	POST_METHODS
};

enum metric { METRIC_BANDWIDTH, METRIC_LATENCY, METRIC_COUNT };
