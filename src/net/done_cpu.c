#include "config.h"
#include "net/done_cpu.h"

#include "base/units.h"
#include "base/xalloc.h"

/* No machine has more, so no process uses more at once. */
#define MACHINE_CPUS 65536

static void put_use(struct cursor *c, const struct cpu_use *use)
{
	wire_put(c, 8, use->user_ns);
	wire_put(c, 8, use->system_ns);
	wire_put(c, 8, use->voluntary);
	wire_put(c, 8, use->involuntary);
}

void done_put_cpu(struct cursor *c, const struct cpu_cost *cost)
{
	wire_put(c, 8, cost->ns);
	put_use(c, &cost->process);
	wire_put(c, 8, cost->host_busy_ns);
	wire_put(c, 8, cost->host_ns);
	wire_put(c, 8, cost->interrupts);
	wire_put(c, 4, cost->n_threads);
	for (uint32_t t = 0; t < cost->n_threads; t++) {
		wire_put(c, 4, cost->threads[t].cpu);
		put_use(c, &cost->threads[t].use);
	}
}

/* Read USE, and check that it is at most MOST of CPU time and SWITCHES. */
static int get_use(const struct frame *frame, struct cursor *c, uint64_t most,
		   uint64_t switches, struct cpu_use *use, struct error *err)
{
	const struct {
		const char *name;
		uint64_t *value;
		uint64_t most;
	} parts[] = {
		{ "user time", &use->user_ns, most },
		{ "system time", &use->system_ns, most },
		{ "voluntary switches", &use->voluntary, switches },
		{ "involuntary switches", &use->involuntary, switches },
	};
	int ret = 0;

	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts) && !ret; i++) {
		*parts[i].value = wire_get(c, 8);
		ret = wire_check(frame, parts[i].name, *parts[i].value, 0,
				 parts[i].most, err);
	}
	return ret;
}

static int get_process(const struct frame *frame, struct cursor *c,
		       struct cpu_cost *cost, struct error *err)
{
	uint64_t most = CPU_UNKNOWN - 1;
	int ret;

	cost->ns = wire_get(c, 8);
	ret = wire_check(frame, "time between readings", cost->ns, 1, most,
			 err);
	if (ret)
		return ret;
	if (cost->ns < most / MACHINE_CPUS)
		most = cost->ns * MACHINE_CPUS;
	return get_use(frame, c, most, CPU_UNKNOWN - 1, &cost->process, err);
}

static int get_machine(const struct frame *frame, struct cursor *c,
		       struct cpu_cost *cost, struct error *err)
{
	uint64_t least;
	int ret;

	cost->host_busy_ns = wire_get(c, 8);
	cost->host_ns = wire_get(c, 8);
	cost->interrupts = wire_get(c, 8);
	ret = wire_check(frame, "time of all CPUs", cost->host_ns, 0,
			 CPU_UNKNOWN, err);
	/* both are known, or neither */
	least = cost->host_ns == CPU_UNKNOWN ? CPU_UNKNOWN : 0;
	if (!ret)
		ret = wire_check(frame, "busy time of all CPUs",
				 cost->host_busy_ns, least, cost->host_ns, err);
	if (!ret)
		ret = wire_check(frame, "interrupts", cost->interrupts, 0,
				 CPU_UNKNOWN, err);
	return ret;
}

static int get_threads(const struct frame *frame, struct cursor *c,
		       struct cpu_cost *cost, struct error *err)
{
	uint64_t n = wire_get(c, 4);
	int ret = wire_check(frame, "number of loops", n, 0, CPUS_MAX, err);

	if (ret)
		return ret;
	cost->threads = xcalloc(n, sizeof(*cost->threads));
	for (; cost->n_threads < n && !ret; cost->n_threads++) {
		struct cpu_thread *thread = &cost->threads[cost->n_threads];

		thread->cpu = (uint32_t)wire_get(c, 4);
		ret = get_use(frame, c, CPU_UNKNOWN, CPU_UNKNOWN, &thread->use,
			      err);
	}
	return ret;
}

int done_get_cpu(const struct frame *frame, struct cursor *c,
		 struct cpu_cost *cost, struct error *err)
{
	int ret = get_process(frame, c, cost, err);

	if (!ret)
		ret = get_machine(frame, c, cost, err);
	return ret ? ret : get_threads(frame, c, cost, err);
}
