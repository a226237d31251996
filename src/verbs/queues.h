/*
 * What the QPs of one thread share: completion queues, the completion channel
 * and a shared receive queue; and the receives.  Loops sleep until there are
 * completions (-e) by the channel.
 */
#pragma once

#include <infiniband/verbs.h>
#include <stdint.h>

#include "base/error.h"
#include "model/plan.h"
#include "traffic/flow.h"
#include "verbs/device.h"

struct queues {
	/* set by the caller */
	const struct device *device;
	struct ibv_pd *pd;
	struct ibv_xrcd *domain;		/* XRC only, else NULL */
	const struct plan *plan;
	bool client;				/* which end this is */
	uint32_t n_qps;
	/* set by queues_create() and queues_prepare() */
	uint32_t qps_per_cq;
	struct flow_cqs *cqs;
	uint32_t n_cqs;
	struct ibv_comp_channel *channel;	/* NULL: polling */
	struct ibv_srq *srq;			/* NULL: each QP has its own */
	uint32_t srqn;				/* XRC: its number */
	struct flow_receives *receives;		/* one if shared, else one per
						 * QP */
	uint32_t n_receives;
};

/* Check that DEVICE has the completion vector VECTOR.  Returns 0, or -EINVAL
 * with those that it has in ERR. */
int queues_check_vector(const struct device *device, uint32_t vector,
			struct error *err);

/*
 * Create the queues as the plan asks.  There are several completion queues if
 * one cannot hold all completions that may be outstanding.  VECTOR is their
 * completion vector.  Returns 0, or a negative errno with what was refused in
 * ERR.  Call queues_destroy() in either case.
 */
int queues_create(struct queues *queues, uint32_t vector, struct error *err);

/* Release everything, after the QPs are destroyed.  Members that are NULL are
 * skipped. */
void queues_destroy(struct queues *queues);

/* The completion queues of QP I of the QPs that share QUEUES. */
const struct flow_cqs *queues_of(const struct queues *queues, uint32_t i);

/*
 * Prepare the receives of QP I in the memory at ADDRESS with key LKEY, if they
 * need any memory.  Shared receives are prepared once, with I 0.  Returns the
 * QP's receives, which QUEUES own, or NULL when it posts none.
 */
struct flow_receives *queues_prepare(struct queues *queues, uint32_t i,
				     struct ibv_qp *qp, uint64_t address,
				     uint32_t lkey);

/* Give each of the receives R of QUEUES memory for a notice.  Returns 0, or a
 * negative errno set in ERR. */
int queues_give_words(const struct queues *queues, struct flow_receives *r,
		      struct error *err);

/*
 * flow.wait: call it whenever a poll of F's loop finds nothing.  When all
 * completion queues of F are empty, it arms them.  When they are still empty
 * after that, it sleeps until an event or a short time passes, because the loop
 * has other things to check.  Polling after arming ensures that no completion
 * is missed (man ibv_get_cq_event).  Returns 0, or a negative errno, also
 * recorded in F.
 */
int sleep_wait(struct flow *f);
