/* ^C and SIGTERM as something to wait for. */
#ifndef CONTROL_SIGNALS_H
#define CONTROL_SIGNALS_H

#include <stdbool.h>

#include "base/error.h"

/*
 * Block SIGINT and SIGTERM and return a descriptor that becomes readable when
 * one comes, or a negative errno.
 */
int signals_open(void);

/*
 * Let the signals end the program, as they do any other (INTERRUPTIBLE), or
 * block them again: for a wait that has no descriptor to poll.
 */
void signals_unblock(bool interruptible);

/*
 * Take the signal that made FD readable: says so in ERR and returns
 * -ECANCELED.  The signals are unblocked, so that a second ^C ends the
 * program at once.
 */
int signals_take(int fd, struct error *err);

#endif
