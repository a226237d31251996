/* Waits for descriptors with a deadline, and makes ^C, SIGTERM and a closed
 * terminal events to wait for. */
#pragma once

#include <poll.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

/*
 * Wait until FD has one of EVENTS (poll(2)), DEADLINE passes or the user
 * interrupts.  Returns 0; -ETIMEDOUT, not set in ERR; or -ECANCELED, set in
 * ERR, with *CANCEL_FD set to -1 so that nothing interrupts the clean-up.
 */
int oob_wait(int fd, short events, int *cancel_fd, uint64_t deadline,
	     struct error *err);

/* Like oob_wait(), for any of N FDS, each with its events, but the last, which
 * becomes *CANCEL_FD's; their revents say which has some. */
int oob_wait_any(struct pollfd *fds, nfds_t n, int *cancel_fd,
		 uint64_t deadline, struct error *err);

/*
 * Block SIGINT, SIGTERM and, unless it is ignored, SIGHUP, and return a
 * descriptor that becomes readable when one comes, or a negative errno.
 */
int signals_open(void);

/*
 * Call in a process that serves a client.  It shares its parent's descriptor
 * from signals_open(), which then also reports signals_limit().  One ^C may
 * reach it twice, from the terminal and from the parent, so a second ^C does
 * not end it; the parent kills it if it must.
 */
void signals_in_child(void);

/* A descriptor that becomes readable when a child process ends, or a negative
 * errno. */
int signals_open_ended(void);

/* Drain FD, from signals_open_ended().  Call before waiting for the processes:
 * one that ends in between makes FD readable again. */
void signals_take_ended(int fd);

/*
 * After NS ns, the most --max-duration allows, the descriptor of a process that
 * called signals_in_child() becomes readable, and signals_take() returns
 * -ETIME.  Returns 0 or a negative errno, set in ERR.
 */
int signals_limit(uint64_t ns, struct error *err);

/*
 * Let signals end the program as they do any other (INTERRUPTIBLE), or block
 * them again: for a wait that has no descriptor to poll.  Does nothing in a
 * process that serves a client.
 */
void signals_unblock(bool interruptible);

/* The signal by which a user ended what this process does: the one that
 * signals_take() took; 0: none, or this process serves a client. */
int signals_ended_by(void);

/*
 * Take the signal that made *FD readable, say so in ERR and return -ECANCELED,
 * or -ETIME for signals_limit().  *FD becomes -1: nothing waits for another
 * signal.  Unblocks the signals as above, so that a second ^C half a second
 * later, but not a second SIGHUP, ends the program at once.  *NUMBER, unless
 * NUMBER is NULL, becomes the signal's number.
 */
int signals_take(int *fd, int *number, struct error *err);
