/* The end of a process that was started, whatever it does. */
#ifndef SERVE_REAP_H
#define SERVE_REAP_H

#include <sys/types.h>

/*
 * Wait for the end of CHILD, the server of --loopback.  It is killed when it
 * takes more than 10 s, or at once when CANCEL_FD (signals_open()) says that
 * the user has had enough; and left to the kernel when that keeps it.
 */
void reap(pid_t child, int cancel_fd);

#endif
