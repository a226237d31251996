/* The parsed command line. */
#pragma once

#include <stdbool.h>

#include "base/error.h"
#include "model/param.h"

enum command {
	COMMAND_NONE,		/* nothing was asked for; --dump-options */
	COMMAND_HELP,
	COMMAND_VERSION,
	COMMAND_CLIENT,		/* run a test against a server */
	COMMAND_LOOPBACK,	/* run a test with both ends here */
	COMMAND_SERVE,		/* serve clients */
	COMMAND_DEVICES,
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
	bool dump;		/* only describe the options (cli/dump.c) */
	const char *server;	/* COMMAND_CLIENT: host name or address */
	/* options given that have no effect: those of clients, to a server; or
	 * those that mean nothing to the test */
	char ignored[2048];
	char hint[96];		/* what an option is that may have been mistaken
				 * for another; else empty */
	struct parameters params;
};

/* usage.c: the program's help and version texts. */

/* The texts of help on O's topic, and of --version, on the heap. */
char *options_usage(const struct options *o);
char *options_version(void);

/*
 * dump.c: what --dump-options prints of the command line, as JSON, for programs
 * that write or check command lines.  It is hidden from users; tests/scripts
 * hold it against doc/verbsperf-options-1.schema.json.
 */

/*
 * The tests, commands and options of this program as a JSON document.  With a
 * command line (options->command is not COMMAND_NONE) each option also has its
 * value there, and what takes time to find out, which commands take an option,
 * is left out.  On the heap.
 */
char *options_dump(const struct options *options);

/* takes.c: finds out which options a test or command takes, by trying them. */

/* True when COMMAND, a test or another command, accepts some value of ROW,
 * perhaps beside another option. */
bool takes_option(const char *command, const struct param *row);

/* True when COMMAND accepts WORD, of LENGTH bytes, as the value of ROW. */
bool takes_word(const char *command, const struct param *row,
		const char *word, int length);

/* parse.c: parses argv.  Prints nothing and never exits. */

/*
 * Parse ARGV; strings are kept by reference.  "TEST" without a server becomes
 * COMMAND_SERVE with params.once set.  If ARGV[0] names a program of
 * perftest's, the rest is that program's command line (cli/perftest.h).
 * Returns 0, or -EINVAL with the option, its value and the allowed values in
 * ERR.  Uses getopt's globals: one thread at a time.
 */
int options_parse(int argc, char **argv, struct options *options,
		  struct error *err);
