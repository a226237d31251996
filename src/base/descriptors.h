/* Descriptors that this process inherited and may share with others. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/*
 * Fill closed descriptors among 0, 1 and 2 with one that allows neither reads
 * nor writes.  Otherwise a device or a socket would get their number, and
 * messages would go there.
 */
void descriptors_hold(void);

/* True when FD is open for writing.  Call it before this process opens any
 * descriptor itself. */
bool descriptors_writable(int fd);

/* True when this process may open N more descriptors, 16 at most. */
bool descriptors_left(unsigned int n);

/*
 * Reopen the pipe or character device FD for non-blocking writes, with its own
 * open file description: O_NONBLOCK on the shared one would affect other
 * processes.  Returns the new descriptor, or FD itself if that is impossible
 * or FD is not open for writing.
 */
int descriptors_reopen(int fd);

/*
 * Write up to LENGTH bytes of TEXT to FD without blocking, provided that FD was
 * reopened, is a socket, or was found ready by poll(2).  Returns the number of
 * bytes written, 0 if FD takes none now, or a negative errno.
 */
ssize_t descriptors_write(int fd, const char *text, size_t length);
