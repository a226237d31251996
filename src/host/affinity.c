/* Pins threads to CPUs (--cpus), and keeps threads and memory on the device's
 * NUMA node (--numa). */
#include "config.h"
#include "host/affinity.h"

#include <errno.h>
#include <linux/mempolicy.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/log.h"
#include "base/sysfs.h"
#include "base/units.h"

int affinity_check(const struct parameters *params, struct error *err)
{
	char allowed[128];
	cpu_set_t set;

	if (sched_getaffinity(0, sizeof(set), &set))
		return 0;
	for (uint32_t i = 0; i < params->cpus.n; i++) {
		uint32_t cpu = params->cpus.id[i];

		if (cpu < CPU_SETSIZE && CPU_ISSET(cpu, &set))
			continue;
		cpulist_format(&set, allowed, sizeof(allowed));
		return fail(err, -EINVAL, NULL,
			    "--cpus: CPU %u is not available to this process, "
			    "only %s", cpu, allowed);
	}
	return 0;
}

void affinity_pin(const struct cpus *cpus, uint32_t number)
{
	cpu_set_t set;

	if (!cpus->n)
		return;
	CPU_ZERO(&set);
	CPU_SET(cpus->id[number % cpus->n], &set);
	pthread_setaffinity_np(pthread_self(), sizeof(set), &set);
}

void affinity_choose(struct parameters *params)
{
	int cpu = sched_getcpu();

	if (!params->cpus.n && !params->cpus.automatic &&
	    params->plan.threads == 1 && cpu >= 0)
		params->cpus = (struct cpus){ 1, { (uint32_t)cpu }, false };
}

void affinity_keep_off(struct cpus *cpus)
{
	cpu_set_t allowed;

	if (sched_getaffinity(0, sizeof(allowed), &allowed))
		return;
	for (uint32_t i = 0; i < cpus->n; i++)
		if (cpus->id[i] < CPU_SETSIZE)
			CPU_CLR(cpus->id[i], &allowed);
	if (CPU_COUNT(&allowed))
		sched_setaffinity(0, sizeof(allowed), &allowed);
	cpus->n = 0;
}

/* Pages checked, spread over the memory, to see where it is. */
#define PAGES_CHECKED 64

/* The node of DEVICE; the kernel has -1 for a device near no node in
 * particular. */
static uint32_t device_node(const char *device)
{
	uint64_t node;

	return sysfs_count(&node, "/sys/class/infiniband/%s/device/numa_node",
			   device) && node < CPU_SETSIZE ?
		       (uint32_t)node : PORT_NO_NODE;
}

/* True when each CPU of A is in B. */
static bool is_within(const cpu_set_t *a, const cpu_set_t *b)
{
	cpu_set_t both;

	CPU_AND(&both, a, b);
	return CPU_EQUAL(&both, a);
}

void numa_read(const char *device, struct numa_host *host)
{
	int mode = MPOL_DEFAULT;
	cpu_set_t online;

	*host = (struct numa_host){
		.device_node = device_node(device),
	};
	sysfs_read(host->nodes, sizeof(host->nodes),
		   "/sys/devices/system/node/online");
	if (!sched_getaffinity(0, sizeof(host->allowed), &host->allowed))
		host->restricted =
			sysfs_cpus(&online, "/sys/devices/system/cpu/online") &&
			!is_within(&online, &host->allowed);
	if (!syscall(SYS_get_mempolicy, &mode, NULL, 0, NULL, 0))
		host->policy = mode != MPOL_DEFAULT;
}

int numa_choose(const struct numa_host *host, uint32_t asked, uint32_t *node,
		struct error *err)
{
	cpu_set_t nodes;

