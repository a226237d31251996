/*
 * From what a verb returned to a cause in one sentence and what to do about
 * it.  The three classes of error are told apart: what a verb returned at once,
 * a completion with an error, an asynchronous event.  Pure.
 */
#ifndef VERBS_EXPLAIN_H
#define VERBS_EXPLAIN_H

#include <infiniband/verbs.h>
#include <stdint.h>

#include "base/error.h"
#include "model/plan.h"
#include "traffic/flow.h"
#include "verbs/explain_words.h"

/* "IBV_WC_RETRY_EXC_ERR"; "IBV_WC_?" for a status nobody knows. */
const char *explain_status_name(enum ibv_wc_status status);

/* "IBV_EVENT_QP_FATAL"; "IBV_EVENT_?" likewise. */
const char *explain_event_name(enum ibv_event_type event);

/* True when EVENT means that traffic cannot go on. */
bool explain_event_is_fatal(enum ibv_event_type event);

/*
 * Say in ERR why a loop gave up: what was under way on which QP, what the verb
 * returned or the completion said, the usual cause in the run that C tells of,
 * what to try.  Returns a negative errno.
 */
int explain_failure(const struct flow_failure *failure,
		    const struct explain_context *c, struct error *err);

/* Say in ERR that the asynchronous EVENT ended the run on DEVICE. */
int explain_event(enum ibv_event_type event, const char *device,
		  struct error *err);

/*
 * What to try when messages of SIZE bytes, of PLAN, do not come: what is known
 * of its transport, or else OTHERWISE.
 */
const char *explain_loss(const struct plan *plan, uint64_t size,
			 const char *otherwise);

#endif
