/*
 * Where lines go to that other processes may write to as well, such as those of
 * a server's clients to its stdout: a line is never cut by another's, and
 * nobody waits.
 */
#ifndef REPORT_PLACE_H
#define REPORT_PLACE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct place {
	int fd;			/* -1: not open */
	bool is_file;		/* takes all at once */
	size_t left;		/* bytes of a line that was begun: until it is
				 * complete others are kept out */
	int waiting;		/* bytes that its reader had not taken when it
				 * was last looked at */
};

/* FD, which a poll(2) found to be no file for which there is nothing to wait;
 * not closed here. */
void place_open(struct place *place, int fd);

/*
 * Write some of TEXT, which is LENGTH bytes of whole lines or what is left of
 * them.  A line begins only if all of it is taken at once, or if no pipe is
 * large enough for it.  Returns how many bytes were taken, 0: none now; or a
 * negative errno.
 */
ssize_t place_write(struct place *place, const char *text, size_t length);

/* Did the reader take anything since this was asked last? */
bool place_has_moved(struct place *place);

#endif
