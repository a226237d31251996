/* --verify: from the plan to the loops, from a mismatch to a sentence. */
#ifndef RUN_VERIFICATION_H
#define RUN_VERIFICATION_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "model/plan.h"
#include "traffic/flow.h"
#include "verbs/resources.h"

/* Of what a test over the wrong data is said to fail: see exit status 4. */
#define VERIFICATION_CODE "EBADMSG"

/* Have F, the flow of thread T over RES, verify what it sends and receives, if
 * PLAN wants that; verification_free() it. */
void verification_begin(const struct plan *plan, bool client,
			const struct resources *res, uint32_t t,
			struct flow *f);

/* The peer has sent all: what it left in the memory of N FLOWS.  Returns 0 or
 * -EBADMSG. */
int verification_end(const struct plan *plan, bool client, struct flow *flows,
		     uint32_t n);

/* Say in ERR what was wrong in one of N FLOWS.  Returns -EBADMSG, or 0 when
 * nothing was. */
int verification_explain(const struct plan *plan, const struct flow *flows,
			 uint32_t n, struct error *err);

/* F verifies nothing any more. */
void verification_free(struct flow *f);

#endif
