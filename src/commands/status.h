/* What the program's exit status means. */
#ifndef COMMANDS_STATUS_H
#define COMMANDS_STATUS_H

enum {
	EXIT_MEASURED = 0,
	EXIT_FAILED = 1,
	EXIT_USAGE = 2,
	EXIT_LIMIT = 3,
	EXIT_WRONG_DATA = 4,
};

#endif
