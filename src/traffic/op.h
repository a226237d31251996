/* The operations, as data.  A new one is a line here. */
#ifndef TRAFFIC_OP_H
#define TRAFFIC_OP_H

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stdint.h>

enum transport { TRANSPORT_RC, TRANSPORT_UC, TRANSPORT_UD, TRANSPORTS };

enum atomic_type { ATOMIC_FETCH_AND_ADD, ATOMIC_CMP_AND_SWAP, ATOMIC_TYPES };

/* Sets of transports. */
#define ON_RC (1U << TRANSPORT_RC)
#define ON_UC (1U << TRANSPORT_UC)
#define ON_UD (1U << TRANSPORT_UD)

/*
 * X(id, name, opcode, builder, access, receives, pingpong, fetches, largest,
 *   transports)
 *   name        of the test; what has immediate data, or is the other atomic,
 *               shares it, and comes after
 *   builder     what ibv_create_qp_ex(3) must be asked for to have the
 *               operation with ibv_wr_start(3)
 *   access      what the responder's memory and queue pair must allow
 *   receives    it takes a receive at the responder
 *   pingpong    latency: the responder answers with the same operation and
 *               half the round trip is reported; else the requester's
 *               completion closes the round trip
 *   fetches     it brings data back: it is one of the outstanding reads, and
 *               local memory is written to
 *   largest     message, in bytes
 *   transports  that have it
 */
#define OP_LIST(X) \
	X(SEND, "send", IBV_WR_SEND, IBV_QP_EX_WITH_SEND, 0, true, true, \
	  false, UINT64_MAX, ON_RC | ON_UC | ON_UD) \
	X(WRITE, "write", IBV_WR_RDMA_WRITE, IBV_QP_EX_WITH_RDMA_WRITE, \
	  IBV_ACCESS_REMOTE_WRITE, false, true, false, UINT64_MAX, \
	  ON_RC | ON_UC) \
	X(READ, "read", IBV_WR_RDMA_READ, IBV_QP_EX_WITH_RDMA_READ, \
	  IBV_ACCESS_REMOTE_READ, false, false, true, UINT64_MAX, ON_RC) \
	X(FETCH_ADD, "atomic", IBV_WR_ATOMIC_FETCH_AND_ADD, \
	  IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD, IBV_ACCESS_REMOTE_ATOMIC, \
	  false, false, true, ATOMIC_SIZE, ON_RC) \
	X(SEND_IMM, "send", IBV_WR_SEND_WITH_IMM, \
	  IBV_QP_EX_WITH_SEND_WITH_IMM, 0, true, true, false, UINT64_MAX, \
	  ON_RC | ON_UC | ON_UD) \
	X(WRITE_IMM, "write", IBV_WR_RDMA_WRITE_WITH_IMM, \
	  IBV_QP_EX_WITH_RDMA_WRITE_WITH_IMM, IBV_ACCESS_REMOTE_WRITE, true, \
	  true, false, UINT64_MAX, ON_RC | ON_UC) \
	X(CMP_SWAP, "atomic", IBV_WR_ATOMIC_CMP_AND_SWP, \
	  IBV_QP_EX_WITH_ATOMIC_CMP_AND_SWP, IBV_ACCESS_REMOTE_ATOMIC, \
	  false, false, true, ATOMIC_SIZE, ON_RC)

/* What an atomic operation reads and writes; at a multiple of it. */
#define ATOMIC_SIZE 8

/* A UD receive begins with the global route header, or room for it. */
#define GRH_SIZE 40

enum op {
#define X(id, ...) OP_##id,
	OP_LIST(X)
#undef X
	OP_COUNT
};

/* Those after it are variants. */
#define OP_LAST_TEST OP_FETCH_ADD

struct op_info {
	const char *name;
	enum ibv_wr_opcode opcode;
	uint64_t builder;
	int access;
	bool receives;
	bool pingpong;
	bool fetches;
	uint64_t largest;
	unsigned int transports;
};

static const struct op_info op_table[OP_COUNT] = {
#define X(id, ...) [OP_##id] = { __VA_ARGS__ },
	OP_LIST(X)
#undef X
};

/* The operation of the test that OP is of, with these two settled. */
static inline enum op op_variant(enum op op, bool imm, enum atomic_type type)
{
	switch (op) {
	case OP_SEND:
	case OP_SEND_IMM:
		return imm ? OP_SEND_IMM : OP_SEND;
	case OP_WRITE:
	case OP_WRITE_IMM:
		return imm ? OP_WRITE_IMM : OP_WRITE;
	case OP_FETCH_ADD:
	case OP_CMP_SWAP:
		return type == ATOMIC_CMP_AND_SWAP ? OP_CMP_SWAP :
						     OP_FETCH_ADD;
	default:
		return op;
	}
}

static inline bool op_is_atomic(enum op op)
{
	return op == OP_FETCH_ADD || op == OP_CMP_SWAP;
}

static inline bool op_has_imm(enum op op)
{
	return op == OP_SEND_IMM || op == OP_WRITE_IMM;
}

/* How a send is handed to the provider. */
enum post_method {
	POST_AUTO,	/* POST_WR where the provider has it, else ... */
	POST_WR,	/* ibv_wr_start(3) and what follows */
	POST_LEGACY,	/* ibv_post_send(3) */
	POST_METHODS
};

enum metric { METRIC_BANDWIDTH, METRIC_LATENCY, METRIC_COUNT };

#endif
