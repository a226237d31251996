/* A report that goes out row by row, while the test runs. */
#pragma once

#include <stdio.h>

#include "base/error.h"
#include "model/result.h"

/* The parts of a report, from top to bottom.  They write to OUT and nowhere
 * else. */
struct row_format {
	/* a table for people: one terminal may show those of both ends */
	bool table;
	/* lines for programs: appended, and whole where other processes write
	 * as well */
	bool lines;
	/* false: R has nothing yet that is worth a head; NULL: it always has */
	bool (*shows)(const struct result *r);
	/* before a test begins; NULL: nothing */
	void (*head)(FILE *out, const struct result *r);
	void (*row)(FILE *out, const struct result *r,
		    const struct result_row *row);
	/* while a run goes on; NULL: nothing */
	void (*interval)(FILE *out, const struct result *r,
			 const struct observed *part);
	/* after a run; NULL: nothing */
	void (*tail)(FILE *out, const struct result *r);
};

extern const struct row_format text_format;
extern const struct row_format control_format;
extern const struct row_format perftest_format;
extern const struct row_format csv_format;
extern const struct row_format number_format;
extern const struct row_format keyvalue_format;
extern const struct row_format lines_format;

/* Return TEXT, lines of R in FORMAT that go to FD, as they are to be written:
 * on a terminal each line of a server's table begins with "server:".  TEXT and
 * what is returned are on the heap; the former is freed if it is not the
 * latter. */
char *row_format_name(const struct row_format *format, const struct result *r,
		      int fd, char *text);

/* Render all of R, which is over; no head if it has no row.  On the heap. */
char *row_format_render(const struct row_format *format,
			const struct result *r);

struct stream;

/* Write to PATH, kept by reference, to stdout for "-", or to stderr for NULL.
 * Returns heap memory: call stream_free(), which takes NULL as well. */
struct stream *stream_new(const struct row_format *format, const char *path);
void stream_free(struct stream *stream);

/* None waits for the reader: the stream keeps what the reader does not take.
 * stream_interval() returns false when its reader has gone, for whom alone R, a
 * run without an end, goes on. */
void stream_begin(struct stream *stream, const struct result *r);
void stream_rows(struct stream *stream, const struct result *r);
bool stream_interval(struct stream *stream, const struct result *r,
		     const struct observed *part);

/* R is over: write the rest.  A reader of stdout may take as long as it likes.
 * Returns 0, or a negative errno, set in ERR, when some text was not taken. */
int stream_end(struct stream *stream, const struct result *r,
	       struct error *err);
