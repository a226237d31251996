/*
 * One round: the traffic of one message size at one end.  Both ends go through
 * the same order: prepare, start, run, stop, report, end.  The frames exchanged
 * in between belong to session/exchange.c; the monitor reads those that come
 * while the traffic runs.
 */
#pragma once

#include "net/frames.h"
#include "run/run.h"

/* Prepare everything this end's loops need for messages of SIZE bytes, except
 * the receives: run_fill_receives().  Returns 0, or a negative errno, set in
 * the result's error. */
int round_prepare(struct run *run, uint64_t size);

/* Start the monitor.  Returns 0, or a negative errno, set in the result's
 * error.  Call round_run(), round_stop() and round_report() only after 0. */
int round_start(struct run *run);

/* Run this end's loops, if it has any, and wait for the peer's.  Returns 0 or a
 * negative errno, which round_stop() explains. */
int round_run(struct run *run);

/* The loops ended with RET: stop the monitor.  Returns 0, or a negative errno
 * with the reason in the result's error. */
int round_stop(struct run *run, int ret);

/*
 * Add a row to the result from this end's counts (MINE) and the peer's
 * (THEIRS).  A warm-up adds no row; the same size follows it.  A round that
 * failed, with RET, has no THEIRS; it adds a row, marked as failed, if it
 * measured something.  Returns RET or, when the numbers make no sense, a
 * negative errno, set in the result's error.
 */
int round_report(struct run *run, struct done *mine, struct done *theirs,
		 int ret);

/* Release what round_prepare() and later steps made, however far they came. */
void round_end(struct run *run);

/* outcome.c: turns the loops' counts into DONE, and DONE into a row of the
 * result. */

/* The loops are over.  If the run failed, end its windows where the monitor
 * last saw progress, not after the long wait for more. */
void outcome_settle(struct run *run);

/* Put this end's counts, over all loops, into DONE; call done_free(). */
void outcome_describe(struct run *run, struct done *done);

/*
 * Add the row that both ends report, from this end's counts (MINE) and the
 * peer's (THEIRS, NULL when unknown).  Takes over their heap memory, except the
 * histogram.
 */
struct result_row *outcome_add_row(struct run *run, uint64_t size,
				   struct done *mine, struct done *theirs);

/* compare.c: compares what one end sent with what reached the other, and their
 * clocks. */

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

/*
 * The server cannot wait for what the client makes of that, and so compares
 * other times: those from the client's START to the last frame that the server
 * sent while traffic ran and the client took, and from the server's START to
 * the client's DONE.  The client fills MINE with its own, just before it is
 * sent; the server compares THEIRS with its own.
 */
void compare_heard(const struct run *run, struct done *mine);
void compare_at_server(struct run *run, const struct done *mine,
		       const struct done *theirs);
