/*
 * Tells the monitor how far the loops are, and where intervals end.  The
 * monitor requests a mark through the command word that the loops read anyway,
 * and each loop answers at its next completions, so the loops need no clock of
 * their own. The monitor reads the answers when the next mark is due, or soon
 * to show them: it may be on the CPU of a loop.
 */
#pragma once

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
	uint64_t interval;	/* ns between marks; 0: no marks */
	uint32_t most;		/* intervals in the final result */
	bool rows;		/* log each interval */
	bool awaited;		/* the user chose the intervals, and sees each */
	bool line;		/* show a progress line on a terminal */
	const struct result *result;	/* its observer hears each interval */
	const char *name;	/* of the test */
	uint64_t size;		/* of a message */
	/* for the monitor to read */
	struct interval_log log;	/* in ticks */
	uint64_t messages;	/* total of all loops at the last update */
	uint64_t wake_at;	/* next update, ns of CLOCK_MONOTONIC */
	bool unread;		/* the observer wants the run to end */
	/* private */
	struct mark last;	/* the edge before the next one */
	uint64_t arrivals;	/* of the peer's messages, at the edge that is
				 * being formed */
	uint64_t last_arrivals;	/* at the last edge; 0: at the opening */
	uint64_t began_at;
	uint64_t next_at;	/* of the next mark */
	uint64_t duration;	/* ns; 0: not known */
	uint64_t line_at;
	uint64_t line_messages;
	uint32_t requested;	/* number of the last mark requested */
	bool waiting;		/* for the loops to answer it */
	uint64_t wait;		/* ns until their answers are looked for */
};

/* Before the loops start; progress_free() it. */
void progress_init(struct progress *p);
void progress_free(struct progress *p);

/* Ticks from the first opening of a loop's window to the last closing; 0: none
 * did both. */
uint64_t progress_window(const struct progress *p);

/* Messages that the loops have completed so far. */
uint64_t progress_total(const struct progress *p);

/* Measurement begins at NOW (ns of CLOCK_MONOTONIC) and ends at END
 * (UINT64_MAX: not known). */
void progress_measure(struct progress *p, uint64_t now, uint64_t end);

/* Read the loops' progress, request and take marks, and show what the user
 * wants. */
void progress_update(struct progress *p, uint64_t now);

/* The loops are over: close the last interval. */
void progress_close(struct progress *p);
