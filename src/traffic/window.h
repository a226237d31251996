/*
 * The measurement window (verbsperf-measurement(7)).  Messages count when
 * this end finds their send completion or, with counts_arrivals, when they
 * arrive.
 */
#pragma once

#include "traffic/flow.h"

/* Measured messages so far, warm-up included. */
static inline uint64_t window_messages(const struct flow *f)
{
	return f->counts_arrivals ? f->received : f->completed;
}

/* Open the window now, before the first post. */
void window_open(struct flow *f);

/* Close the window after everything is sent and complete. */
void window_close(struct flow *f);

/* Close the window, if it is open, at the last message that arrived; no more
 * will. */
void window_settle(struct flow *f);

/* After a failure, close the window if it is open, to keep the results. */
void window_cut(struct flow *f);

/* The command that a new loop takes as seen.  It is never past PHASE_MEASURE: a
 * thread may start after the time is over, and its loop must still open and
 * close its window.  It includes the last mark answered, perhaps by an earlier
 * loop of the flow: the monitor may be reading that answer, so nobody may
 * answer it again. */
uint32_t window_begin(const struct flow *f);

/*
 * Note that the completion queues were polled just now: whether the poll FOUND
 * anything and whether it DRAINED them.  Call it at every poll while an edge is
 * due or everything is posted, so that completions found are known to have
 * arrived since the previous poll.
 */
void window_note_poll(struct flow *f, bool found, bool drained);

/*
 * True when the completions just found, while an edge is due, are that edge.
 * Completions found late are not, because the device went on meanwhile: the
 * thread that requested the edge may have taken the loop's CPU to do so.  After
 * f->edge_timeout any completion will do.
 */
bool window_is_edge(struct flow *f);

/*
 * Take an edge: the command word changed from SEEN to COMMAND.  Call it with
 * completions just taken, if window_is_edge(), so that every edge is a
 * completion.  Returns the command that the loop has now seen.  After the
 * warm-up that is plain PHASE_MEASURE: a window needs both its edges, and the
 * next completions answer a mark requested before it opened.
 */
uint32_t window_edge(struct flow *f, uint32_t seen, uint32_t command);
