/* The commands that show devices. */
#ifndef COMMANDS_DEVICES_H
#define COMMANDS_DEVICES_H

#include "cli/options.h"

/* Print the devices of this host.  Returns the exit status: a failure if none
 * of them can be used. */
int command_devices(const struct options *options);

/* Print what happens to devices, until the reader is gone or CANCEL_FD
 * (signals_open()) says that the user ends it.  Returns the exit status. */
int command_watch(const struct options *options, int cancel_fd);

#endif
