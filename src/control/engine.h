/*
 * Runs an operation of the control path over and over, in one thread or in
 * several at once, and records what each part took.  The stages of a row are:
 * set-up, warm-up, measurement, undoing what was held, release.  Its threads
 * are the workers.
 */
#pragma once

#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "control/op.h"
#include "host/firmware.h"
#include "model/cpu_cost.h"
#include "model/result.h"
#include "stats/histogram.h"
#include "stats/intervals.h"

/* An object that is held, and what its operation took. */
struct control_held {
	uint64_t existing;	/* objects when it was made */
	uint64_t undone;	/* and when it was undone */
	uint64_t ticks[CONTROL_PARTS_MAX];
};

struct control_engine;

struct control_worker {
	struct control_thread t;
	struct control_engine *engine;
	pthread_t thread;
	sem_t go;		/* the next stage begins */
	int ret;		/* of the stage that failed; else 0 */
	_Atomic uint64_t done;	/* operations in the window */
	uint64_t began, ended;	/* ticks: its window */
	uint64_t attempt;	/* ticks when its latest operation began */
	uint64_t cpu_ns;	/* in its window; exact if cpu_known */
	bool cpu_known;
	bool limited;		/* its latest operation failed for lack of
				 * room, with the thread's error */
	struct cpu_use use;	/* likewise; by ticks of the kernel */
	/* of churn, in ticks; NULL: the part is none */
	struct histogram *total;
	struct histogram *parts[CONTROL_PARTS_MAX];
	/* of hold: n objects, with what each took */
	uint64_t n, room;
	struct control_held *held;
	uint8_t *objects;
};

struct control_engine {
	/* set by the caller */
	const struct control_op *op;
	struct control_shared *shared;
	int cancel_fd;		/* readable: the user interrupts */
	uint64_t interval;	/* ns, the length of an interval */
	struct clock_watch *watch;
	struct result *result;	/* its observer hears each interval */
	struct result_row *row;	/* that it fills */
	/* results */
	uint32_t n_workers;
	struct control_worker *workers;
	struct interval_log log;	/* in ns of CLOCK_MONOTONIC */
	struct firmware_counts *before, *after;	/* of the window */
	struct error limit;	/* why no more objects could be held */
	struct error err;
	/* private */
	uint32_t n_started;	/* workers that have a thread */
	_Atomic bool stop;	/* the time of the stage is over */
	_Atomic uint32_t arrived;	/* workers that have finished it */
	int wake_fd;
	pthread_mutex_t lock;	/* of limit and err */
	bool interrupted;
};

/*
 * Run all stages.  Returns 0, or a negative errno set in ENGINE's err; what
 * was measured until then is there.  Call control_engine_free() in either case.
 */
int control_engine_run(struct control_engine *engine);

void control_engine_free(struct control_engine *engine);

/* loops.c: what a worker does in each stage; each returns 0 or a negative
 * errno, set in the thread's error. */

/* Set the operation up, and allocate what the samples go to. */
int control_prepare(struct control_worker *w);

/* Make and undo objects until the stage is over. */
int control_warm_up(struct control_worker *w);

/* The measurement, by the pattern that the user chose. */
int control_measure(struct control_worker *w);

/* Undo the objects that are held, the last one first. */
int control_undo_held(struct control_worker *w);

/* Undo what control_prepare() set up. */
int control_release(struct control_worker *w);

/* Free what the samples are in; harmless before control_prepare(). */
void control_free_samples(struct control_worker *w);

/* summary.c: fill the row of E and its control, which exists, from what E
 * measured, also if it failed.  NS_PER_TICK is the length of a tick of the
 * clock. */
void control_summarise(const struct control_engine *e, double ns_per_tick);
