/* Readings at both edges of the measurement window. */
#include "config.h"
#include "run/meter.h"

#include "base/numbers.h"
#include "base/time.h"
#include "base/xalloc.h"

static struct meter_moment moment(uint64_t at, const struct cpu_use *use)
{
	if (use->user_ns == CPU_UNKNOWN)
		return (struct meter_moment){ 0 };
	return (struct meter_moment){ at, use->user_ns + use->system_ns };
}

/* Read what the calling thread has used into USE; returns when. */
static struct meter_moment read_own(struct cpu_use *use)
{
	*use = cpu_use_thread();
	return moment(time_now(), use);
}

/* The same of another thread. */
static struct meter_moment read_task(const struct cpu_task *task,
				     struct cpu_use *use)
{
	const uint64_t at = time_now();

	*use = cpu_use_task(task);
	return moment(at, use);
}

void meter_thread_begins(struct meter *meter, uint32_t number)
{
	struct meter_thread *thread = &meter->threads[number];
	struct cpu_use use;

	/* the first is known since meter_begin() */
	if (number)
		thread->task = cpu_task_self();
	thread->begins = read_own(&use);
	atomic_store_explicit(&thread->began, true, memory_order_release);
}

void meter_thread_ends(struct meter *meter, uint32_t number)
{
	struct meter_thread *thread = &meter->threads[number];

	thread->ends = read_own(&thread->last);
	atomic_store_explicit(&thread->over, true, memory_order_release);
}

static bool has_begun(const struct meter_thread *thread)
{
	return atomic_load_explicit(&thread->began, memory_order_acquire);
}

/* The first loop's thread has used CPU time before; a thread that has not begun
 * yet has used none. */
static void open_threads(struct meter *meter)
{
	for (uint32_t t = 0; t < CPUS_MAX; t++) {
		struct meter_thread *thread = &meter->threads[t];

		if (!t || has_begun(thread))
			thread->opens = read_task(&thread->task,
						  &thread->opened);
	}
}

static void close_threads(struct meter *meter)
{
	for (uint32_t t = 0; t < CPUS_MAX; t++) {
		struct meter_thread *thread = &meter->threads[t];

		if (!has_begun(thread))
			continue;
		if (atomic_load_explicit(&thread->over, memory_order_acquire))
			thread->closed = thread->last;
		else
			thread->closes = read_task(&thread->task,
						   &thread->closed);
	}
}

/* Reading the CPU clock of a running thread makes the kernel count its time up
 * to now, which it otherwise does at its next tick.  So the threads are read
 * right before the process, and slower readings are outside.  The window's
 * times lie inside the two readings. */
void meter_open(struct meter *meter)
{
	struct meter_reading *r = &meter->first;

	r->interrupts = interrupts_of(meter->device);
	r->host = cpu_use_machine();
	open_threads(meter);
	r->process = cpu_use_process();
	r->at = time_now();
	meter->opened = time_now();
}

void meter_close(struct meter *meter)
{
	struct meter_reading *r = &meter->second;

	if (!meter_is_open(meter))
		return;
	meter->closed = time_now();
	close_threads(meter);
	r->process = cpu_use_process();
	r->at = time_now();
	r->host = cpu_use_machine();
	r->interrupts = interrupts_of(meter->device);
}

/* The number of threads that ran a loop; loops are numbered from 0. */
static uint32_t count_threads(const struct meter *meter)
{
	uint32_t n = 0;

	while (n < CPUS_MAX && has_begun(&meter->threads[n]))
		n++;
	return n;
}

/* A thread that ended just before it was read has set its last reading
 * since. */
static struct cpu_use use_of_thread(const struct meter_thread *thread)
{
	if (thread->closed.user_ns == CPU_UNKNOWN)
		return cpu_use_between(&thread->opened, &thread->last);
	return cpu_use_between(&thread->opened, &thread->closed);
}

static uint64_t between(uint64_t before, uint64_t after)
{
	if (before == CPU_UNKNOWN || after == CPU_UNKNOWN || before > after)
		return CPU_UNKNOWN;
	return after - before;
}

