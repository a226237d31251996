/*
 * Turns an error into its cause, in one sentence, and advice.  It distinguishes
 * three classes: an immediate return value of a verb, a failed completion and
 * an asynchronous event.  Pure.
 */
#pragma once

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "model/path_signs.h"
#include "model/plan.h"
#include "model/port.h"
#include "traffic/flow.h"

/* explain_words.c: the words in braces in an explanation.  Pure. */

/* The run that a failure ended. */
struct explain_context {
	const struct plan *plan;	/* effective plan */
	const struct path *path;	/* from this end; NULL: not known yet */
	const char *peer;	/* "client" or "server" */
	bool iwarp;		/* ETHERNET is then not looked at */
	bool ethernet;
	uint16_t lid;		/* this end's own */
	uint16_t pkey;
	uint64_t size;		/* message size in bytes */
	uint32_t qpn;		/* of the failed queue pair */
	bool sends;		/* this end sends messages of its own */
	bool notices;		/* the ends exchange notices or credits */
	bool on_gpu;		/* this end's messages are in GPU memory */
	const char *driver;	/* of the device, "mlx5_core"; NULL or "": not
				 * known */
	uint64_t acknowledged;	/* messages, in the whole run */
	const struct path_signs *signs;	/* NULL: nobody looked */
	bool unanswered;	/* it waits for a byte in its memory, and all
				 * its own writes were acknowledged */
};

/*
 * Copy TEMPLATE into TEXT of SIZE bytes, cut off to fit.  Replace each {word}
 * by its value from C: {peer}, {size}, {gids}, ..., or from the plan
 * (model/rule.h).  Unknown words stay.
 */
void explain_words(const char *template, const struct explain_context *c,
		   char *text, size_t size);

/* "IBV_WC_RETRY_EXC_ERR"; "IBV_WC_?" for an unknown status. */
const char *explain_status_name(enum ibv_wc_status status);

struct explain_event_row {
	const char *name;	/* "IBV_EVENT_QP_FATAL" */
	bool fatal;		/* traffic cannot go on */
	const char *cause;	/* "the port went down" */
	const char *advice;	/* NULL: none */
};

/* What is known of EVENT; "IBV_EVENT_?" if nothing is. */
const struct explain_event_row *explain_event_of(enum ibv_event_type event);

/*
 * Explain in ERR why a loop gave up: the operation and QP, what the verb
 * returned or the completion said, the usual cause in the run that C describes,
 * and what to try.  Returns a negative errno.
 */
int explain_failure(const struct flow_failure *failure,
		    const struct explain_context *c, struct error *err);

/* Report in ERR that the asynchronous EVENT on DEVICE ended the run.  Returns a
 * negative errno. */
int explain_event(enum ibv_event_type event, const char *device,
		  struct error *err);

/* explain_path.c: both with {words}. */
struct explain_path_row {
	const char *cause;
	const char *advice;
};

/* Why the path of the run that C describes carries nothing, by its signs. */
const struct explain_path_row *explain_path(const struct explain_context *c);

/*
 * Explain in ERR that the traffic of the run that C describes stands still:
 * WHAT, which is a sentence without an end, such as "nothing completed for 10
 * s", and why.  Returns -ETIMEDOUT.
 */
int explain_stall(const struct explain_context *c, const char *what,
		  struct error *err);

/*
 * What to try when messages of SIZE bytes of PLAN do not arrive: advice for its
 * transport if there is any, else OTHERWISE.
 */
const char *explain_loss(const struct plan *plan, uint64_t size,
			 const char *otherwise);
