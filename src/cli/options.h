/* The parsed command line. */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include "model/param.h"

enum command {
	COMMAND_NONE,		/* nothing was asked for; --dump-options */
	COMMAND_HELP,
	COMMAND_VERSION,
	COMMAND_CLIENT,		/* run a test against a server */
	COMMAND_LOOPBACK,	/* run a test with both ends here */
	COMMAND_SERVE,		/* serve clients */
	COMMAND_DEVICES,
	COMMAND_WATCH,		/* print events until stopped */
	COMMAND_CHECK,		/* examine this end alone */
	COMMAND_CONTROL,	/* run a test of the control path */
	COMMAND_CALIBRATE,	/* measure this host's clock and CPUs */
	COMMAND_FAULTS,		/* list what --inject knows */
};

struct options {
	enum command command;
	/* the topic of COMMAND_HELP.  COMMAND_HELP: everything; COMMAND_NONE:
	 * the first steps; params has the test if it is a test */
	enum command topic;
	bool dump;		/* only describe the options (cli/dump.h) */
	const char *server;	/* COMMAND_CLIENT: host name or address */
	char ignored[2048];	/* client options given to a server */
	struct parameters params;
};

#endif
