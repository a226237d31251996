/* Writes a result to the table and to every machine format the user asks for.
 * A format on stdout sends the table to stderr. */
#ifndef REPORT_OUTPUTS_H
#define REPORT_OUTPUTS_H

#include "report/report.h"

/* Can every output in PARAMS be written?  Call before a run, so that its result
 * is not lost.  Returns 0, or a negative errno, set in ERR. */
int outputs_check(const struct parameters *params, struct error *err);

/*
 * The observer that writes PARAMS' outputs while a run goes on.  ALONE: no
 * other process writes to the same places meanwhile, so rows are written as
 * they finish; otherwise the table and CSV are written when the run is over.
 * Returns heap memory, or NULL; outputs_release() takes either.
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

#endif
