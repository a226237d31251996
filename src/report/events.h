/* What 'verbsperf watch' writes: a line for each event, as text or as JSON. */
#pragma once

#include "model/param.h"
#include "watch/event.h"

/*
 * Write to the place that PARAMS names: JSON lines, or text to stdout.  If its
 * reader is too slow, events are left out, and a line says how many.  Returns
 * heap memory: call events_free().
 */
struct watch_taker *events_new(const struct parameters *params);
void events_free(struct watch_taker *taker);

/* The watch is over: write the last line, and what the reader has not taken
 * yet.  Returns 0, also if the reader has gone, or a negative errno, set in
 * ERR. */
int events_end(struct watch_taker *taker, struct error *err);

/* For tests: keep at most BYTES for a slow reader. */
void events_keep(struct watch_taker *taker, size_t bytes);
