/*
 * The watcher: one thread that sleeps while the loops run, and ends them when
 * the time is over, the peer is done, fails or falls silent, the device
 * reports an asynchronous error, nothing completes any more, or the user
 * interrupts.
 */
#ifndef CONTROL_MONITOR_H
#define CONTROL_MONITOR_H

#include <infiniband/verbs.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "control/oob.h"
#include "control/progress.h"
#include "traffic/flow.h"

struct monitor {
	/* set by the caller */
	struct connection *conn;
	struct ibv_context *context;
	const struct clock *clock;
	struct clock_watch *watch;
	struct flow_control *control;
	struct progress *progress;
	bool client;		/* keeps the time, and minds the progress */
	uint64_t warmup;	/* ns */
	uint64_t duration;	/* ns; 0: the loop counts for itself */
	uint64_t timeout;	/* ns without progress or word from the peer */
	/* to be read after monitor_stop() or monitor_wait() */
	struct error err;	/* empty unless the run was aborted */
	bool have_done;
	struct frame done;	/* the client's; the caller frees it */
	uint64_t progress_ticks;	/* when progress was last seen */
	/* its own */
	pthread_t thread;
	int wake_fd;
	int timer_fd;
	uint64_t phase_at;	/* deadlines, in ns of CLOCK_MONOTONIC */
	uint64_t alive_at;
	uint64_t heard_at;
	uint64_t tick_at;
	uint64_t progress_at;
	uint64_t messages;
};

/*
 * Set the phase a run begins with and start the thread.
 * Returns 0 or a negative errno, said in ERR.
 */
int monitor_start(struct monitor *m, struct error *err);

/* The loop is over: end the thread, unless it ended by itself. */
void monitor_stop(struct monitor *m);

/* There is no loop at this end: sleep until the thread ends by itself. */
void monitor_wait(struct monitor *m);

#endif
