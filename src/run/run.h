/*
 * One end of the traffic of a test: its verbs objects, and what its loops, the
 * monitor that watches them and the report of what they did share.  Without a
 * word of the dialogue (session/): that calls this.
 */
#ifndef RUN_RUN_H
#define RUN_RUN_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "model/result.h"
#include "model/tests.h"
#include "net/oob.h"
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
	struct flow *flows;		/* of each thread */
	struct flow_progress *flow_progress;	/* likewise */
	uint32_t n_flows;
	struct flow_control *control;
	bool warming;		/* a round that only warms up: see
				 * plan_warms_up_apart() */
	/* of one round (round.h) */
	uint64_t size;		/* of its messages */
	char test[TEST_NAME_SIZE];
	struct progress progress;
	struct monitor monitor;
	_Atomic uint32_t sending;	/* loops that still do */
	uint64_t dropped;	/* samples that found no room */
};

/* The clocks start; the plan is not known yet, and nothing is made. */
void run_begin(struct run *run, bool client, struct connection *conn,
	       struct device *device, struct result *result);

/* How long the peer may say nothing, in ns. */
uint64_t run_peer_timeout(const struct run *run);

/*
 * Make the verbs objects for RUN->plan, and the flows over them.  Returns 0 or
 * a negative errno, said in the result's error, as below.
 */
int run_create(struct run *run);

/* Move the queue pairs towards RUN->peer, and take from the device what they
 * are set to into the result. */
int run_connect(struct run *run);

/* Top up every queue pair's receives; nothing for an end that takes none. */
int run_fill_receives(struct run *run);

/* What this end's or the peer's queue pairs are set to, in the result. */
struct effective *run_effective(struct run *run, bool client);

/* Release all of RUN but what it was given. */
void run_free(struct run *run);

#endif
