/* Descriptors that this process was started with, and shares with others. */
#ifndef BASE_DESCRIPTORS_H
#define BASE_DESCRIPTORS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/*
 * Put something in the place of those of 0, 1 and 2 that are closed, which can
 * be neither read nor written: otherwise they would become a device's or a
 * socket's, and messages went there.
 */
void descriptors_hold(void);

/* True when FD is open for writing.  To be asked before this process opens any
 * for itself. */
bool descriptors_writable(int fd);

/*
 * The pipe or terminal FD with an open file description of its own, where no
 * write waits: not to block on the one that is shared with others would change
 * what they see.  Returns FD itself where there is none.
 */
int descriptors_reopen(int fd);

/*
 * Write LENGTH bytes of TEXT to FD, or as many as it takes without a wait, as
 * it does if it was reopened, is a socket, or a poll(2) found it ready.
 * Returns how many, 0 for none, or a negative errno.
 */
ssize_t descriptors_write(int fd, const char *text, size_t length);

#endif
