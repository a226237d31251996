/* The command that runs a test with both ends here. */
#ifndef COMMANDS_LOOPBACK_H
#define COMMANDS_LOOPBACK_H

#include "cli/options.h"

/* Run a test against a server in a process of its own, until CANCEL_FD
 * (signals_open()) says that the user ends it.  Returns the exit status, in
 * this process and in that of the server. */
int command_loopback(struct options *options, int cancel_fd);

#endif
