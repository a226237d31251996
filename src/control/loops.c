/* The loops of a control test's threads: churn, hold, and counting system
 * calls. */
#include "config.h"
#include "control/engine.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/numbers.h"
#include "base/time.h"
#include "base/xalloc.h"
#include "host/cpu_use.h"

/* A fraction of the window below 1/NEGLIGIBLE does not count. */
#define NEGLIGIBLE 1000
/* Objects to make room for at first, where no number is given. */
#define ROOM 4096

static const struct control_op *op_of(const struct control_worker *w)
{
	return w->engine->op;
}

static const struct parameters *params_of(const struct control_worker *w)
{
	return w->engine->shared->params;
}

static bool is_stopped(const struct control_worker *w)
{
	return atomic_load_explicit(&w->engine->stop, memory_order_relaxed);
}

static uint64_t now(const struct control_worker *w)
{
	return clock_ticks(w->engine->shared->clock);
}

/* Make room for ROOM objects in total, and touch it, so that the loop need not
 * wait for pages. */
static void grow(struct control_worker *w, uint64_t room)
{
	const size_t size = op_of(w)->object_size;
	const uint64_t more = room - w->room;

	w->held = xrealloc(w->held, room, sizeof(*w->held));
	w->objects = xrealloc(w->objects, room, size);
	memset(w->held + w->room, 0, more * sizeof(*w->held));
	memset(w->objects + w->room * size, 0, more * size);
	w->room = room;
}

/* A histogram whose pages are there, so that the loop need not wait for
 * them. */
static struct histogram *new_histogram(void)
{
	struct histogram *h = histogram_new();

	memset(h, 0, sizeof(*h));
	return h;
}

int control_prepare(struct control_worker *w)
{
	const struct control_op *op = op_of(w);
	const uint64_t wanted = params_of(w)->plan.iterations;

	if (params_of(w)->pattern == CONTROL_HOLD) {
		grow(w, wanted ? wanted : ROOM);
	} else {
		w->total = new_histogram();
		for (uint32_t i = 0; op->parts[i].name; i++)
			w->parts[i] = new_histogram();
	}
	return op->setup ? op->setup(&w->t) : 0;
}

int control_release(struct control_worker *w)
{
	if (op_of(w)->release)
		op_of(w)->release(&w->t);
	return 0;
}

void control_free_samples(struct control_worker *w)
{
	free(w->total);
	for (uint32_t i = 0; i < CONTROL_PARTS_MAX; i++)
		free(w->parts[i]);
	free(w->held);
	free(w->objects);
}

static void begin_operation(struct control_worker *w)
{
	memset(w->t.ticks, 0, sizeof(w->t.ticks));
	w->t.lap = w->attempt = now(w);
}

/* Make OBJECT.  EXISTING becomes how many there were before. */
static int make(struct control_worker *w, void *object, uint64_t *existing)
{
	_Atomic uint64_t *count = &w->engine->shared->existing;
	int ret;

	*existing = atomic_fetch_add_explicit(count, 1, memory_order_relaxed);
	begin_operation(w);
	ret = op_of(w)->make(&w->t, object);
	if (ret)
		atomic_fetch_sub_explicit(count, 1, memory_order_relaxed);
	return ret;
}

/* Undo OBJECT; its parts go on where those of make() ended. */
static int undo(struct control_worker *w, void *object, uint64_t *existing)
{
	_Atomic uint64_t *count = &w->engine->shared->existing;
	int ret = op_of(w)->undo ? op_of(w)->undo(&w->t, object) : 0;

	*existing = atomic_fetch_sub_explicit(count, 1, memory_order_relaxed) -
		    1;
	return ret;
}

/* Make an object and undo it. */
static int operate(struct control_worker *w)
{
	_Alignas(max_align_t) uint8_t object[CONTROL_OBJECT_MAX] = { 0 };
	uint64_t existing;

	return make(w, object, &existing) ?: undo(w, object, &existing);
}

