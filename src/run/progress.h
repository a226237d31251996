/*
 * What the monitor learns from the loops while they run: how far they are, and
 * where intervals end.  It asks for a mark by the word the loops read anyway,
 * each loop answers at its next completions, and so the loops need no clock of
 * their own.  Answers are looked for when the next mark is due, or a little
 * earlier where they are shown: the monitor may be on the CPU of a loop.
 */
#ifndef RUN_PROGRESS_H
#define RUN_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

#include "model/result.h"
#include "traffic/flow.h"

struct progress {
	/* set by the caller */
	struct flow_control *control;
	const struct flow *flows;
	uint32_t n_flows;
	const struct clock *clock;
	uint64_t interval;	/* ns from mark to mark; 0: no marks */
	uint32_t most;		/* intervals to be kept in the end */
	bool rows;		/* say each interval */
	bool line;		/* show how far it is, on a terminal */
	const struct result *result;	/* whose observer is told of each */
	const char *name;	/* of the test */
	uint64_t size;		/* of a message */
	/* to be read */
	struct interval_log log;	/* in ticks */
	uint64_t messages;	/* of all loops, when last looked at */
	uint64_t wake_at;	/* ns of CLOCK_MONOTONIC: when to look again */
	/* its own */
	struct mark last;	/* the edge before the next one */
	uint64_t began_at;
	uint64_t next_at;	/* of the next mark */
	uint64_t duration;	/* ns; 0: not known */
	uint64_t line_at;
	uint64_t line_messages;
	uint32_t asked;		/* number of the last mark asked for */
	bool waiting;		/* for answers to it */
};

/* Before the loops start; progress_free() it. */
void progress_init(struct progress *p);
void progress_free(struct progress *p);

/* Messages that the loops have completed by now. */
uint64_t progress_total(const struct progress *p);

/* The measurement begins, at NOW (ns of CLOCK_MONOTONIC), and is to end at END
 * (UINT64_MAX: not known). */
void progress_measure(struct progress *p, uint64_t now, uint64_t end);

/* Look at what the loops did, ask and take marks, and show what is wanted. */
void progress_look(struct progress *p, uint64_t now);

/* The loops are over: close the last interval. */
void progress_close(struct progress *p);

#endif