static void describe_machine(const struct meter *meter,
			     struct cpu_cost *cost)
{
	const struct meter_reading *a = &meter->first;
	const struct meter_reading *b = &meter->second;

	cost->host_ns = between(a->host.all_ns, b->host.all_ns);
	cost->host_busy_ns = between(a->host.busy_ns, b->host.busy_ns);
	cost->stolen_ns = between(a->host.stolen_ns, b->host.stolen_ns);
	/* the kernel's idle time may go backwards */
	if (cost->host_ns == CPU_UNKNOWN ||
	    cost->host_busy_ns > cost->host_ns)
		cost->host_ns = cost->host_busy_ns = CPU_UNKNOWN;
	if (cost->host_ns == CPU_UNKNOWN || cost->stolen_ns > cost->host_ns)
		cost->stolen_ns = CPU_UNKNOWN;
	cost->interrupts = between(a->interrupts, b->interrupts);
}

/* How long the loop of THREAD ran inside the window, and had a CPU; its thread
 * may sleep before it and after it. */
static void describe_loop(const struct meter_thread *thread,
			  struct cpu_thread *row)
{
	const struct meter_moment *from = &thread->opens, *to = &thread->closes;

	if (thread->begins.at > from->at)
		from = &thread->begins;
	if (!to->at || (thread->ends.at && thread->ends.at < to->at))
		to = &thread->ends;
	if (!from->at || to->at <= from->at || to->used < from->used)
		return;
	row->loop_ns = to->at - from->at;
	row->on_cpu_ns = smaller(to->used - from->used, row->loop_ns);
}

static struct cpu_thread describe_thread(const struct meter_thread *thread,
					 uint32_t cpu)
{
	struct cpu_thread row = { .cpu = cpu, .use = use_of_thread(thread) };

	describe_loop(thread, &row);
	return row;
}

void meter_describe(const struct meter *meter, const struct cpus *cpus,
		    struct cpu_cost *cost)
{
	*cost = (struct cpu_cost){ 0 };
	if (!meter->first.at || meter->second.at <= meter->first.at)
		return;
	cost->ns = meter->second.at - meter->first.at;
	cost->process = cpu_use_between(&meter->first.process,
					&meter->second.process);
	describe_machine(meter, cost);
	cost->n_threads = count_threads(meter);
	cost->threads = xcalloc(cost->n_threads, sizeof(*cost->threads));
	for (uint32_t t = 0; t < cost->n_threads; t++)
		cost->threads[t] = describe_thread(
			&meter->threads[t],
			cpus->n ? cpus->id[t % cpus->n] : PLAN_AUTO);
}

void meter_begin(struct meter *meter, const char *device)
{
	*meter = (struct meter){ .device = device };
	meter->threads[0].task = cpu_task_self();
}

void meter_glance(struct meter *meter, const struct counter_reader *counters)
{
	struct moment now = { .ns = time_since(meter->opened) };
	const struct cpu_use process = cpu_use_process();
	const struct machine_use host = cpu_use_machine();

	now.process_ns = process.user_ns + process.system_ns;
	now.host_busy_ns = host.busy_ns;
	now.host_ns = host.all_ns;
	now.throttled = cpu_throttles();
	now.counters = counter_reader_glance(counters);
	timeline_add(&meter->timeline, &now);
}

bool meter_is_open(const struct meter *meter)
{
	return meter->opened && !meter->closed;
}

void meter_real_time(const struct meter *meter, struct timespec *when)
{
	uint64_t ago;

	*when = (struct timespec){ 0 };
	if (!meter->opened)
		return;
	clock_gettime(CLOCK_REALTIME, when);
	ago = time_since(meter->opened);
	when->tv_sec -= (time_t)(ago / SECOND);
	when->tv_nsec -= (long)(ago % SECOND);
	if (when->tv_nsec < 0) {
		when->tv_nsec += (long)SECOND;
		when->tv_sec--;
	}
}
