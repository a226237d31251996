/* What to do about a verb that failed while objects were made, by the errno and
 * by what is known of the host.  Pure. */
#pragma once

#include "base/error.h"
#include "model/port.h"

#define VERB_ADVICE_SIZE sizeof(((struct error *)NULL)->advice)

/*
 * What to try when set-up verb VERB ("ibv_modify_qp" to RTR, "ibv_create_qp",
 * "ibv_reg_mr", ...) failed with ERRNUM on the device of PORT, whose facts tell
 * how much memory the process may lock; NULL if nothing is known.  TEXT holds
 * an advice that has figures.
 */
const char *verb_advice(const struct port *port, const char *verb, int errnum,
			char text[VERB_ADVICE_SIZE]);

/* Report that VERB, called on the device of PORT for what FMT says, failed with
 * ERRNUM, of either sign.  Returns a negative errno. */
int verb_failed(const struct port *port, const char *verb, int errnum,
		struct error *err, const char *fmt, ...)
	__attribute__((format(printf, 5, 6)));
