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

/* Who writes what PARAMS ask for while a run goes on; NULL for nobody.  On the
 * heap, outputs_release() it. */
struct observer *outputs_observe(const struct parameters *params);
void outputs_release(struct observer *observer);

/* The table of R.  Returns 0, or a negative errno, said in ERR. */
int outputs_write_table(const struct result *r, struct error *err);

/* Everything for machines.  One that cannot be written keeps no other from it.
 * Returns as above, with the first failure in ERR. */
int outputs_write(const struct result *r, struct error *err);

/* The same, and the table, of what calibrate() measured. */
int outputs_write_calibration(const struct parameters *params,
			      const struct calibration *c, struct error *err);

#endif
