/* Parses argv.  Prints nothing and never exits. */
#ifndef CLI_PARSE_H
#define CLI_PARSE_H

#include "base/error.h"
#include "cli/options.h"

/*
 * Parse ARGV; strings are kept by reference.  "TEST" without a server becomes
 * COMMAND_SERVE with params.once set.  If ARGV[0] names a program of
 * perftest's, the rest is that program's command line (cli/perftest.h).
 * Returns 0, or -EINVAL with the option, its value and the allowed values in
 * ERR.  Uses getopt's globals: one thread at a time.
 */
int options_parse(int argc, char **argv, struct options *options,
		  struct error *err);

#endif
