/* The program's help and version texts. */
#ifndef CLI_USAGE_H
#define CLI_USAGE_H

/* The texts of --help and --version, on the heap; NULL when out of memory. */
char *options_usage(void);
char *options_version(void);

#endif
