/* A wait that has an end. */
#ifndef NET_WAIT_H
#define NET_WAIT_H

#include <stdint.h>

#include "base/error.h"

/*
 * Wait until FD has one of EVENTS (poll(2)), DEADLINE passes or the user
 * interrupts.  Returns 0; 1 to be called again; -ETIMEDOUT, of which nothing
 * is said yet; -ECANCELED, said in ERR, and *CANCEL_FD becomes -1: the
 * clean-up that follows is not interrupted again.
 */
int oob_wait(int fd, short events, int *cancel_fd, uint64_t deadline,
	     struct error *err);

#endif
