/* Text that a command prints instead of measuring. */
#ifndef COMMANDS_PRINT_H
#define COMMANDS_PRINT_H

/* Print TEXT, which is freed, to stdout.  Returns the exit status. */
int command_print(char *text);

#endif
