/* What the two ends exchange to connect their queue pairs. */
#ifndef MODEL_ENDPOINT_H
#define MODEL_ENDPOINT_H

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stdint.h>

#include "model/memory_choice.h"

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
	uint64_t took;		/* the test connect: ns that the server's calls
				 * took; 0: not said */
	char memory[MEMORY_TEXT_SIZE];	/* what the messages are in; "": not
					 * said */
};

#endif
