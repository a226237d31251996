/* Figures from the CPU time that one end used. */
#include "config.h"
#include "model/cpu_cost.h"

#include <math.h>
#include <stdlib.h>

/* The ratio of CPU time to messages takes each by its own time: the readings
 * and the window do not begin and end at the same instant. */
struct cpu_figures cpu_cost_figures(const struct cpu_cost *cost, double rate,
				    uint64_t size)
{
	struct cpu_figures f = { NAN, NAN, NAN, NAN, NAN, NAN, NAN };
	const double ns = (double)cost->ns;
	const struct cpu_use *process = &cost->process;
	double used = (double)(process->user_ns + process->system_ns);

	if (!cost->ns)
		return f;
	f.seconds = ns / 1e9;
	f.percent = 100 * used / ns;
	f.user_percent = 100 * (double)process->user_ns / ns;
	if (cost->host_ns != CPU_UNKNOWN && cost->host_ns)
		f.host_percent = 100 * (double)cost->host_busy_ns /
				 (double)cost->host_ns;
	if (isfinite(f.host_percent) && cost->stolen_ns != CPU_UNKNOWN)
		f.stolen_percent = 100 * (double)cost->stolen_ns /
				   (double)cost->host_ns;
	if (rate > 0)
		f.ns_per_message = used / f.seconds / rate;
	if (size)
		f.ns_per_gb = f.ns_per_message * 1e9 / (double)size;
	return f;
}

double cpu_thread_percent(const struct cpu_thread *thread)
{
	return thread->loop_ns ? 100 * (double)thread->on_cpu_ns /
				 (double)thread->loop_ns : NAN;
}

void cpu_cost_free(struct cpu_cost *cost)
{
	free(cost->threads);
	*cost = (struct cpu_cost){ 0 };
}
