/* Advice for failed set-up verbs.  Pure. */
#ifndef VERBS_ADVICE_H
#define VERBS_ADVICE_H

#include <stdbool.h>

/*
 * What to try when set-up verb VERB ("ibv_modify_qp" to RTR, "ibv_create_qp",
 * "ibv_reg_mr", ...) failed with ERRNUM, on an Ethernet or InfiniBand link;
 * NULL if nothing is known.
 */
const char *verb_advice(const char *verb, int errnum, bool ethernet);

#endif
