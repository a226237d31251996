/* The command that runs a test against a server. */
#ifndef COMMANDS_CLIENT_H
#define COMMANDS_CLIENT_H

#include "cli/options.h"
#include "net/oob.h"

/* Run a test over CONN, which is closed, and report it; with both ends here it
 * is connected already.  Returns the exit status. */
int command_client(const struct options *options, struct connection *conn);

#endif
