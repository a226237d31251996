/* A report that goes out row by row, while the test runs. */
#ifndef REPORT_STREAM_H
#define REPORT_STREAM_H

#include <stdio.h>

#include "base/error.h"
#include "model/result.h"

/* The parts that a report is made of, from top to bottom.  They write to OUT
 * and nowhere else. */
struct row_format {
	/* of a test that is about to begin; NULL: nothing */
	void (*head)(FILE *out, const struct result *r);
	void (*row)(FILE *out, const struct result *r,
		    const struct result_row *row);
	/* of a run that is over */
	void (*tail)(FILE *out, const struct result *r);
};

extern const struct row_format text_format;
extern const struct row_format perftest_format;
extern const struct row_format csv_format;

/* All of R, which is over: no head when it has no row.  On the heap; NULL for
 * want of memory. */
char *row_format_render(const struct row_format *format,
			const struct result *r);

struct stream;

/*
 * Writes to PATH, which is kept by reference, to stdout when that is "-", or to
 * stderr when it is NULL.  On the heap: stream_free() it, which may be NULL.
 */
struct stream *stream_new(const struct row_format *format, const char *path);
void stream_free(struct stream *stream);

/* Neither waits for the reader: what is not taken at once is kept. */
void stream_begin(struct stream *stream, const struct result *r);
void stream_rows(struct stream *stream, const struct result *r);

/*
 * R is over: the rest.  Who reads stdout may take as long as it likes.
 * Returns 0, or a negative errno when not all was taken, said in ERR.
 */
int stream_end(struct stream *stream, const struct result *r,
	       struct error *err);

#endif
