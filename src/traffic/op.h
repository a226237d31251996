/* The table of operations.  A new operation is a new line here. */
#ifndef TRAFFIC_OP_H
#define TRAFFIC_OP_H

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stdint.h>

#include "traffic/transport.h"

enum atomic_type { ATOMIC_FETCH_AND_ADD, ATOMIC_CMP_AND_SWAP, ATOMIC_TYPES };

/*
 * X(id, name, title, opcode, builder, access, receives, pingpong, fetches,
 *   imm, atomic, paging, largest, transports)
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
 *   largest     largest message, in bytes
 *   transports  set of transports that support it
 */
#define OP_LIST(X) \
	X(SEND, "send", "Send", IBV_WR_SEND, IBV_QP_EX_WITH_SEND, 0, true, \
	  true, false, false, 0, IBV_ODP_SUPPORT_SEND, UINT64_MAX, \
	  ON_RC | ON_UC | ON_UD | ON_XRC) \
	X(WRITE, "write", "RDMA_Write", IBV_WR_RDMA_WRITE, \
	  IBV_QP_EX_WITH_RDMA_WRITE, IBV_ACCESS_REMOTE_WRITE, false, true, \
	  false, false, 0, IBV_ODP_SUPPORT_WRITE, UINT64_MAX, \
	  ON_RC | ON_UC | ON_XRC) \
	X(READ, "read", "RDMA_Read", IBV_WR_RDMA_READ, \
	  IBV_QP_EX_WITH_RDMA_READ, IBV_ACCESS_REMOTE_READ, false, false, \
	  true, false, 0, IBV_ODP_SUPPORT_READ, UINT64_MAX, ON_RC | ON_XRC) \
	X(FETCH_ADD, "atomic", "Atomic FETCH_AND_ADD", \
	  IBV_WR_ATOMIC_FETCH_AND_ADD, IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD, \
	  IBV_ACCESS_REMOTE_ATOMIC, false, false, true, false, \
	  ATOMIC_FETCH_AND_ADD, IBV_ODP_SUPPORT_ATOMIC, ATOMIC_SIZE, \
	  ON_RC | ON_XRC) \
	X(SEND_IMM, "send", "Send", IBV_WR_SEND_WITH_IMM, \
	  IBV_QP_EX_WITH_SEND_WITH_IMM, 0, true, true, false, true, 0, \
	  IBV_ODP_SUPPORT_SEND, UINT64_MAX, ON_RC | ON_UC | ON_UD | ON_XRC) \
	X(WRITE_IMM, "write", "RDMA_Write", IBV_WR_RDMA_WRITE_WITH_IMM, \
	  IBV_QP_EX_WITH_RDMA_WRITE_WITH_IMM, IBV_ACCESS_REMOTE_WRITE, true, \
	  true, false, true, 0, IBV_ODP_SUPPORT_WRITE, UINT64_MAX, \
	  ON_RC | ON_UC | ON_XRC) \
	X(CMP_SWAP, "atomic", "Atomic CMP_AND_SWAP", \
	  IBV_WR_ATOMIC_CMP_AND_SWP, IBV_QP_EX_WITH_ATOMIC_CMP_AND_SWP, \
	  IBV_ACCESS_REMOTE_ATOMIC, false, false, true, false, \
	  ATOMIC_CMP_AND_SWAP, IBV_ODP_SUPPORT_ATOMIC, ATOMIC_SIZE, \
	  ON_RC | ON_XRC)

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
	const char *name;
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
	uint64_t largest;
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

#endif
