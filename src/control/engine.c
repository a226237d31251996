/* Runs one row of a control test in its threads, from set-up to release. */
#include "config.h"
#include "control/engine.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/sysfs.h"
#include "base/time.h"
#include "base/xalloc.h"
#include "host/affinity.h"
#include "net/wait.h"

/* How long to wait for an answer of the server after an interruption. */
#define GRACE SECOND
/* The fraction 1/MEMORY_LEFT of the host's memory is left to others. */
#define MEMORY_LEFT 8

/* In the order of time.  Each worker does each stage; one that failed does only
 * those that release. */
static const struct stage {
	int (*work)(struct control_worker *w);
	bool releases;
	bool measures;
} stages[] = {
	{ .work = control_prepare },
	{ .work = control_warm_up },
	{ .work = control_measure, .measures = true },
	{ .work = control_undo_held, .releases = true },
	{ .work = control_release, .releases = true },
};

#define STAGES (sizeof(stages) / sizeof(*stages))

/* End the stage; WHY, limit or err of E, becomes ERR unless it is set. */
static void stop(struct control_engine *e, struct error *why,
		 const struct error *err)
{
	pthread_mutex_lock(&e->lock);
	if (!error_is_set(why))
		*why = *err;
	pthread_mutex_unlock(&e->lock);
	atomic_store(&e->stop, true);
}

/* That there is no more room is a result of this end, and no failure. */
static void take_limit(struct control_worker *w)
{
	stop(w->engine, &w->engine->limit, &w->t.err);
	error_clear(&w->t.err);
	error_stage(&w->t.err, "run");
}

static void *work(void *argument)
{
	struct control_worker *w = argument;
	struct control_engine *e = w->engine;

	pthread_setname_np(pthread_self(), "worker");
	affinity_pin(&e->shared->params->cpus, w->t.number);
	for (size_t i = 0; i < STAGES; i++) {
		int ret = 0;

		while (sem_wait(&w->go))
			;
		if (!w->ret || stages[i].releases)
			ret = stages[i].work(w);
		if (stages[i].measures && w->limited)
			take_limit(w);
		if (ret && !w->ret) {
			w->ret = ret;
			stop(e, &e->err, &w->t.err);
		}
		atomic_fetch_add(&e->arrived, 1);
		eventfd_write(e->wake_fd, 1);
	}
	return NULL;
}

static int start(struct control_engine *e)
{
	for (; e->n_started < e->n_workers; e->n_started++) {
		struct control_worker *w = &e->workers[e->n_started];
		int ret = pthread_create(&w->thread, NULL, work, w);

		if (ret)
			return fail_errno(&e->err, ret, "use fewer --threads",
					  "cannot start thread %u",
					  e->n_started);
	}
	return 0;
}

static uint64_t count_done(const struct control_engine *e)
{
	uint64_t done = 0;

	for (uint32_t i = 0; i < e->n_workers; i++)
		done += atomic_load_explicit(&e->workers[i].done,
					     memory_order_relaxed);
	return done;
}

/* How long a stage may go on; UINT64_MAX: until it ends by itself. */
static uint64_t limit_of(const struct control_engine *e, uint32_t stage)
{
	const struct plan *plan = &e->shared->params->plan;

	if (stages[stage].work == control_warm_up)
		return plan->warmup;
	if (stages[stage].measures && plan->duration)
		return plan->duration;
	return UINT64_MAX;
}

/* Report the interval since LAST, in a window that opened at OPENED. */
static void report_interval(struct control_engine *e, uint64_t opened,
			    struct mark *last)
{
	const struct mark now = { time_now(), count_done(e) };
	struct observer *observer = e->result->observer;
	const struct observed part = {
		.size = e->shared->size,
		.interval.start_ns = last->time - opened,
		.interval.length_ns = now.time - last->time,
		.interval.messages = now.messages - last->messages,
		.from_client = true,
	};

	intervals_mark(&e->log, now);
	clock_watch_update(e->watch, e->shared->clock);
	if (observer)
		observer->interval(observer, e->result, &part);
	*last = now;
}

/* Milliseconds to sleep until the earlier of two points in time. */
static int sleep_ms(uint64_t deadline, uint64_t next)
{
	uint64_t ns = time_until(deadline < next ? deadline : next);

	return ns >= SECOND / 10 ? 100 : (int)(ns / 1000000) + (ns > 0);
}

static void take_signal(struct control_engine *e)
{
	struct error err = { .stage = "run" };

	signals_take(&e->cancel_fd, NULL, &err);
	e->interrupted = true;
	stop(e, &e->err, &err);
}

/* Sleep until a worker has finished the stage, the user interrupts, or
 * TIMEOUT_MS is over. */
static void engine_sleep(struct control_engine *e, int timeout_ms)
{
	struct pollfd fds[] = {
		{ .fd = e->wake_fd, .events = POLLIN },
		{ .fd = e->cancel_fd, .events = POLLIN },
	};
	eventfd_t n;

	if (poll(fds, 2, timeout_ms) <= 0)
		return;
	if (fds[0].revents)
		eventfd_read(e->wake_fd, &n);
	if (fds[1].revents)
		take_signal(e);
}

/* True when no more objects should be made: they take memory of the kernel,
 * which kills processes rather than refusing itself memory. */
