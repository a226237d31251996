#include "config.h"
#include "model/plan_rate.h"

#include <errno.h>

/* Of one queue pair, when it is paced. */
#define COMPLETIONS_PER_SECOND 100
#define DEFAULT_CQ_MOD 100

bool plan_is_open(const struct plan *plan)
{
	return plan->metric == METRIC_LATENCY && plan->rate;
}

uint32_t plan_slots(const struct plan *plan)
{
	return plan_is_open(plan) && plan_is_pingpong(plan) &&
	       !op_table[plan->op].receives ? plan->open_depth : 1;
}

uint64_t plan_rate_cq_mod(const struct plan *plan, uint64_t size)
{
	double n = rate_messages(plan->rate, size) / plan->qps /
		   COMPLETIONS_PER_SECOND;

	return plan->rate && n < DEFAULT_CQ_MOD ? (uint64_t)n : DEFAULT_CQ_MOD;
}

uint32_t plan_least_send_queue(const struct plan *plan)
{
	if (!plan_is_open(plan))
		return 1;
	return plan->open_depth * (plan_is_pingpong(plan) ? 2 : 1);
}

uint32_t plan_least_rx_depth(const struct plan *plan)
{
	if (!plan_is_pingpong(plan))
		return 1;
	return plan_is_open(plan) ? plan->open_depth + 1 : 2;
}

uint64_t plan_burst(const struct plan *plan, uint64_t size)
{
	uint64_t list = plan_post_list(plan, size);

	return (plan->burst + list - 1) / list * list;
}

static int check_open(const struct plan *plan, struct error *err)
{
	if (plan->op != OP_READ && !op_table[plan->op].pingpong)
		return fail(err, -EINVAL, NULL,
			    "--rate: %s_lat has no open loop",
			    op_table[plan->op].name);
	if (plan->transport != TRANSPORT_RC)
		return fail(err, -EINVAL, NULL,
			    "--rate: an open loop needs --transport RC, where "
			    "no operation is lost");
	if (plan->verify)
		return fail(err, -EINVAL, NULL,
			    "--verify: not in an open loop");
	return 0;
}

static int check_burst(const struct plan *plan, struct error *err)
{
	if (plan->burst > plan_send_queue(plan))
		return fail(err, -EINVAL, NULL,
			    "--burst %u: at most --tx-depth, which is %u",
			    plan->burst, plan_send_queue(plan));
	return 0;
}

/* Messages from one completion to the next, at most: those of a burst, which
 * all threads send at once, or those of each QP that it stands for. */
static uint64_t completion_gap(const struct plan *plan, uint64_t size)
{
	uint64_t burst = plan_burst(plan, size);
	uint64_t every = plan_cq_mod(plan, size);

	return every > burst ? every * plan->qps : burst * plan->threads;
}

/* Messages that must come within a timeout. */
static uint64_t least_messages(const struct plan *plan, uint64_t size)
{
	if (!plan_is_open(plan))
		return 2 * completion_gap(plan, size);
	return plan->arrival == ARRIVAL_POISSON ? 20 : 2;
}

/* Of messages that come too rarely a timeout would say that none do. */
int plan_rate_check(const struct plan *plan, struct error *err)
{
	const double seconds = (double)plan->timeout / 1e9;
	char text[RATE_TEXT_SIZE];

	if (plan->rate && plan->events)
		return fail(err, -EINVAL, NULL,
			    "--events and --rate: who sleeps until something "
			    "completes cannot keep a rate");
	for (uint32_t i = 0; plan->rate && i < plan->sizes.n; i++) {
		uint64_t size = plan->sizes.bytes[i];
		uint64_t least = least_messages(plan, size);
		double rate = rate_messages(plan->rate, size);

		if (!(rate > 0))
			return fail(err, -EINVAL,
				    "give it in messages: 1.5mpps, 20kpps",
				    "--rate %s: messages of 0 bytes have no "
				    "bits", rate_format(plan->rate, text));
		if (rate * seconds < (double)least)
			return fail(err, -EINVAL, NULL,
				    "--rate %s: less than %llu messages of "
				    "%llu bytes in --timeout, which is %.3g s",
				    rate_format(plan->rate, text),
				    (unsigned long long)least,
				    (unsigned long long)size, seconds);
	}
	if (plan_is_open(plan))
		return check_open(plan, err);
	return plan->rate ? check_burst(plan, err) : 0;
}
