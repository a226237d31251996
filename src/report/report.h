/*
 * A finished result as text for people or machines.  Rendering is pure and
 * returns text on the heap; report_write() and sinks are the only writers of
 * stdout.
 */
#ifndef REPORT_REPORT_H
#define REPORT_REPORT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "model/port.h"
#include "model/result.h"
#include "traffic/calibrate.h"

/* How long a reader may be late, or take nothing. */
#define REPORT_READER_WAIT_MS 10000

/* The table, with what was chosen above it; empty when nothing was
 * measured.  Of a check, both ends side by side. */
char *report_text(const struct result *result);

/* The same as perftest 6.06 would print it, for scripts that read that: only
 * what it has, and no row that failed. */
char *report_perftest(const struct result *result);

/* A line of headings and one for each row, with an end of line as RFC 4180 has
 * it.  Columns do not depend on the test; empty: not measured. */
char *report_csv(const struct result *result);

/* Say on stderr which limits of the user's were not met; true when all were. */
bool report_limits(const struct result *result);

/* Say on stderr that --check found problems, which its table names. */
void report_problems(const struct result *result);

/* One JSON document, always valid and complete, ending in a newline. */
char *report_json(const struct result *result);

/*
 * What calibrate() measured, for people and for machines (a document of its
 * own: there is no test in it).
 */
char *report_calibration_text(const struct calibration *c);
char *report_calibration_json(const struct calibration *c, const char *title);

/*
 * N ports with their GIDs; the one that would be chosen is marked, and why
 * none would be is said, or why a port or its device cannot be used.
 */
char *report_devices(const struct found_port *found, size_t n);

/* The faults that --inject knows: a line of headings and one of each, with
 * tabs between. */
char *report_faults(void);

/*
 * Can PATH be written?  Asked before a run, so that its result is not lost.
 * When EMPTY, makes the file if there is none, and leaves nothing in it; else
 * changes nothing.  Returns as report_write().
 */
int report_check_path(const char *path, bool empty, struct error *err);

/*
 * Write TEXT to the file PATH, or to stdout when that is "-".  A file that
 * cannot be written is as it was before (report/replace.h).  Returns 0, or a
 * negative errno, said in ERR.
 */
int report_write(const char *path, const char *text, struct error *err);

/* The same, of TEXT on the heap, which is freed; NULL: there was no memory. */
int report_print(const char *path, char *text, struct error *err);

#endif
