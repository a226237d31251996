/*
 * The null provider: no device, no driver, no memory moved.  A send that asks
 * for a completion has it at once.  What a loop takes on it is the loop's own
 * cost, and no measurement of anything else: only calibrate.h uses it.
 */
#ifndef TRAFFIC_NULL_PROVIDER_H
#define TRAFFIC_NULL_PROVIDER_H

#include <infiniband/verbs.h>
#include <stdint.h>

/* Completions not yet polled; a power of two. */
#define NULL_PROVIDER_RING 1024

struct null_provider {
	struct ibv_context context;
	struct ibv_cq cq;
	struct ibv_qp qp;
	uint64_t posted;
	uint64_t polled;
	uint64_t wr_ids[NULL_PROVIDER_RING];
};

/* Make P ready: p->qp and p->cq take sends of ibv_post_send(3), and polls. */
void null_provider_init(struct null_provider *p);

#endif
