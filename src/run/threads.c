#include "config.h"
#include "run/threads.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "base/cpulist.h"
#include "base/xalloc.h"

struct worker {
	struct session *session;
	struct flow *flow;
	threads_loop loop;
	const struct cpus *cpus;
	uint32_t number;
	bool started;
	pthread_t thread;
	int ret;
};

int threads_check_cpus(const struct parameters *params, struct error *err)
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
			    "--cpus: CPU %u is not one that may be used here: "
			    "%s", cpu, allowed);
	}
	return 0;
}

void threads_pin(const struct cpus *cpus, uint32_t number)
{
	cpu_set_t set;

	if (!cpus->n)
		return;
	CPU_ZERO(&set);
	CPU_SET(cpus->id[number % cpus->n], &set);
	pthread_setaffinity_np(pthread_self(), sizeof(set), &set);
}

void threads_choose_cpu(struct parameters *params)
{
	int cpu = sched_getcpu();

	if (!params->cpus.n && params->plan.threads == 1 && cpu >= 0)
		params->cpus = (struct cpus){ 1, { (uint32_t)cpu } };
}

void threads_keep_off(struct cpus *cpus)
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

static void *work(void *argument)
{
	struct worker *w = argument;

	pthread_setname_np(pthread_self(), "worker");
	threads_pin(w->cpus, w->number);
	w->ret = w->loop(w->session, w->flow);
	if (w->ret)
		flow_set_phase(w->flow->control, PHASE_ABORT);
	atomic_store_explicit(&w->flow->progress->over, true,
			      memory_order_release);
	return NULL;
}

static int start(struct worker *w, struct error *err)
{
	int ret = pthread_create(&w->thread, NULL, work, w);

	w->started = ret == 0;
	if (!ret)
		return 0;
	flow_set_phase(w->flow->control, PHASE_ABORT);
	return fail(err, -ret, "use fewer --threads",
		    "cannot start thread %u: %s", w->number, strerror(ret));
}

/* In this thread, whose affinity is put back after. */
static void work_here(struct worker *w)
{
	cpu_set_t before;
	int ret = sched_getaffinity(0, sizeof(before), &before);

	work(w);
	if (!ret)
		sched_setaffinity(0, sizeof(before), &before);
}

int threads_run(struct session *s, threads_loop loop)
{
	struct worker *workers = xcalloc(s->n_flows, sizeof(*workers));
	int ret = 0;

	for (uint32_t t = 0; t < s->n_flows; t++)
		workers[t] = (struct worker){
			.session = s,
			.flow = &s->flows[t],
			.loop = loop,
			.cpus = &s->result->params.cpus,
			.number = t,
		};
	for (uint32_t t = 1; t < s->n_flows && !ret; t++)
		ret = start(&workers[t], &s->result->error);
	work_here(&workers[0]);
	for (uint32_t t = 0; t < s->n_flows; t++) {
		if (workers[t].started)
			pthread_join(workers[t].thread, NULL);
		if (!ret || (ret == -ECANCELED && workers[t].ret))
			ret = workers[t].ret;
	}
	free(workers);
	return ret;
}
