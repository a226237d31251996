/* Chooses the CPUs of --cpus auto: on the device's node, away from interrupts
 * and from other processes of this test. */
#include "config.h"
#include "host/cores.h"

#include "base/sysfs.h"
#include "host/topology.h"

/* CPUs in the order in which they are taken. */
struct order {
	uint32_t n;
	uint32_t id[CPU_SETSIZE];
};

/* A sysfs_visitor: add the CPUs that interrupt NUMBER goes to. */
static void add_interrupt(const char *number, void *into)
{
	cpu_set_t *set = into, more;

	sysfs_cpus(&more, "/proc/irq/%s/effective_affinity_list", number);
	CPU_OR(set, set, &more);
}

/* Add CPU and the others of its core to SET. */
static void add_core(cpu_set_t *set, uint32_t cpu)
{
	cpu_set_t more;

	sysfs_cpus(&more, "/sys/devices/system/cpu/cpu%u/topology/"
		   "thread_siblings_list", cpu);
	CPU_OR(set, set, &more);
}

/* True when CPU is the first of its core, or for a server the last: both ends
 * on one host get two CPUs even of one core. */
static bool is_chosen(uint32_t cpu, const cpu_set_t *allowed, bool client)
{
	cpu_set_t core;

	CPU_ZERO(&core);
	add_core(&core, cpu);
	for (uint32_t other = 0; other < CPU_SETSIZE; other++)
		if ((client ? other < cpu : other > cpu) &&
		    CPU_ISSET(other, &core) && CPU_ISSET(other, allowed))
			return false;
	return true;
}

/* Put one CPU of each core before all others.  The NIC with this RANK begins
 * with its share, and a server counts from the other end. */
static void make_order(const cpu_set_t *allowed, const char *device,
		       bool client, struct order *order)
{
	uint32_t rank, nics;

	topology_share(device, &rank, &nics);
	order->n = 0;
	for (int chosen = 1; chosen >= 0; chosen--) {
		struct order some = { 0 };

		for (uint32_t cpu = 0; cpu < CPU_SETSIZE; cpu++)
			if (CPU_ISSET(cpu, allowed) &&
			    is_chosen(cpu, allowed, client) == chosen)
				some.id[some.n++] = cpu;
		for (uint32_t i = 0; i < some.n; i++) {
			const uint32_t at = (rank * some.n / nics + i) % some.n;

			order->id[order->n++] =
				some.id[client ? at : some.n - 1 - at];
		}
	}
}

/* Take CPUs of ORDER, up to N in all, but none that is in AVOID or in TAKEN,
 * which also gets the other CPUs of their cores. */
static void take(const struct order *order, const cpu_set_t *avoid,
		 cpu_set_t *taken, uint32_t n, struct cpus *cpus)
{
	for (uint32_t i = 0; i < order->n && cpus->n < n; i++) {
		const uint32_t cpu = order->id[i];

		if (CPU_ISSET(cpu, avoid) || CPU_ISSET(cpu, taken))
			continue;
		cpus->id[cpus->n++] = cpu;
		CPU_SET(cpu, taken);
		add_core(taken, cpu);
	}
}

void cores_pick(const cpu_set_t *allowed, const char *device, bool client,
		uint32_t n, struct cpus *cpus)
{
	cpu_set_t interrupted, taken, none;
	struct order order;

	*cpus = (struct cpus){ .n = 0 };
	make_order(allowed, device, client, &order);
	CPU_ZERO(&interrupted);
	CPU_ZERO(&taken);
	CPU_ZERO(&none);
	sysfs_list(add_interrupt, &interrupted,
		   "/sys/class/infiniband/%s/device/msi_irqs", device);
	take(&order, &interrupted, &taken, n, cpus);
	take(&order, &none, &taken, n, cpus);
	/* only cores that are taken are left: one CPU more of each, and so
	 * on */
	for (uint32_t before = 0; before < cpus->n && cpus->n < n;) {
		before = cpus->n;
		CPU_ZERO(&taken);
		for (uint32_t i = 0; i < cpus->n; i++)
			CPU_SET(cpus->id[i], &taken);
		take(&order, &none, &taken, n, cpus);
	}
}

void cores_choose(struct parameters *params, const char *device, bool client)
{
	cpu_set_t allowed;

	if (!params->cpus.automatic || params->parallel > 1 ||
	    sched_getaffinity(0, sizeof(allowed), &allowed))
		return;
	cores_pick(&allowed, device, client, params->plan.threads,
		   &params->cpus);
}
