/* The commands of a server. */
#ifndef COMMANDS_SERVE_H
#define COMMANDS_SERVE_H

#include <stdbool.h>

#include "cli/options.h"
#include "net/oob.h"

/* Serve the client at CONN, which is closed.  REPORTS is false at the server of
 * --loopback.  Returns the exit status. */
int serve_client(const struct options *options, struct connection *conn,
		 bool reports);

/* Serve clients until CANCEL_FD (signals_open()) says that the user ends it.
 * Returns the exit status: in this process at the end, and in the child of each
 * client. */
int command_serve(struct options *options, int cancel_fd);

#endif
