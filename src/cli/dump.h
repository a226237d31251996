/*
 * --dump-options: what the command line is, as JSON, for programs that write
 * or check command lines.  It is hidden from users; tests/scripts hold it
 * against doc/verbsperf-options-1.schema.json.
 */
#ifndef CLI_DUMP_H
#define CLI_DUMP_H

#include "cli/options.h"

/*
 * The tests, commands and options of this program as a JSON document.  With a
 * command line (options->command is not COMMAND_NONE) each option also has its
 * value there, and what takes time to find out, which commands take an option,
 * is left out.  On the heap.
 */
char *options_dump(const struct options *options);

#endif
