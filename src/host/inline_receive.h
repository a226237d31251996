/*
 * Chooses inline receive: --inline-recv.  libibverbs has no call for it.  The
 * driver of mlx5 reads variables of the environment when it makes a completion
 * queue or a queue pair; no other driver can be told.
 *
 * A driver that copies a message to the receive's memory must be able to touch
 * it.  So it is off for memory that cannot be (--memory).
 */
#pragma once

#include "base/error.h"
#include "model/param.h"

/*
 * Tell the driver of DEVICE what PARAMS say, before this process makes queues
 * or starts threads; params->inline_recv becomes what it was told.  Returns 0,
 * or a negative errno with the reason in ERR.
 */
int inline_receive_choose(struct parameters *params, const char *device,
			  struct error *err);
