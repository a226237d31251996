/* The program's help and version texts. */
#ifndef CLI_USAGE_H
#define CLI_USAGE_H

#include "cli/options.h"

/* The texts of help on O's topic, and of --version, on the heap; NULL when out
 * of memory. */
char *options_usage(const struct options *o);
char *options_version(void);

#endif
