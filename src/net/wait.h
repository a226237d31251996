/* Waits for one or two descriptors, with a deadline. */
#ifndef NET_WAIT_H
#define NET_WAIT_H

#include <poll.h>
#include <stdint.h>

#include "base/error.h"

/*
 * Wait until FD has one of EVENTS (poll(2)), DEADLINE passes or the user
 * interrupts.  Returns 0; 1 when the caller should call again; -ETIMEDOUT, not
 * said in ERR; or -ECANCELED, said in ERR, with *CANCEL_FD set to -1 so that
 * nothing interrupts the clean-up.
 */
int oob_wait(int fd, short events, int *cancel_fd, uint64_t deadline,
	     struct error *err);

/* The same for either of two FDS, each with its events; their revents say which
 * has some. */
int oob_wait_either(struct pollfd fds[2], int *cancel_fd, uint64_t deadline,
		    struct error *err);

#endif
