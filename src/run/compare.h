/* What one end sent against what the other says has come. */
#ifndef RUN_COMPARE_H
#define RUN_COMPARE_H

#include "run/run.h"

/*
 * Do the counts of ROW, finished, agree?  Over RC as many must have come as
 * were sent; over UC and UD not more, and some; of pings one was answered.
 * Returns 0, or -EIO with the numbers in the result's error.
 */
int compare_counts(struct run *run, const struct result_row *row);

#endif
