/*
 * Where a result goes: the table, and every format for machines that was asked
 * for.  A format on stdout sends the table to stderr.
 */
#ifndef REPORT_OUTPUTS_H
#define REPORT_OUTPUTS_H

#include "report/report.h"

/*
 * Can all be written that PARAMS ask for?  Asked before a run, so that its
 * result is not lost.  Returns 0, or a negative errno, said in ERR.
 */
int outputs_check(const struct parameters *params, struct error *err);

/*
 * Who writes what PARAMS ask for while a run goes on.  ALONE: no other process
 * writes to the same places meanwhile, and so rows are written as they are
 * finished; else the table and CSV are written when the run is over.  On the
 * heap, outputs_release() it, which may be NULL.
 */
struct observer *outputs_observe(const struct parameters *params, bool alone);
void outputs_release(struct observer *observer);

/* The table of R, which has an observer from above, or what is still missing of
 * it.  Returns 0, or a negative errno, said in ERR. */
int outputs_write_table(const struct result *r, struct error *err);

/* Everything for machines, likewise.  One that cannot be written keeps no other
 * from it.  Returns as above, with the first failure in ERR. */
int outputs_write(const struct result *r, struct error *err);

/* The same, and the table, of what calibrate() measured. */
int outputs_write_calibration(const struct parameters *params,
			      const struct calibration *c, struct error *err);

#endif
