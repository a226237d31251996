/* What the two ends swap so that their queue pairs find each other. */
#ifndef MODEL_ENDPOINT_H
#define MODEL_ENDPOINT_H

#include <infiniband/verbs.h>
#include <stdint.h>

/* The largest QPN, and PSN: both have 24 bits. */
#define ENDPOINT_QPN_MAX 0xffffffU
/* Those with the top bit are privileged, and stand for another in a send. */
#define ENDPOINT_QKEY_MAX 0x7fffffffU
#define ENDPOINT_QPS_MAX 16384

struct endpoint_qp {
	uint32_t qpn;
	uint32_t psn;
	uint32_t rkey;		/* of its part of the memory */
};

struct endpoint {
	uint16_t lid;
	union ibv_gid gid;	/* all zero: none used */
	uint8_t gid_type;
	uint32_t gid_index;	/* the sender's own */
	uint32_t peer_gid_index;	/* the one it wants its peer to use */
	uint8_t global;		/* 1: with a GRH */
	uint8_t mtu;		/* enum ibv_mtu */
	uint32_t qkey;		/* of UD: what its messages must carry */
	uint64_t va;		/* of what the peer may reach */
	uint64_t length;
	uint64_t stride;	/* from one QP's part of it to the next */
	uint32_t n;
	struct endpoint_qp *qps;	/* n of them, on the heap */
};

#endif
