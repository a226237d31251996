/*
 * In which order the two ends of perftest talk.  Each step is a ping-pong over
 * TCP, the client's message first, but for CONNECT, which each end does alone.
 * Both ends must know the order from their own options.
 */
#pragma once

#include "model/plan.h"

/* The letters of a schedule. */
enum {
	STEP_KEYS = 'N',	/* the key of each queue pair */
	STEP_KEY = 'K',		/* that of the first one: a barrier */
	STEP_CONNECT = 'C',	/* move the queue pairs to RTS */
	STEP_REPORT = 'R',	/* what both ends measured */
	STEP_COUNT_REPORT = 'r',	/* the same, but not of a test that
					 * runs by time */
};

struct schedule {
	const char *connect;	/* before the first size */
	const char *begin;	/* before the traffic of each size */
	const char *end;	/* after it */
	const char *end_all;	/* the same, if there are several (--all) */
	const char *close;
};

/* The schedule of PLAN's test. */
const struct schedule *schedule_of(const struct plan *plan);

/* True when the server of PLAN's test sends first, not the client. */
bool schedule_server_begins(const struct plan *plan);
