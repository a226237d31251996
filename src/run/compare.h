/* Compares the messages one end sent with those that reached the other. */
#ifndef RUN_COMPARE_H
#define RUN_COMPARE_H

#include "run/run.h"

/*
 * Do the counts of ROW, a finished row, agree?  Over RC every message sent must
 * arrive; over UC and UD no more than were sent, and at least some; of the
 * pings at least one must be answered.  Returns 0, or -EIO with the numbers in
 * the result's error.
 */
int compare_counts(struct run *run, const struct result_row *row);

#endif
