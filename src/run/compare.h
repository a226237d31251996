/* Compares what one end sent with what reached the other, and their clocks. */
#ifndef RUN_COMPARE_H
#define RUN_COMPARE_H

#include "run/run.h"

/*
 * Check that the counts of ROW, a finished row, agree: over RC every message
 * sent must arrive; over UC and UD no more than were sent, and at least some;
 * of the pings at least one must be answered.  Returns 0, or -EIO with the
 * numbers in the result's error.
 */
int compare_counts(struct run *run, const struct result_row *row);

/*
 * The server's START comes to the client after it was sent, and so on: by one
 * clock, the server's time from the client's START to its own DONE is within
 * the client's from START to DONE, and its time from its START to the client's
 * DONE has in it the client's between these two.  So however long frames take,
 * the four times bound how much faster one clock goes than the other.
 *
 * The server fills DONE's span, just before it is sent.
 */
void compare_measure(const struct run *run, struct done *done);

/* The client compares THEIRS, the server's DONE, with its own times; it sent
 * MINE at SAID, in ticks.  The closest bounds of all sizes stay in the
 * result. */
void compare_clocks(struct run *run, uint64_t said, const struct done *mine,
		    const struct done *theirs);

#endif
