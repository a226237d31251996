/* Failed set-up verbs, and what to do about them.  Pure. */
#pragma once

#include "base/error.h"
#include "model/port.h"

/*
 * What to try when set-up verb VERB ("ibv_modify_qp" to RTR, "ibv_create_qp",
 * "ibv_reg_mr", ...) failed with ERRNUM on the device of PORT; NULL if nothing
 * is known.
 */
const char *verb_advice(const struct port *port, const char *verb, int errnum);

/* Report that VERB, called on the device of PORT for what FMT says, failed with
 * ERRNUM, of either sign.  Returns a negative errno. */
int verb_failed(const struct port *port, const char *verb, int errnum,
		struct error *err, const char *fmt, ...)
	__attribute__((format(printf, 5, 6)));
