/* A run as lines of JSON, each written when the event it describes happens. */
#ifndef REPORT_LINES_H
#define REPORT_LINES_H

#include "model/result.h"

/*
 * Write to PATH, kept by reference, or to stdout for "-": a line when the run
 * begins, for each interval and for each row.  Returns heap memory: call
 * lines_free().
 */
struct observer *lines_new(const char *path);
void lines_free(struct observer *observer);

/*
 * R is over: write the last line, and what the reader has not taken yet.
 * Returns 0, or a negative errno, set in ERR, when some lines were not
 * written.
 */
int lines_end(struct observer *observer, const struct result *r,
	      struct error *err);

#endif
