/* Text that goes out as it comes, to a reader that may be slow or gone: the
 * sink keeps what the reader does not take, and the writer never waits. */
#ifndef REPORT_SINK_H
#define REPORT_SINK_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "report/place.h"

struct sink {
	const char *path;	/* "-": stdout */
	int fd;			/* -1: not open yet */
	size_t most;		/* most bytes per write */
	char *text;		/* on the heap: text not written yet */
	size_t start, end, room;
	bool anew;		/* truncate the file first */
	bool lines;		/* each put is a line, which must stay whole
				 * where other processes write as well */
	struct place place;	/* for lines; shares fd */
	bool patient;		/* at the end, wait for the reader without
				 * limit: a person with a pager */
	size_t most_kept;	/* bytes; tests have less */
	int errnum;		/* of the failure that stopped it; 0: none */
};

/* Initialise SINK with anew, lines and patient false; opens nothing yet.  Keeps
 * PATH by reference.  Call sink_free(). */
void sink_init(struct sink *sink, const char *path);

/* Append LENGTH bytes of TEXT, and write as much as the reader takes now. */
void sink_put(struct sink *sink, const char *text, size_t length);

/* Write as much as the reader takes now.  True when nothing is left, or the
 * sink has failed. */
bool sink_flush(struct sink *sink);

/* Would the sink keep LENGTH more bytes? */
bool sink_has_room(const struct sink *sink, size_t length);

/* Write the rest, as long as the reader takes some of it now and then.  Returns
 * 0, or a negative errno, set in ERR, when some text was not taken. */
int sink_finish(struct sink *sink, struct error *err);

void sink_free(struct sink *sink);

#endif
