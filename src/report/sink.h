/*
 * Text that goes out as it comes, to a reader that may be slow or gone: what
 * is not taken at once is kept, and whoever puts it in never waits.
 */
#ifndef REPORT_SINK_H
#define REPORT_SINK_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "report/place.h"

struct sink {
	const char *path;	/* "-": stdout */
	int fd;			/* -1: not open yet */
	size_t most;		/* bytes that may be written at once */
	char *text;		/* on the heap: what is still to be written */
	size_t start, end, room;
	bool anew;		/* nothing remains of a file before */
	bool lines;		/* each put is a line, that must be whole where
				 * other processes write as well */
	struct place place;	/* then, the same as fd */
	bool patient;		/* at the end, the reader may take as long as
				 * it likes: a person with a pager */
	int errnum;		/* what put an end to it; 0: nothing */
};

/* Neither anew, of lines nor patient; opens nothing yet; sink_free() it.  PATH
 * is kept by reference. */
void sink_init(struct sink *sink, const char *path);

/* Append LENGTH bytes of TEXT, and write as much as the reader takes now. */
void sink_put(struct sink *sink, const char *text, size_t length);

/*
 * Write the rest, for as long as the reader takes some of it now and then.
 * Returns 0, or a negative errno when not all that was put in was taken, said
 * in ERR.
 */
int sink_finish(struct sink *sink, struct error *err);

void sink_free(struct sink *sink);

#endif
