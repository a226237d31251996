/* --verify: from the session to the loops, from a mismatch to a sentence. */
#ifndef RUN_VERIFICATION_H
#define RUN_VERIFICATION_H

#include "run/run.h"

/* Of what a test over the wrong data is said to fail: see exit status 4. */
#define VERIFICATION_CODE "EBADMSG"

/* Have the flow of thread T verify what it sends and receives, if the plan
 * wants that. */
void verification_begin(struct run *run, uint32_t t);

/* The peer has sent all: what it left in memory.  Returns 0 or -EBADMSG. */
int verification_end(struct run *run);

/* Say in the result's error what was wrong.  Returns -EBADMSG, or 0 when
 * nothing was. */
int verification_explain(struct run *run);

void verification_free(struct run *run);

#endif
