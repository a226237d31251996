/* A run as lines of JSON, each written when what it tells has happened. */
#ifndef REPORT_LINES_H
#define REPORT_LINES_H

#include "model/observer.h"

/*
 * Writes to PATH, which is kept by reference, or to stdout when that is "-":
 * a line when the run begins, for each interval and for each row.  On the
 * heap: lines_free() it.
 */
struct observer *lines_new(const char *path);
void lines_free(struct observer *observer);

/*
 * R is over: the last line, and what is still to be taken by the reader.
 * Returns 0, or a negative errno when not all lines were written, said in ERR.
 */
int lines_end(struct observer *observer, const struct result *r,
	      struct error *err);

#endif
