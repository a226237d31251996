/* The state of the engine and of its threads, the workers. */
#ifndef CONTROL_WORKER_H
#define CONTROL_WORKER_H

#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "control/op.h"
#include "host/call_counter.h"
#include "model/cpu_cost.h"
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
	bool started;
	sem_t go;		/* the next stage begins */
	int ret;		/* of the stage that failed; else 0 */
	_Atomic uint64_t done;	/* operations in the window */
	uint64_t began, ended;	/* ticks: its window */
	uint64_t attempt;	/* ticks when its latest operation began */
	uint64_t cpu_ns;	/* in its window; exact if cpu_known */
	bool cpu_known;
	bool limited;		/* its latest operation found no room */
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
	struct call_counter *counter;	/* NULL: do not count */
	int cancel_fd;		/* readable: the user interrupts */
	uint64_t interval;	/* ns, between two looks at how many
				 * operations there were */
	void (*on_interval)(void *argument, const struct interval *one);
	void (*on_window)(void *argument, bool opens);
	/* objects are held: true, with why in ERR, if no more may be */
	bool (*is_enough)(void *argument, struct error *err);
	void *argument;
	/* results */
	uint32_t n_workers;
	struct control_worker *workers;
	struct interval_log log;	/* in ns of CLOCK_MONOTONIC */
	struct control_calls calls;
	struct error limit;	/* why no more objects could be held */
	struct error err;
	/* private */
	_Atomic bool stop;	/* the time of the stage is over */
	_Atomic uint32_t arrived;	/* workers that are through with it */
	uint32_t stage;
	int wake_fd;
	pthread_mutex_t lock;	/* of limit and err */
	bool interrupted;
};

#endif
