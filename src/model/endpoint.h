/*
 * What the two ends exchange to connect their queue pairs; and the attributes
 * that a queue pair then really has, as the device reports them (ibv_query_qp),
 * to compare with what the plan asked for.
 */
#pragma once

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stdint.h>

#include "model/memory_choice.h"
#include "traffic/op.h"

/* Which transports have a value.  EFFECTIVE_GRH: only if the path has a GRH. */
#define EFFECTIVE_RELIABLE (ON_RC | ON_XRC)
#define EFFECTIVE_CONNECTED (EFFECTIVE_RELIABLE | ON_UC)
#define EFFECTIVE_ALL (EFFECTIVE_CONNECTED | ON_UD)
#define EFFECTIVE_GRH (1U << TRANSPORTS)

/* Stands for a value that the queue pair does not have. */
#define EFFECTIVE_NONE UINT32_MAX
#define EFFECTIVE_COUNT_MAX (EFFECTIVE_NONE - 1)

/*
 * X(name, largest value, transports, member of struct ibv_qp_attr), in the
 * order of the wire (net/frames.h).  path_mtu is in bytes here.  On UD the
 * address handles hold the path, and no verb reads them back.
 */
#define EFFECTIVE_LIST(X) \
	X(sl, 15, EFFECTIVE_CONNECTED, ah_attr.sl) \
	X(traffic_class, 255, EFFECTIVE_CONNECTED | EFFECTIVE_GRH, \
	  ah_attr.grh.traffic_class) \
	X(flow_label, 0xfffff, EFFECTIVE_CONNECTED | EFFECTIVE_GRH, \
	  ah_attr.grh.flow_label) \
	X(hop_limit, 255, EFFECTIVE_CONNECTED | EFFECTIVE_GRH, \
	  ah_attr.grh.hop_limit) \
	X(pkey_index, 65535, EFFECTIVE_ALL, pkey_index) \
	X(path_mtu, 4096, EFFECTIVE_CONNECTED, path_mtu) \
	X(timeout, 31, EFFECTIVE_RELIABLE, timeout) \
	X(retry_cnt, 7, EFFECTIVE_RELIABLE, retry_cnt) \
	X(rnr_retry, 7, EFFECTIVE_RELIABLE, rnr_retry) \
	X(min_rnr_timer, 31, EFFECTIVE_RELIABLE, min_rnr_timer) \
	X(max_rd_atomic, 255, EFFECTIVE_RELIABLE, max_rd_atomic) \
	X(max_dest_rd_atomic, 255, EFFECTIVE_RELIABLE, max_dest_rd_atomic) \
	X(max_send_wr, EFFECTIVE_COUNT_MAX, EFFECTIVE_ALL, cap.max_send_wr) \
	X(max_recv_wr, EFFECTIVE_COUNT_MAX, EFFECTIVE_ALL, cap.max_recv_wr) \
	X(max_send_sge, EFFECTIVE_COUNT_MAX, EFFECTIVE_ALL, cap.max_send_sge) \
	X(max_recv_sge, EFFECTIVE_COUNT_MAX, EFFECTIVE_ALL, cap.max_recv_sge) \
	X(max_inline_data, EFFECTIVE_COUNT_MAX, EFFECTIVE_ALL, \
	  cap.max_inline_data)

/* The values of the first queue pair of one end. */
struct effective {
	bool known;
#define X(name, ...) uint32_t name;
	EFFECTIVE_LIST(X)
#undef X
};

/* True when a queue pair of TRANSPORT has a value that those of TRANSPORTS
 * (EFFECTIVE_*) have.  GLOBAL: its path has a GRH. */
static inline bool effective_has(unsigned int transports,
				 unsigned int transport, bool global)
{
	return (transports & 1U << transport) &&
	       (global || !(transports & EFFECTIVE_GRH));
}

#define EFFECTIVE_ONE(...) +1
enum { EFFECTIVE_VALUES = 0 EFFECTIVE_LIST(EFFECTIVE_ONE) };
#undef EFFECTIVE_ONE

/* The largest QPN, PSN and number of a shared receive queue: all have 24
 * bits. */
#define ENDPOINT_QPN_MAX 0xffffffU
/* The largest unprivileged Q_Key.  With the top bit set, a Q_Key in a send
 * request means the queue pair's own Q_Key instead. */
#define ENDPOINT_QKEY_MAX 0x7fffffffU
#define ENDPOINT_QPS_MAX 16384
/* Random bytes that tie a connection of rdma_cm to the session. */
#define ENDPOINT_TOKEN_SIZE 16

struct endpoint_qp {
	uint32_t qpn;
	uint32_t psn;
	uint32_t rkey;		/* of the QP's part of the memory */
	uint32_t target;	/* XRC: QPN of what the peer's QP connects to */
	uint32_t srqn;		/* XRC: shared receive queue of its messages */
	uint64_t va;		/* of its part of the memory; 0: the endpoint's
				 * va and stride say it */
};

struct endpoint {
	uint16_t lid;
	union ibv_gid gid;	/* all zero: unused */
	uint8_t gid_type;
	uint32_t gid_index;	/* index at the sending end */
	uint32_t peer_gid_index;	/* index the sender wants its peer to
					 * use */
	uint8_t global;		/* 1: path has a GRH */
	uint8_t mtu;		/* enum ibv_mtu */
	uint32_t qkey;		/* UD: Q_Key that messages to it must carry */
	uint64_t va;		/* start of the memory the peer may access */
	uint64_t length;
	uint64_t stride;	/* bytes from one QP's part to the next */
	uint32_t n;
	uint16_t cm_port;	/* where the server's rdma_cm listens; 0: it
				 * does not */
	uint8_t cm_token[ENDPOINT_TOKEN_SIZE];
	struct endpoint_qp *qps;	/* n entries on the heap */
	bool targets;		/* XRC: qps have target and srqn */
	uint64_t allowances;	/* where the peer tells how many receives it
				 * has (traffic/allowance.h); 0: nowhere */
	uint32_t allowances_rkey;
	uint64_t took;		/* the test connect: ns that the server's calls
				 * took; 0: not said */
	char memory[MEMORY_TEXT_SIZE];	/* what the messages are in; "": not
					 * said */
};

/* The part of END's memory that is queue pair I's. */
static inline uint64_t endpoint_va(const struct endpoint *end, uint32_t i)
{
	return end->qps[i].va ? end->qps[i].va : end->va + end->stride * i;
}
