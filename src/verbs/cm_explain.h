/* Explains an event of the connection manager that is not the awaited one.
 * Pure. */
#ifndef VERBS_CM_EXPLAIN_H
#define VERBS_CM_EXPLAIN_H

#include <rdma/rdma_cma.h>
#include <stdbool.h>

#include "base/error.h"

/* What the manager was requested to do. */
enum cm_step {
	CM_ADDRESS,		/* which device leads to an address */
	CM_ROUTE,
	CM_ANSWER,		/* to a request for a connection */
	CM_CONNECTED,
	CM_GROUP,		/* to join a multicast group */
	CM_STEPS,
};

/* "RDMA_CM_EVENT_REJECTED"; "RDMA_CM_EVENT_?" for an unknown event. */
const char *cm_event_name(enum rdma_cm_event_type event);

/*
 * Explain in ERR why EVENT with STATUS ended STEP towards PEER ("10.0.0.2 port
 * 4711"), on an Ethernet or InfiniBand link.  Returns a negative errno.
 */
int cm_explain(enum rdma_cm_event_type event, int status, enum cm_step step,
	       const char *peer, bool ethernet, struct error *err);

/* Explain in ERR that STEP took too long.  Returns -ETIMEDOUT. */
int cm_explain_silence(enum cm_step step, const char *peer, bool ethernet,
		       struct error *err);

#endif