	*node = PORT_NO_NODE;
	if (asked == PARAM_NONE)
		return 0;
	if (asked == PLAN_AUTO) {
		if (!host->restricted && !host->policy)
			*node = host->device_node;
		return 0;
	}
	if (cpulist_parse(host->nodes, &nodes) || !CPU_ISSET(asked, &nodes))
		return fail(err, -EINVAL, "auto takes the node of the device, "
			    "none ignores nodes",
			    "--numa %u: no such node; expected %s",
			    asked, host->nodes[0] ? host->nodes : "none");
	*node = asked;
	return 0;
}

/* Put memory on NODE, which has the CPUs of SET.  Preferred, not bound: a full
 * node must not end the program. */
static int place_memory(uint32_t node, const cpu_set_t *set, struct error *err)
{
	cpu_set_t allowed;
	const size_t bits = 8 * sizeof(unsigned long);
	unsigned long mask[CPU_SETSIZE / (8 * sizeof(unsigned long))] = { 0 };
	int ret;

	mask[node / bits] = 1UL << node % bits;
	if (!syscall(SYS_set_mempolicy, MPOL_PREFERRED, mask,
		     (unsigned long)CPU_SETSIZE + 1))
		return 0;
	ret = -errno;
	/* without a policy, the CPU that first touches memory decides its
	 * node */
	if (!sched_getaffinity(0, sizeof(allowed), &allowed) &&
	    is_within(&allowed, set))
		return 0;
	return fail_errno(err, ret, "a container needs CAP_SYS_NICE for it; "
			  "--numa=none does without",
			  "--numa %u: cannot allocate memory on that node",
			  node);
}

static int place(const struct numa_host *host, uint32_t node, bool threads,
		 struct error *err)
{
	cpu_set_t set, both;

	sysfs_cpus(&set, "/sys/devices/system/node/node%u/cpulist", node);
	/* if none of the node's CPUs is allowed, threads stay where they are */
	CPU_AND(&both, &host->allowed, &set);
	if (threads && CPU_COUNT(&both))
		sched_setaffinity(0, sizeof(both), &both);
	return place_memory(node, &set, err);
}

int numa_place(struct parameters *params, struct device *device,
	       struct error *err)
{
	const bool automatic = params->numa == PLAN_AUTO;
	struct error ignored = { 0 };
	struct numa_host host;
	uint32_t node;
	int ret;

	numa_read(device->port.device, &host);
	ret = numa_choose(&host, params->numa, &node, err);
	if (!ret && node != PORT_NO_NODE)
		ret = place(&host, node, !params->cpus.n,
			    automatic ? &ignored : err);
	if (ret && automatic)
		node = PORT_NO_NODE;
	else if (ret)
		return ret;
	device->port.numa_node = node;
	params->numa = node == PORT_NO_NODE ? PARAM_NONE : node;
	return 0;
}

void numa_check(uint32_t node, uint8_t *buffer, uint64_t length)
{
	void *pages[PAGES_CHECKED];
	int nodes[PAGES_CHECKED];
	unsigned int elsewhere = 0;

	if (node == PORT_NO_NODE)
		return;
	for (uint32_t i = 0; i < PAGES_CHECKED; i++)
		pages[i] = buffer + length / PAGES_CHECKED * i;
	/* without new nodes it only reports where pages are; negative: no page
	 * there */
	if (syscall(SYS_move_pages, 0, (unsigned long)PAGES_CHECKED, pages,
		    NULL, nodes, 0))
		return;
	for (uint32_t i = 0; i < PAGES_CHECKED; i++)
		elsewhere += nodes[i] >= 0 && (uint32_t)nodes[i] != node;
	if (elsewhere)
		log_warning("NUMA node %u is full: about %u%% of the memory "
			    "for messages is on other nodes", node,
			    elsewhere * 100 / PAGES_CHECKED);
}

void numa_place_both(struct parameters *params)
{
	struct device device = { 0 };
	struct error ignored = { 0 };

	if (device_open(params, &device, &ignored))
		return;
	numa_place(params, &device, &ignored);
	device_close(&device);
}
