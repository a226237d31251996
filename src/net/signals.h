/* ^C, SIGTERM and a terminal that is gone as something to wait for. */
#ifndef NET_SIGNALS_H
#define NET_SIGNALS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

/*
 * Block SIGINT, SIGTERM and, unless it is ignored, SIGHUP, and return a
 * descriptor that becomes readable when one comes, or a negative errno.
 */
int signals_open(void);

/*
 * This is a process that serves a client, whose parent's descriptor of
 * signals_open() is its own as well, and tells of signals_limit(), too.  There
 * is no second ^C for it: its parent ends it if it must, so that one that
 * reaches both is one.
 */
void signals_in_child(void);

/* A descriptor that becomes readable when a child process ended, or a negative
 * errno. */
int signals_open_ended(void);

/*
 * Take what made FD, of signals_open_ended(), readable.  To be called before
 * the processes are waited for: one that ends in between makes it readable
 * again.
 */
void signals_take_ended(int fd);

/*
 * After NS nanoseconds, the most that --max-duration allows, the descriptor of
 * a process after signals_in_child() becomes readable, and signals_take() says
 * why.  Returns 0 or a negative errno, said in ERR.
 */
int signals_limit(uint64_t ns, struct error *err);

/*
 * Let the signals end the program, as they do any other (INTERRUPTIBLE), or
 * block them again: for a wait that has no descriptor to poll.  Nothing in a
 * process that serves a client.
 */
void signals_unblock(bool interruptible);

/*
 * Take the signal that made FD readable: says so in ERR and returns
 * -ECANCELED, or -ETIME for signals_limit().  The signals are unblocked, as
 * above, so that a second ^C ends the program at once; but not a second SIGHUP.
 * NUMBER, which may be NULL, becomes the signal's.
 */
int signals_take(int fd, int *number, struct error *err);

#endif
