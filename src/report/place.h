/* A destination for lines that other processes may share, such as a server's
 * stdout for its clients' lines: no line cuts another, and nobody waits. */
#ifndef REPORT_PLACE_H
#define REPORT_PLACE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct place {
	int fd;			/* -1: not open */
	bool is_file;		/* a regular file: takes any length */
	size_t left;		/* bytes left of a line that was begun; until
				 * they are written other processes are kept
				 * out */
	int waiting;		/* bytes that the reader had not taken when this
				 * was last checked */
};

/* Use FD, a regular file or a descriptor that is written only when poll(2)
 * finds it ready; the caller closes it. */
void place_open(struct place *place, int fd);

/*
 * Write some of TEXT: LENGTH bytes of whole lines, or the rest of them.  Begins
 * a line only if the reader takes all of it at once, or if no pipe is large
 * enough for it.  Returns how many bytes were taken (0: none now), or a
 * negative errno.
 */
ssize_t place_write(struct place *place, const char *text, size_t length);

/* Has the reader taken anything since the last call? */
bool place_has_moved(struct place *place);

#endif
