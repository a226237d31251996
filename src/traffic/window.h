/*
 * The window in which messages count (measurement.md, "Bandwidth"): those that
 * this end sent and saw completed or, counts_arrivals, those that came in.
 */
#ifndef TRAFFIC_WINDOW_H
#define TRAFFIC_WINDOW_H

#include "traffic/flow.h"

/* Messages so far, of those that are measured. */
static inline uint64_t window_messages(const struct flow *f)
{
	return f->counts_arrivals ? f->received : f->completed;
}

/* Open it now, before anything was sent. */
void window_open(struct flow *f);

/* Close it: all was sent and is complete. */
void window_close(struct flow *f);

/* Nothing more will come: close it at the last message that came. */
void window_settle(struct flow *f);

/* The run failed: if it is open, close it, for what was measured. */
void window_cut(struct flow *f);

/* What a loop that begins follows.  Its thread may have been started after the
 * time was over: its window needs both its edges all the same, and it must see
 * that it is to end.  Or another loop of the flow went before it, and answered
 * marks: no mark is answered twice, for the monitor may be reading. */
uint32_t window_begin(const struct flow *f);

/*
 * The completion queues were looked at just now: was anything FOUND, and are
 * they DRAINED?  To be called at each poll while an edge is due, or everything
 * is posted: what is found then came since the look before.
 */
void window_look(struct flow *f, bool found, bool drained);

/*
 * Completions were found while an edge was due: is this where it is?  Not at
 * completions that were found late, for the device went on meanwhile: the
 * thread that asks for an edge may have taken the loop's CPU to do so.  But the
 * edge does not wait for long.
 */
bool window_is_edge(struct flow *f);

/*
 * The control word is COMMAND now, after SEEN.  Called with completions just
 * taken, where window_is_edge(), so that every edge is a completion.  Returns
 * the command the loop now follows: never straight from warm-up to the end, a
 * window needs both its edges, nor past a mark that was asked for before the
 * window was open: the next completions answer it.
 */
uint32_t window_edge(struct flow *f, uint32_t seen, uint32_t command);

#endif
