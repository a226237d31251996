/*
 * What the QPs that one thread serves share: completion queues, the channel
 * that tells of completions, a shared receive queue; and their receives.
 */
#ifndef VERBS_QUEUES_H
#define VERBS_QUEUES_H

#include <infiniband/verbs.h>
#include <stdint.h>

#include "base/error.h"
#include "model/plan.h"
#include "traffic/flow.h"
#include "verbs/device.h"

struct queues {
	uint32_t n_qps;
	uint32_t qps_per_cq;
	struct flow_cqs *cqs;
	uint32_t n_cqs;
	struct ibv_comp_channel *channel;	/* NULL: polled */
	struct flow_sleep *sleep;		/* with a channel */
	struct ibv_srq *srq;			/* NULL: each QP has its own */
	struct flow_receives *receives;		/* one, or of each QP */
	uint32_t n_receives;
};

/*
 * Make the queues of N_QPS queue pairs, at the end that CLIENT says, as PLAN
 * wants them; several completion queues when one cannot hold what all may have
 * outstanding.  VECTOR is their completion vector.  Returns 0, or a negative
 * errno with what was refused in ERR; queues_destroy() it in either case.
 */
int queues_create(const struct device *device, struct ibv_pd *pd,
		  const struct plan *plan, bool client, uint32_t n_qps,
		  uint32_t vector, struct queues *queues, struct error *err);

/* Release everything, after the QPs; members that are NULL are skipped. */
void queues_destroy(struct queues *queues);

/* The completion queues of QP I of those that QUEUES are for. */
const struct flow_cqs *queues_of(const struct queues *queues, uint32_t i);

/* Receives outstanding at most on each QP, or on the shared queue. */
uint32_t queues_receive_depth(const struct plan *plan, bool client);

/*
 * Prepare the receives of QP I: into the memory at BUFFER, whose key is LKEY,
 * unless they need none.  Shared ones are prepared once, with I 0.  Returns
 * where the QP finds them, NULL when it takes none.
 */
struct flow_receives *queues_prepare(struct queues *queues,
				     const struct plan *plan, uint32_t i,
				     struct ibv_qp *qp, uint8_t *buffer,
				     uint32_t lkey);

#endif
