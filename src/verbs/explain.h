/* From what a verb returned to a sentence and what to do about it.  Pure. */
#ifndef VERBS_EXPLAIN_H
#define VERBS_EXPLAIN_H

#include <infiniband/verbs.h>
#include <stdint.h>

#include "base/error.h"
#include "traffic/flow.h"
#include "traffic/op.h"

/* "IBV_WC_RETRY_EXC_ERR"; "IBV_WC_?" for a status nobody knows. */
const char *explain_status_name(enum ibv_wc_status status);

/* "IBV_EVENT_QP_FATAL"; "IBV_EVENT_?" likewise. */
const char *explain_event_name(enum ibv_event_type event);

/* True when EVENT means that traffic cannot go on. */
bool explain_event_is_fatal(enum ibv_event_type event);

/*
 * Say in ERR why a loop gave up: what OP was under way on which QP, what the
 * verb or the completion said, the usual cause, what to try.
 * Returns a negative errno.
 */
int explain_failure(const struct flow_failure *failure, enum op op,
		    uint32_t qpn, struct error *err);

/* Say in ERR that the asynchronous EVENT ended the run on DEVICE. */
int explain_event(enum ibv_event_type event, const char *device,
		  struct error *err);

/* What to try when ibv_modify_qp to RTR said ERRNUM; NULL if nothing known. */
const char *explain_rtr_advice(int errnum);

#endif
