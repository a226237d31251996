/* Text that goes out as it comes, to a reader that may be slow or gone: the
 * sink keeps what the reader does not take, and the writer never waits. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/error.h"

/* place.c: a destination for lines that other processes may share, such as a
 * server's stdout for its clients' lines: no line cuts another, and nobody
 * waits. */

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

struct sink {
	const char *path;	/* "-": stdout */
	int fd;			/* -1: not open yet */
	char *text;		/* on the heap: text not written yet */
	size_t start, end, room;
	bool anew;		/* truncate the file first */
	bool lines;		/* each put is a line, which must stay whole
				 * where other processes write as well */
	struct place place;	/* what fd is, and for lines */
	bool patient;		/* at the end, wait for a reader that came
				 * without limit: a person with a pager */
	int errnum;		/* of the failure that stopped it; 0: none */
};

/* Initialise SINK with anew, lines and patient false; opens nothing yet.  Keeps
 * PATH by reference.  Call sink_free(). */
void sink_init(struct sink *sink, const char *path);

/* Append LENGTH bytes of TEXT, and write as much as the reader takes now. */
void sink_put(struct sink *sink, const char *text, size_t length);

/* Write the rest, as long as the reader takes some of it now and then.  Returns
 * 0, or a negative errno, set in ERR, when some text was not taken. */
int sink_finish(struct sink *sink, struct error *err);

void sink_free(struct sink *sink);
