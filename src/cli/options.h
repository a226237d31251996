/* argv -> what to do.  Prints nothing and ends nothing. */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include "base/error.h"
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

/*
 * Parse ARGV; strings are kept by reference.  "TEST" without a server is
 * COMMAND_SERVE with params.once set; a program name that ends in the name of
 * a test stands for it.  Returns 0 or -EINVAL with the option, its value and
 * what is allowed in ERR.  Uses getopt's globals: one thread at a time.
 */
int options_parse(int argc, char **argv, struct options *options,
		  struct error *err);

/* The texts of --help and --version, on the heap; NULL for want of memory. */
char *options_usage(void);
char *options_version(void);

#endif
