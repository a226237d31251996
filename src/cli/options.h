/* What the command line asks for. */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include "model/param.h"

enum command {
	COMMAND_HELP,
	COMMAND_VERSION,
	COMMAND_CLIENT,		/* run a test against a server */
	COMMAND_LOOPBACK,	/* run a test, both ends here */
	COMMAND_SERVE,		/* serve clients */
	COMMAND_DEVICES,
	COMMAND_CALIBRATE,	/* what this host's clock and CPUs do */
	COMMAND_FAULTS,		/* what --inject knows */
};

struct options {
	enum command command;
	const char *server;	/* COMMAND_CLIENT: host name or address */
	char ignored[160];	/* the client's options, given to a server */
	struct parameters params;
};

#endif
