/* The commands that measure or examine this end alone. */
#ifndef COMMANDS_ALONE_H
#define COMMANDS_ALONE_H

#include "cli/options.h"

/* Examine this end's device and host.  Returns the exit status. */
int command_check(const struct options *options);

/* Run a test of the control path, which needs no other end, until CANCEL_FD
 * (signals_open()) says that the user ends it.  Returns the exit status. */
int command_control(const struct options *options, int cancel_fd);

/* Measure the program's own overhead, without device, server or network.
 * Returns the exit status. */
int command_calibrate(const struct options *options);

#endif
