#include "config.h"
#include "run/meter.h"

#include "base/time.h"
#include "base/xalloc.h"

void meter_thread_begins(struct meter *meter, uint32_t number)
{
	struct meter_thread *thread = &meter->threads[number];

	/* the first is known since meter_begin() */
	if (number)
		thread->task = cpu_task_self();
	atomic_store_explicit(&thread->began, true, memory_order_release);
}

void meter_thread_ends(struct meter *meter, uint32_t number)
{
	struct meter_thread *thread = &meter->threads[number];

	thread->last = cpu_use_thread();
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
	meter->threads[0].opened = cpu_use_task(&meter->threads[0].task);
	for (uint32_t t = 1; t < CPUS_MAX; t++)
		if (has_begun(&meter->threads[t]))
			meter->threads[t].opened =
				cpu_use_task(&meter->threads[t].task);
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
			thread->closed = cpu_use_task(&thread->task);
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
	cpu_use_machine(&r->host_busy_ns, &r->host_ns);
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
	cpu_use_machine(&r->host_busy_ns, &r->host_ns);
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

	cost->host_ns = between(a->host_ns, b->host_ns);
	cost->host_busy_ns = between(a->host_busy_ns, b->host_busy_ns);
	/* the kernel's idle time may go backwards */
	if (cost->host_ns == CPU_UNKNOWN ||
	    cost->host_busy_ns > cost->host_ns)
		cost->host_ns = cost->host_busy_ns = CPU_UNKNOWN;
	cost->interrupts = between(a->interrupts, b->interrupts);
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
		cost->threads[t] = (struct cpu_thread){
			.cpu = cpus->n ? cpus->id[t % cpus->n] : PLAN_AUTO,
			.use = use_of_thread(&meter->threads[t]),
		};
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

	now.process_ns = process.user_ns + process.system_ns;
	cpu_use_machine(&now.host_busy_ns, &now.host_ns);
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
