/* Runs a loop in a thread for each flow. */
#include "config.h"
#include "run/run.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

#include "base/xalloc.h"
#include "host/affinity.h"

struct worker {
	struct run *run;
	struct flow *flow;
	threads_loop loop;
	const struct cpus *cpus;
	uint32_t number;
	bool started;
	pthread_t thread;
	int ret;
};

static void *work(void *argument)
{
	struct worker *w = argument;

	/* the first is the main thread, whose name is the program's */
	if (w->number)
		pthread_setname_np(pthread_self(), "worker");
	affinity_pin(w->cpus, w->number);
	meter_thread_begins(&w->run->meter, w->number);
	w->ret = w->loop(w->run, w->flow);
	meter_thread_ends(&w->run->meter, w->number);
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
	return fail_errno(err, ret, "use fewer --threads",
			  "cannot start thread %u", w->number);
}

/* Run the loop in this thread, and restore its affinity afterwards. */
static void work_here(struct worker *w)
{
	cpu_set_t before;
	int ret = sched_getaffinity(0, sizeof(before), &before);

	work(w);
	if (!ret)
		sched_setaffinity(0, sizeof(before), &before);
}

int threads_run(struct run *run, threads_loop loop)
{
	struct worker *workers = xcalloc(run->n_flows, sizeof(*workers));
	int ret = 0;

	for (uint32_t t = 0; t < run->n_flows; t++)
		workers[t] = (struct worker){
			.run = run,
			.flow = &run->flows[t],
			.loop = loop,
			.cpus = &run->result->params.cpus,
			.number = t,
		};
	for (uint32_t t = 1; t < run->n_flows && !ret; t++)
		ret = start(&workers[t], &run->result->error);
	work_here(&workers[0]);
	for (uint32_t t = 0; t < run->n_flows; t++) {
		if (workers[t].started)
			pthread_join(workers[t].thread, NULL);
		if (!ret || (ret == -ECANCELED && workers[t].ret))
			ret = workers[t].ret;
	}
	free(workers);
	return ret;
}
