/* The command line of perftest's programs. */
#pragma once

#include <stdbool.h>

#include "base/error.h"
#include "cli/options.h"

/* True when PATH is named as one of perftest's programs, such as ib_write_bw:
 * its operation and metric, either of which may be NULL. */
bool perftest_is_named(const char *path, enum op *op, enum metric *metric);

/*
 * Parse ARGV as the program that ARGV[0] names, with perftest's options
 * (cli/perftest_table.h) and defaults.  Without a host the result is
 * COMMAND_SERVE with params.once and params.ignored_options.  Strings are kept
 * by reference.  Returns 0, or -EINVAL with the reason in ERR.  Uses getopt's
 * globals and static memory: one command line per process.
 */
int perftest_parse(char **argv, struct options *options, struct error *err);

/*
 * Parse PARAMS' --perftest, if it was given, as such a command line without a
 * host, of a test and its options only; PARAMS->perftest_test becomes what it
 * says.  Returns 0, or -EINVAL with the reason in ERR.
 */
int perftest_parse_test(struct parameters *params, struct error *err);

/* Set PARAMS' perftest_version to what the environment's VERBSPERF_PERFTEST
 * asks for, or else to 6.06.  Returns 0, or -EINVAL with the reason in ERR. */
int perftest_choose_version(struct parameters *params, struct error *err);

/* The texts of --help and --version, on the heap. */
char *perftest_usage(const char *path);
char *perftest_version(const struct parameters *params);
