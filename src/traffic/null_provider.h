/*
 * The null provider: no device, no driver, no memory moved.  Signaled sends
 * complete at once.  A loop on it measures only its own cost, so only
 * calibrate.h uses it.
 */
#pragma once

#include <infiniband/verbs.h>
#include <stdint.h>

/* Capacity for completions not yet polled; a power of two. */
#define NULL_PROVIDER_RING 1024

struct null_provider {
	struct ibv_context context;
	struct ibv_cq cq;
	struct ibv_qp qp;
	uint64_t posted;
	uint64_t polled;
	uint64_t wr_ids[NULL_PROVIDER_RING];
};

/* Initialise P: p->qp takes ibv_post_send(3), p->cq takes ibv_poll_cq(3). */
void null_provider_init(struct null_provider *p);
