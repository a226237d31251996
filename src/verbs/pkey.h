/* The P_Key of a port's queue pairs. */
#ifndef VERBS_PKEY_H
#define VERBS_PKEY_H

#include <infiniband/verbs.h>
#include <stdint.h>

#include "base/error.h"
#include "model/port.h"

/*
 * Read entry INDEX of PORT's P_Key table into port->pkey.  Returns 0, or a
 * negative errno with the reason in ERR when the table is shorter, or the entry
 * is invalid or unreadable.
 */
int pkey_read(struct ibv_context *context, uint32_t index, struct port *port,
	      struct error *err);

#endif
