/* The P_Key that the queue pairs of one port use. */
#ifndef VERBS_PKEY_H
#define VERBS_PKEY_H

#include <infiniband/verbs.h>
#include <stdint.h>

#include "base/error.h"
#include "model/port.h"

/*
 * Read entry INDEX of PORT's table into port->pkey.  Returns 0, or a negative
 * errno when the table is shorter, the entry invalid or cannot be read, with
 * what there is in ERR.
 */
int pkey_read(struct ibv_context *context, uint32_t index, struct port *port,
	      struct error *err);

#endif