static void record(struct control_worker *w)
{
	const struct control_op *op = op_of(w);
	uint64_t total = 0;

	for (uint32_t i = 0; op->parts[i].name; i++) {
		histogram_record(w->parts[i], w->t.ticks[i]);
		if (!op->parts[i].aside)
			total += w->t.ticks[i];
	}
	histogram_record(w->total, total);
}

static void add_done(struct control_worker *w)
{
	/* nobody else writes it */
	atomic_store_explicit(&w->done, w->done + 1, memory_order_relaxed);
}

int control_warm_up(struct control_worker *w)
{
	int ret = 0;

	while (params_of(w)->plan.warmup && !ret && !is_stopped(w))
		ret = operate(w);
	return ret;
}

static int churn(struct control_worker *w)
{
	const uint64_t wanted = params_of(w)->plan.iterations;
	int ret = 0;

	while (!is_stopped(w) && (!wanted || w->done < wanted)) {
		ret = operate(w);
		if (ret)
			break;
		record(w);
		add_done(w);
	}
	return ret;
}

/* No more objects can be made.  That is a result, unless there is none at all,
 * or the reason was no lack of something. */
static int reach_limit(struct control_worker *w, int ret)
{
	const struct control_shared *shared = w->engine->shared;

	if (!atomic_load(&shared->existing) || shared->lost || shared->broken)
		return ret;
	w->limited = true;
	return 0;
}

static int hold(struct control_worker *w)
{
	const uint64_t wanted = params_of(w)->plan.iterations;
	const uint64_t most = wanted ? wanted : CONTROL_HELD_MOST;
	const size_t size = op_of(w)->object_size;

	while (!is_stopped(w) && w->n < most) {
		struct control_held *held;
		int ret;

		if (w->n == w->room)
			grow(w, smaller(2 * w->room, most));
		held = &w->held[w->n];
		ret = make(w, w->objects + w->n * size, &held->existing);
		if (ret)
			return reach_limit(w, ret);
		memcpy(held->ticks, w->t.ticks, sizeof(held->ticks));
		w->n++;
		add_done(w);
	}
	return 0;
}

/* CPU time that this thread has used, in ns. */
static uint64_t cpu_time(void)
{
	struct timespec used = { 0 };

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
	return (uint64_t)used.tv_sec * SECOND + (uint64_t)used.tv_nsec;
}

/* The attempt that failed is no operation.  The CPU time it used is not known
 * apart. */
static void leave_out_attempt(struct control_worker *w)
{
	const uint64_t failed = w->ended - w->attempt;

	w->ended = w->attempt;
	w->cpu_known = failed <= (w->ended - w->began) / NEGLIGIBLE;
}

int control_measure(struct control_worker *w)
{
	struct cpu_use before = cpu_use_thread(), after;
	uint64_t cpu;
	int ret;

	w->began = w->attempt = now(w);
	cpu = cpu_time();
	ret = params_of(w)->pattern == CONTROL_HOLD ? hold(w) : churn(w);
	w->cpu_ns = cpu_time() - cpu;
	w->cpu_known = true;
	w->ended = now(w);
	if (ret || w->limited)
		leave_out_attempt(w);
	after = cpu_use_thread();
	w->use = cpu_use_between(&before, &after);
	return ret;
}

int control_undo_held(struct control_worker *w)
{
	const struct control_op *op = op_of(w);
	int first = 0;

	/* w->n stays: the samples are read later */
	for (uint64_t i = w->n; i-- > 0;) {
		struct control_held *held = &w->held[i];
		int ret;

		begin_operation(w);
		ret = undo(w, w->objects + i * op->object_size, &held->undone);
		first = first ? first : ret;
		for (uint32_t p = 0; op->parts[p].name && !ret; p++)
			if (op->parts[p].undoes)
				held->ticks[p] = w->t.ticks[p];
	}
	return first;
}
