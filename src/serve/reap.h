/* Ends a child process, whatever it does. */
#ifndef SERVE_REAP_H
#define SERVE_REAP_H

#include <sys/types.h>

/*
 * Wait for the end of CHILD, the server of --loopback.  Kill it if it takes
 * more than 10 s, or at once when the user interrupts (CANCEL_FD, from
 * signals_open()).  If the kernel keeps it even then, leave it behind.
 */
void reap(pid_t child, int cancel_fd);

#endif
