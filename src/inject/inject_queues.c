/* The queues of receives: what is in them, too small ones, and ones that change
 * their size; and how the files here say that a verb refused. */
#include "config.h"
#include "inject/faults.h"

#include <stdlib.h>

#include "model/inject.h"

/* Far fewer than the receives of a test; devices round it up. */
#define FEW_COMPLETIONS 2

int inject_refused(struct run *run, const char *verb, int errnum)
{
	return fail_errno(&run->result->error, errnum, NULL, "--inject %s: %s",
			  inject_find(run->result->params.plan.inject)->name,
			  verb);
}

void inject_change_receives(struct run *run, inject_change_receive *change)
{
	const struct plan *plan = run->plan;
	const uint32_t n = plan->verify ? plan->rx_depth : plan->recv_post_list;

	for (uint32_t t = 0; t < run->n_flows; t++) {
		const struct flow *f = &run->flows[t];

		for (uint32_t i = 0; i < f->n_receives; i++)
			for (uint32_t k = 0; k < n; k++)
				change(run, &f->receives[i].entries[k]);
	}
}

int inject_small_queues(struct run *run)
{
	for (uint32_t t = 0; t < run->n_flows; t++)
		for (uint32_t i = 0; i < run->flows[t].n_cqs; i++) {
			int ret = ibv_resize_cq(run->flows[t].cqs[i].recv,
						FEW_COMPLETIONS);

			if (ret)
				return inject_refused(run, "ibv_resize_cq",
						      ret);
		}
	return 0;
}

/* Let the queues that F polls now hold four times the receives that there can
 * be or, when they do, just as many.  Returns 0 or a positive errno. */
static int resize(const struct flow *f)
{
	int n = (int)(f->n_receives * f->receives->depth);

	return abs(ibv_resize_cq(f->recv_cq,
				 f->recv_cq->cqe > 2 * n ? n : 4 * n));
}

/* Resize the queues between two polls of the loop, in place of its pause. */
static int resize_when_idle(struct flow *f)
{
	int ret = resize(f);

	return ret ? flow_verb_failed(f, "ibv_resize_cq", 0, ret) : 0;
}

int inject_resizes(struct run *run)
{
	for (uint32_t t = 0; t < run->n_flows; t++) {
		struct flow *f = &run->flows[t];
		int ret = resize(f);

		if (ret)
			return inject_refused(run, "ibv_resize_cq", ret);
		f->wait = resize_when_idle;
	}
	return 0;
}
