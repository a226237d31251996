/*
 * The monitor: one thread that sleeps while the loops run, and ends them when
 * the time is over, the peer is done, fails or falls silent, the device reports
 * an asynchronous error, completions stop, or the user interrupts.
 */
#pragma once

#include <infiniband/verbs.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "host/counters.h"
#include "net/frames.h"
#include "net/oob.h"
#include "run/meter.h"
#include "run/peer_check.h"
#include "run/progress.h"
#include "traffic/flow.h"

/* More frames than are on their way at once. */
#define MONITOR_SAID 64

struct monitor {
	/* set by the caller */
	struct connection *conn;
	struct ibv_context *context;
	const struct clock *clock;
	struct clock_watch *watch;
	struct flow_control *control;
	struct progress *progress;
	struct meter *meter;
	struct counter_reader *counters;	/* NULL: none are read */
	bool counted;		/* they were read for the first time */
	struct flow *flows;	/* the monitor sets their ->expected */
	uint32_t n_flows;
	uint64_t began_at;	/* start of the round (base/time.h) */
	struct peer_facts peer;	/* known at the start of the round */
	bool keeps_time;	/* this end's phases follow the clock */
	bool sends;		/* this end sends: it must make progress, and
				 * sends SENT before the peer sends DONE */
	bool awaits;		/* the peer must send SENT before DONE */
	uint64_t warmup;	/* ns */
	uint64_t duration;	/* ns; 0: the loop counts messages */
	uint64_t drain;		/* ns after the end of the time until the loops
				 * leave what is outstanding; 0: never */
	uint64_t glances;	/* ns between readings in the window
				 * (meter_glance()); 0: none */
	uint64_t peer_timeout;	/* ns without a frame from the peer */
	uint64_t sent_timeout;	/* ns in which a server must have sent all */
	uint64_t traffic_until;	/* when a quiet peer must have gone on
				 * (base/time.h); UINT64_MAX: not known */
	/* results, valid after monitor_stop() */
	struct error err;	/* empty unless the run was aborted */
	bool stalled;		/* err says that nothing completed */
	bool have_done;
	uint64_t done_ticks;	/* when it came, if it did */
	struct frame done;	/* the peer's; freed by the caller */
	bool left;		/* a quiet peer answers no more, as the time is
				 * over: the loops left what was under way */
	uint64_t progress_ticks;	/* time of the last progress seen */
	uint64_t n_heard;	/* frames that came while traffic ran, the
				 * latest of them at: */
	uint64_t heard_ticks;
	uint64_t n_said;	/* frames that this end sent meanwhile; the
				 * latest MONITOR_SAID of them, frame N at: */
	uint64_t said_ticks[MONITOR_SAID];	/* [N % MONITOR_SAID] */
	/* private */
	pthread_t thread;
	sem_t peer_sent;
	_Atomic bool stop;
	bool heard;		/* a quiet peer sent the first bytes of what
				 * follows the traffic */
	uint64_t closed_at;	/* a quiet peer closed the connection; 0: it
				 * has not */
	_Atomic bool sent_requested;	/* by the loops: SENT may be sent */
	struct sent sent;
	bool sent_pending;	/* SENT must still be sent */
	bool sent_done;		/* SENT has been sent */
	bool must_progress;	/* lack of progress is an error */
	bool held;		/* the window waits until the client opens it */
	bool reads_stdin;	/* for the line that opens it */
	bool listed;		/* sysfs had the device at the start */
	int wake_fd;
	int timer_fd;
	uint64_t phase_at;	/* deadlines, in ns of CLOCK_MONOTONIC */
	uint64_t leave_at;
	uint64_t meter_at;
	uint64_t glance_at;
	uint64_t hold_at;	/* the warm-up is over; then, the time for a
				 * line is over */
	uint64_t alive_at;
	uint64_t heard_at;
	uint64_t peer_sent_deadline;
	uint64_t sent_deadline;
	uint64_t tick_at;
	uint64_t progress_at;
	uint64_t messages;
};

/* Set the first phase of the run and start the thread.  Returns 0 or a negative
 * errno, set in ERR. */
int monitor_start(struct monitor *m, struct error *err);

/* This end has sent everything: tell the peer each flow's messages. */
void monitor_send_sent(struct monitor *m);

/* Sleep until the peer has sent everything, or the run is aborted.  Returns 0
 * or -ECANCELED. */
int monitor_wait_peer(struct monitor *m);

/* Take one asynchronous event of CONTEXT, if there is one.  Returns true for a
 * fatal event, set in ERR. */
bool monitor_take_event(struct ibv_context *context, struct error *err);

/* The loops are over: end the thread, unless it has ended by itself. */
void monitor_stop(struct monitor *m);
