/* Latency of operations that fetch data: see latency_round_trip(). */
#include "config.h"
#include "traffic/loops.h"

#include <errno.h>

#include "traffic/sampler.h"
#include "traffic/single.h"

/* Wait for the outstanding operation to complete; set *SEEN to the time, in
 * ticks, when the poll found it.  Returns 0 or a negative errno. */
static ALWAYS_INLINE int await_completion(struct flow *f, uint64_t *seen)
{
	struct ibv_wc wc;
	int n;

	for (;;) {
		for (int i = 0; i < SPINS_PER_CHECK; i++) {
			n = ibv_poll_cq(f->send_cq, 1, &wc);
			if (n == 0 && f->wait)
				break;
			if (n == 0)
				continue;
			*seen = clock_ticks(f->clock);
			if (n < 0)
				return flow_verb_failed(f, "ibv_poll_cq", 0,
							EIO);
			if (wc.status != IBV_WC_SUCCESS)
				return flow_completion_failed(f, &wc, false);
			retire_send(f, &wc, &f->completed);
			f->idle_polls = 0;
			return 0;
		}
		n = idle(f);
		if (n)
			return n;
		if (flow_phase(f) == PHASE_ABORT)
			return -ECANCELED;
	}
}

int latency_round_trip(struct flow *f, enum op op)
{
	post_one_fn *const post = choose_post_one(op, f->method);
	struct flow_qp *q = &f->qps[0];
	struct sampler s = sampler_init(f), last = { 0 };
	uint64_t seen = 0;
	int ret = 0;

	prepare_next(f, q);
	while (!finished(f, &s)) {
		uint64_t now = clock_ticks(f->clock);

		now = pause_for_gap(f, now);
		ret = post_next(f, q, 0, op, post);
		if (ret)
			break;
		sample_end(f, &last, seen);
		sample_begin(f, &s, now);
		prepare_next(f, q);
		tell_progress(f, f->posted);
		last.start = 0;
		ret = await_completion(f, &seen);
		if (!ret && f->verify)
			ret = verify_fetched(f, q);
		if (!ret && flow_phase(f) == PHASE_ABORT)
			ret = -ECANCELED;
		if (ret)
			break;
		last = s;
	}
	sample_end(f, &last, seen);
	return ret;
}
