/* The operations, as data.  A new one is a line here. */
#ifndef TRAFFIC_OP_H
#define TRAFFIC_OP_H

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * X(id, name, opcode, builder, access, receives, pingpong, smallest)
 *   builder   what ibv_create_qp_ex(3) must be asked for to have the
 *             operation with ibv_wr_start(3)
 *   access    what the responder's memory and queue pair must allow
 *   receives  the responder posts receives for it
 *   pingpong  latency: the responder answers with the same operation and half
 *             the round trip is reported; else the requester's completion
 *             closes the round trip
 *   smallest  message, in bytes
 */
#define OP_LIST(X) \
	X(SEND, "send", IBV_WR_SEND, IBV_QP_EX_WITH_SEND, 0, true, true, 0) \
	X(WRITE, "write", IBV_WR_RDMA_WRITE, IBV_QP_EX_WITH_RDMA_WRITE, \
	  IBV_ACCESS_REMOTE_WRITE, false, true, 1) \
	X(READ, "read", IBV_WR_RDMA_READ, IBV_QP_EX_WITH_RDMA_READ, \
	  IBV_ACCESS_REMOTE_READ, false, false, 1)

enum op {
#define X(id, ...) OP_##id,
	OP_LIST(X)
#undef X
	OP_COUNT
};

struct op_info {
	const char *name;
	enum ibv_wr_opcode opcode;
	uint64_t builder;
	int access;
	bool receives;
	bool pingpong;
	uint64_t smallest;
};

static const struct op_info op_table[OP_COUNT] = {
#define X(id, ...) [OP_##id] = { __VA_ARGS__ },
	OP_LIST(X)
#undef X
};

/* How a send is handed to the provider. */
enum post_method {
	POST_AUTO,	/* POST_WR where the provider has it, else ... */
	POST_WR,	/* ibv_wr_start(3) and what follows */
	POST_LEGACY,	/* ibv_post_send(3) */
	POST_METHODS
};

enum transport { TRANSPORT_RC, TRANSPORT_UC, TRANSPORT_UD, TRANSPORTS };

enum metric { METRIC_BANDWIDTH, METRIC_LATENCY, METRIC_COUNT };

#endif
