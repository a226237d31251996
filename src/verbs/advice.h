/* What to try when a verb of set-up fails.  Pure. */
#ifndef VERBS_ADVICE_H
#define VERBS_ADVICE_H

#include <stdbool.h>

/*
 * What to try when VERB, one of set-up ("ibv_modify_qp", to RTR,
 * "ibv_create_qp", "ibv_reg_mr", ...), said ERRNUM on a link that is Ethernet
 * or InfiniBand; NULL if nothing is known.
 */
const char *verb_advice(const char *verb, int errnum, bool ethernet);

#endif
