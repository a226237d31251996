/* What the program says of itself. */
#ifndef CLI_USAGE_H
#define CLI_USAGE_H

/* The texts of --help and --version, on the heap; NULL for want of memory. */
char *options_usage(void);
char *options_version(void);

#endif
