/*
 * The watcher: one thread that sleeps while the loops run, and ends them when
 * the time is over, the peer is done, fails or falls silent, the device
 * reports an asynchronous error, nothing completes any more, or the user
 * interrupts.
 */
#ifndef RUN_MONITOR_H
#define RUN_MONITOR_H

#include <infiniband/verbs.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "net/frames.h"
#include "net/oob.h"
#include "run/peer_check.h"
#include "run/progress.h"
#include "traffic/flow.h"

struct monitor {
	/* set by the caller */
	struct connection *conn;
	struct ibv_context *context;
	const struct clock *clock;
	struct clock_watch *watch;
	struct flow_control *control;
	struct progress *progress;
	struct flow *flows;	/* they are told what to expect */
	uint32_t n_flows;
	uint64_t began_at;	/* when the round did (base/time.h) */
	struct peer_facts peer;	/* what is known of it then */
	bool keeps_time;	/* the phases of this end go by the clock */
	bool sends;		/* and so must make progress, and say SENT
				 * before the peer says DONE */
	bool awaits;		/* the peer's SENT must come before DONE */
	bool answers;		/* a ping-pong, until the peer has sent all */
	uint64_t warmup;	/* ns */
	uint64_t duration;	/* ns; 0: the loop counts for itself */
	uint64_t timeout;	/* ns without progress */
	uint64_t peer_timeout;	/* ns without word from the peer */
	/* to be read after monitor_stop() */
	struct error err;	/* empty unless the run was aborted */
	bool have_done;
	struct frame done;	/* the peer's; the caller frees it */
	uint64_t progress_ticks;	/* when progress was last seen */
	/* its own */
	pthread_t thread;
	sem_t peer_sent;
	_Atomic bool stop;
	_Atomic bool say_sent;
	struct sent sent;
	bool said_sent;		/* it is on its way */
	bool minds;		/* something must come */
	bool listed;		/* sysfs had the device when the run began */
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

/* All of this end's messages are out: tell the peer how many of each flow. */
void monitor_say_sent(struct monitor *m);

/* Sleep until the peer has sent all it will, or the run is aborted.  Returns 0,
 * or -ECANCELED. */
int monitor_wait_peer(struct monitor *m);

/* Take one asynchronous event of CONTEXT, if there is any; true when it is a
 * fatal one, said in ERR. */
bool monitor_take_event(struct ibv_context *context, struct error *err);

/* The loops are over: end the thread, unless it ended by itself. */
void monitor_stop(struct monitor *m);

#endif
