/* --verify: passes the plan to the loops, and turns a mismatch into a
 * sentence. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "model/plan.h"
#include "traffic/flow.h"
#include "verbs/resources.h"

/* Error code of a test that carried wrong data: see exit status 4. */
#define VERIFICATION_CODE "EBADMSG"

/* If PLAN wants it, make F, the flow of thread T over RES, verify what it sends
 * and receives; call verification_free(). */
void verification_begin(const struct plan *plan, bool client,
			const struct resources *res, uint32_t t,
			struct flow *f);

/* The peer has sent everything: check what it left in the memory of N FLOWS.
 * Returns 0 or -EBADMSG. */
int verification_end(const struct plan *plan, bool client, struct flow *flows,
		     uint32_t n);

/* Say in ERR what was wrong in one of N FLOWS.  Returns -EBADMSG, or 0 when
 * nothing was. */
int verification_explain(const struct plan *plan, const struct flow *flows,
			 uint32_t n, struct error *err);

/* Stop F verifying and free what it used. */
void verification_free(struct flow *f);
