/* argv -> what to do.  Prints nothing and ends nothing. */
#ifndef CLI_PARSE_H
#define CLI_PARSE_H

#include "base/error.h"
#include "cli/options.h"

/*
 * Parse ARGV; strings are kept by reference.  "TEST" without a server is
 * COMMAND_SERVE with params.once set; a program name that ends in the name of
 * a test stands for it.  Returns 0 or -EINVAL with the option, its value and
 * what is allowed in ERR.  Uses getopt's globals: one thread at a time.
 */
int options_parse(int argc, char **argv, struct options *options,
		  struct error *err);

#endif
