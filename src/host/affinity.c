#include "config.h"
#include "host/affinity.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>

#include "base/cpulist.h"

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

	if (!params->cpus.n && params->plan.threads == 1 && cpu >= 0)
		params->cpus = (struct cpus){ 1, { (uint32_t)cpu } };
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
