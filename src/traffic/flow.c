#include "config.h"
#include "traffic/flow.h"

#include <errno.h>
#include <stdlib.h>

#include "traffic/post.h"

/* Step of a walk: messages start on cache lines of their own. */
#define CACHE_LINE 64

static uint64_t round_up(uint64_t n, uint64_t to)
{
	return (n + to - 1) / to * to;
}

void flow_prepare(struct flow *f, uint64_t size, uint64_t walk, uint32_t depth,
		  uint32_t signal_every, uint64_t iterations)
{
	f->size = size;
	f->step = round_up(size ? size : 1, CACHE_LINE);
	f->last_offset = walk > size ? walk - size : 0;
	f->depth = depth;
	f->signal_every = signal_every < depth ? signal_every : depth;
	f->iterations = iterations;
	f->posted = f->completed = f->received = 0;
	f->opened = f->closed = f->warmup = f->counted = 0;
	histogram_reset(f->latency);
	for (uint32_t i = 0; i < f->n_qps; i++) {
		struct flow_qp *q = &f->qps[i];

		q->walk.offset = 0;
		q->sge.length = (uint32_t)size;
		q->wr.num_sge = size > 0;
		q->until_signal = f->signal_every;
		q->limit = UINT64_MAX;
	}
}

int flow_fill_receives(struct flow *f)
{
	for (uint32_t i = 0; i < f->n_qps; i++) {
		struct flow_qp *q = &f->qps[i];

		while (q->recv_posted < f->rx_depth) {
			int ret = post_receive(f, q);

			if (ret)
				return ret;
		}
	}
	return 0;
}

int flow_verb_failed(struct flow *f, const char *verb, uint32_t qp_index,
		     int errnum)
{
	int ret = errnum ? -abs(errnum) : -EIO;

	if (!f->failure.verb)
		f->failure = (struct flow_failure){
			.verb = verb,
			.errnum = -ret,
			.qp_index = qp_index,
		};
	return ret;
}

int flow_completion_failed(struct flow *f, const struct ibv_wc *wc)
{
	bool flushed = f->failure.verb &&
		       f->failure.status == IBV_WC_WR_FLUSH_ERR;

	if (!f->failure.verb || flushed)
		f->failure = (struct flow_failure){
			.verb = "ibv_poll_cq",
			.status = wc->status,
			.vendor_err = wc->vendor_err,
			.qp_index = (uint32_t)(wc->wr_id >> FLOW_COUNT_BITS),
		};
	return -EIO;
}

/* Flushed work is the consequence of an error, not the error. */
static bool find_failure(struct flow *f, struct ibv_cq *cq)
{
	struct ibv_wc wc;

	while (cq && ibv_poll_cq(cq, 1, &wc) == 1) {
		if (wc.status == IBV_WC_SUCCESS ||
		    wc.status == IBV_WC_WR_FLUSH_ERR)
			continue;
		flow_completion_failed(f, &wc);
		return true;
	}
	return false;
}

bool flow_find_failure(struct flow *f)
{
	if (f->failure.verb && f->failure.status != IBV_WC_WR_FLUSH_ERR)
		return true;
	return find_failure(f, f->send_cq) || find_failure(f, f->recv_cq);
}
