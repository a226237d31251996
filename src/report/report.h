/* Renders a finished result for people or machines.  Rendering is pure and
 * returns text on the heap; only report_print() and sinks write to stdout. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "model/port.h"
#include "model/result.h"
#include "traffic/calibrate.h"

struct topology;

/* How long a reader may be late, or take nothing. */
#define REPORT_READER_WAIT_MS 10000

/* The lines that a server under perftest's names prints before it has a
 * client. */
extern const char perftest_waiting[];

/* perftest's JSON, always valid: null for what was not measured, and "error"
 * after a run that failed. */
char *report_perftest_json(const struct result *result);

/* Warn of the counters that the user named and neither end has. */
void report_counters(const struct result *result);

/* Say on stderr which of the user's limits were missed. */
void report_limits(const struct result *result);

/* Say on stderr that --check found problems; its table names them. */
void report_problems(const struct result *result);

/* One JSON document, always valid and complete, that ends in a newline. */
char *report_json(const struct result *result);

/* Gauges as OpenMetrics, always valid: how the run ended, and what was
 * measured. */
char *report_openmetrics(const struct result *result);

/* What calibrate() measured, as text and as JSON; the JSON is a document of its
 * own, because it holds no test. */
char *report_calibration_text(const struct calibration *c);
char *report_calibration_json(const struct calibration *c, const char *title);

/* N ports with their GIDs, as text and as a JSON document of its own.  Marks
 * the GID that a test would choose, or says why it would choose none, or why a
 * port or its device cannot be used. */
char *report_devices(const struct found_port *found, size_t n);
char *report_devices_json(const struct found_port *found, size_t n);

/* T as text and as a JSON document of its own. */
char *report_topology_text(const struct topology *t);
char *report_topology_json(const struct topology *t);

/* The faults that --inject knows: a line of headings and one per fault,
 * tab-separated; and in short, for a terminal. */
char *report_faults(void);
char *report_faults_short(void);

/*
 * Can PATH be written?  Call before a run, so that its result is not lost.
 * With LINES, which are appended to it, creates the file, or empties it if no
 * other process appends to it, too; otherwise changes nothing.  Returns like
 * report_print().
 */
int report_check_path(const char *path, bool lines, struct error *err);

/*
 * Write TEXT, which is freed, to the file PATH, or to stdout for "-".  A file
 * that cannot be written stays as before.  Returns 0, or a negative errno, set
 * in ERR.
 */
int report_print(const char *path, char *text, struct error *err);

/* The same of a file that a program of another user reads: all may read it,
 * whatever the umask and the file before. */
int report_print_shared(const char *path, char *text, struct error *err);

/* outputs.c: writes a result to the table and to every machine format the user
 * asks for.  A format on stdout sends the table to stderr. */

/* Can every output in PARAMS be written?  Call before a run, so that its result
 * is not lost.  Returns 0, or a negative errno, set in ERR.  perftest's JSON is
 * left out: like perftest, outputs_write() only warns of it. */
int outputs_check(const struct parameters *params, struct error *err);

/*
 * The observer that writes PARAMS' outputs while a run goes on.  ALONE: no
 * other process writes to the same places meanwhile, so rows are written as
 * they finish; otherwise the table and CSV are written when the run is over.
 * Returns heap memory: call outputs_release(), which takes NULL as well.
 */
struct observer *outputs_observe(const struct parameters *params, bool alone);
void outputs_release(struct observer *observer);

/* Write the table of R, or what the observer has not written of it yet.
 * Returns 0, or a negative errno, set in ERR. */
int outputs_write_table(const struct result *r, struct error *err);

/*
 * Write every machine format of R, or what is still missing.  If one cannot be
 * written, the others still are.  Returns 0, or the first failure, set in ERR.
 */
int outputs_write(const struct result *r, struct error *err);

/* Write what calibrate() measured, as a table and in machine formats.  Returns
 * like outputs_write(). */
int outputs_write_calibration(const struct parameters *params,
			      const struct calibration *c, struct error *err);