static bool is_enough(struct error *err)
{
	uint64_t all = 0, left = 0;

	sysfs_meminfo(&all, "MemTotal:");
	sysfs_meminfo(&left, "MemAvailable:");
	if (left >= all / MEMORY_LEFT)
		return false;
	fail(err, -ENOMEM, NULL,
	     "the host has only %llu of %llu KiB of memory available, which "
	     "are left to others", (unsigned long long)left,
	     (unsigned long long)all);
	return true;
}

/* Hold no more objects if that would harm the host. */
static void check_limit(struct control_engine *e)
{
	struct error err = { .stage = "run" };

	if (e->shared->params->pattern == CONTROL_HOLD &&
	    !atomic_load(&e->stop) && is_enough(&err))
		stop(e, &e->limit, &err);
}

/* After an interruption, wake a worker that waits for a server that does not
 * answer: PROGRESS has stood still. */
static void give_up_server(const struct control_engine *e,
			   struct mark *progress)
{
	const struct connection *conn = e->shared->conn;
	/* undoing what was held is progress, too */
	const uint64_t n = count_done(e) + atomic_load(&e->shared->existing);

	if (!e->interrupted || !conn)
		return;
	if (!progress->time || n != progress->messages)
		*progress = (struct mark){ time_now(), n };
	else if (time_since(progress->time) > GRACE)
		shutdown(conn->fd, SHUT_RD);
}

/* Let the workers do a stage. */
static void run_stage(struct control_engine *e, uint32_t stage)
{
	const uint32_t n = e->n_started;
	const bool measures = stages[stage].measures;
	uint64_t deadline, opened, next = UINT64_MAX;
	struct mark last = { 0 }, progress = { 0 };

	atomic_store(&e->arrived, 0);
	atomic_store(&e->stop, error_is_set(&e->err));
	if (measures) {
		e->before = firmware_read(e->shared->device->port.device);
		clock_gettime(CLOCK_REALTIME, &e->row->opened);
	}
	deadline = time_after(limit_of(e, stage));
	opened = last.time = time_now();
	if (measures) {
		intervals_open(&e->log, last);
		next = time_after(e->interval);
	}
	for (uint32_t i = 0; i < n; i++)
		sem_post(&e->workers[i].go);
	while (atomic_load(&e->arrived) < n) {
		engine_sleep(e, sleep_ms(deadline, next));
		if (measures)
			check_limit(e);
		if (!time_until(deadline)) {
			atomic_store(&e->stop, true);
			/* sleep while the last object takes long */
			deadline = UINT64_MAX;
		}
		give_up_server(e, &progress);
		if (time_until(next))
			continue;
		report_interval(e, opened, &last);
		next = time_after(e->interval);
	}
	if (!measures)
		return;
	intervals_close(&e->log, (struct mark){ time_now(), count_done(e) });
	e->after = firmware_read(e->shared->device->port.device);
}

static void make_workers(struct control_engine *e)
{
	e->n_workers = e->shared->params->plan.threads;
	e->workers = xcalloc_lines(e->n_workers, sizeof(*e->workers));
	for (uint32_t i = 0; i < e->n_workers; i++) {
		struct control_worker *w = &e->workers[i];

		w->engine = e;
		w->t.shared = e->shared;
		w->t.number = i;
		w->t.own = xcalloc_lines(1, e->op->own_size ?: 1);
		error_stage(&w->t.err, "run");
		sem_init(&w->go, 0, 0);
	}
}

/* Memory must not be taken from a machine that has none left: the kernel would
 * end some process instead of refusing it. */
static int check_memory(struct control_engine *e)
{
	const struct parameters *params = e->shared->params;
	const uint64_t size = e->shared->size;
	uint64_t kib = 0;

	sysfs_meminfo(&kib, "MemAvailable:");
	if (!e->op->pinning || !kib ||
	    params->memory.kind != MEMORY_ANONYMOUS ||
	    size * params->plan.threads / 1024 < kib - kib / MEMORY_LEFT)
		return 0;
	return fail(&e->err, -ENOMEM, NULL,
		    "%llu bytes of memory in %u thread%s: the host has only "
		    "%llu KiB available", (unsigned long long)size,
		    params->plan.threads, params->plan.threads == 1 ? "" : "s",
		    (unsigned long long)kib);
}

int control_engine_run(struct control_engine *e)
{
	int ret;

	error_stage(&e->err, "run");
	ret = check_memory(e);
	if (ret)
		return ret;
	pthread_mutex_init(&e->lock, NULL);
	intervals_init(&e->log, 400);
	make_workers(e);
	e->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (e->wake_fd < 0)
		return fail_errno(&e->err, errno, NULL,
				  "cannot make an eventfd");
	ret = start(e);
	for (uint32_t i = 0; i < STAGES; i++)
		run_stage(e, i);
	for (uint32_t i = 0; i < e->n_started; i++) {
		pthread_join(e->workers[i].thread, NULL);
		ret = ret ? ret : e->workers[i].ret;
	}
	return e->interrupted && !ret ? -ECANCELED : ret;
}

void control_engine_free(struct control_engine *e)
{
	for (uint32_t i = 0; i < e->n_workers; i++) {
		struct control_worker *w = &e->workers[i];

		control_free_samples(w);
		sem_destroy(&w->go);
		free(w->t.own);
	}
	free(e->workers);
	free(e->before);
	free(e->after);
	intervals_free(&e->log);
	pthread_mutex_destroy(&e->lock);
	if (e->wake_fd > 0)
		close(e->wake_fd);
}
