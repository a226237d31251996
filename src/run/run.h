/* One end of the traffic of a test: its verbs objects, and what the loops, the
 * monitor and the report share.  session/ holds the dialogue and calls this. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "model/plan.h"
#include "model/result.h"
#include "net/oob.h"
#include "run/meter.h"
#include "run/monitor.h"
#include "run/progress.h"
#include "run/recorder.h"
#include "traffic/clock.h"
#include "traffic/flow.h"
#include "verbs/device.h"
#include "verbs/resources.h"

struct run {
	bool client;
	struct connection *conn;	/* the monitor listens to it */
	struct device *device;
	struct result *result;	/* ports, path, rows, error */
	const struct plan *plan;	/* the result's */
	uint64_t began_at;	/* ns of CLOCK_MONOTONIC_RAW */
	struct clock clock;
	struct clock_watch watch;
	struct resources res;
	struct endpoint peer;
	struct recorder *recorder;	/* NULL: samples are not recorded */
	struct histogram *latency;	/* NULL for bandwidth */
	struct flow *flows;		/* one per thread */
	struct flow_progress *flow_progress;	/* one per thread */
	uint32_t n_flows;
	struct flow_control *control;
	bool warming;		/* the round only warms up: see
				 * plan_warms_up_apart() */
	/* state of one round (round.h) */
	uint64_t size;		/* of a message, in bytes */
	struct progress progress;
	struct meter meter;
	struct counter_reader *counters;	/* NULL: none are read */
	struct packet_counts packets;	/* before the traffic; then, of it */
	struct monitor monitor;
	uint64_t traffic_until;	/* when a quiet peer must have ended the
				 * traffic (base/time.h); UINT64_MAX: no
				 * limit */
	uint64_t asked_ticks;	/* the client's START was sent, or came */
	uint64_t answered_ticks;	/* the server's was sent, or came */
	_Atomic uint32_t sending;	/* loops that still send */
	uint64_t dropped;	/* samples the ring had no room for */
};

/* Start the clocks.  The plan is not known yet, and no verbs object is made. */
void run_begin(struct run *run, bool client, struct connection *conn,
	       struct device *device, struct result *result);

/* How long the peer may be silent, in ns. */
uint64_t run_peer_timeout(const struct run *run);

/* Make the verbs objects for RUN->plan, and the flows over them.  This and the
 * functions below return 0 or a negative errno, set in the result's error. */
int run_create(struct run *run);

/* Connect the queue pairs to RUN->peer. */
int run_connect(struct run *run);

/* Read the attributes that the device reports for the connected queue pairs
 * into the result. */
int run_query(struct run *run);

/* Find the counters to read, now that the path is known. */
void run_find_counters(struct run *run);

/* Top up every queue pair's receives; does nothing at an end that takes
 * none. */
int run_fill_receives(struct run *run);

/* The queue pair attributes of the client or the server, in the result. */
struct effective *run_effective(struct run *run, bool client);

/* Release everything in RUN except what run_begin() was given. */
void run_free(struct run *run);

/* failure.c: explains why the traffic of a run ended early. */

/*
 * The loops ended with RET and the monitor has stopped: put the reason into the
 * result's error, and a failure that the peer reports of its own into its
 * peer_error.  A failed completion says more than the asynchronous event that
 * comes with it, and a local failure more than the peer's message, so this
 * looks for both.  Returns a negative errno: RET if nothing says more.
 */
int failure_explain(struct run *run, int ret);

/* threads.c: runs the loops of a run, each in a thread of its own. */

typedef int (*threads_loop)(struct run *run, struct flow *f);

/*
 * Run LOOP on every flow of RUN: the first in this thread, the others in new
 * threads, each on its CPU if the user gave a list.  When one fails, stop the
 * others.  Returns 0 or the negative errno of the first flow that failed.
 */
int threads_run(struct run *run, threads_loop loop);

/* verification.c: --verify: passes the plan to the loops, and turns a mismatch
 * into a sentence. */

/* If the plan wants it, make thread T of RUN verify what it sends and receives;
 * call verification_free(). */
void verification_begin(const struct run *run, uint32_t t);

/* The peer has sent everything: check what it left in this end's memory.
 * Returns 0 or -EBADMSG. */
int verification_end(struct run *run);

/* Say in the result's error what was wrong in a flow of RUN.  Returns -EBADMSG,
 * or 0 when nothing was. */
int verification_explain(const struct run *run);

/* Stop F verifying and free what it used. */
void verification_free(struct flow *f);
