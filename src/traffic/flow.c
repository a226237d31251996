/* Keeps the first failure of a loop, and the phase of a flow. */
#include "config.h"
#include "traffic/flow.h"

#include <errno.h>
#include <stdlib.h>

void flow_set_phase(struct flow_control *control, enum phase phase)
{
	uint32_t now = atomic_load(&control->command);

	while (phase_of(now) < phase &&
	       !atomic_compare_exchange_weak(&control->command, &now,
					     (now & ~FLOW_PHASE_MASK) |
						     (uint32_t)phase))
		;
}

uint64_t flow_last_post(const struct flow *f)
{
	uint64_t last = f->posted;

	for (uint32_t i = 0; i < f->n_qps; i++) {
		if (f->qps[i].limit == UINT64_MAX)
			return UINT64_MAX;
		last += f->qps[i].limit - f->qps[i].posted;
	}
	return last;
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

/* Index of WC's QP: from the wr_id or, for a shared receive, the QP number. */
static uint32_t failed_qp(const struct flow *f, const struct ibv_wc *wc,
			  bool receive)
{
	bool shared = receive && f->n_receives && f->receives->srq;

	for (uint32_t i = 0; shared && i < f->n_qps; i++)
		if (flow_qpn(&f->qps[i], true) == wc->qp_num)
			return i;
	return (uint32_t)(wc->wr_id >> FLOW_COUNT_BITS);
}

int flow_completion_failed(struct flow *f, const struct ibv_wc *wc,
			   bool receive)
{
	bool flushed = f->failure.verb &&
		       f->failure.status == IBV_WC_WR_FLUSH_ERR;

	if (!f->failure.verb || flushed)
		f->failure = (struct flow_failure){
			.verb = "ibv_poll_cq",
			.status = wc->status,
			.vendor_err = wc->vendor_err,
			.qp_index = failed_qp(f, wc, receive),
			.receive = receive,
			/* with credits, wr_ids also number notices and
			 * credits */
			.number = receive || f->credits ?
					  0 : wc->wr_id & FLOW_COUNT_MASK,
		};
	return -EIO;
}

/* Search CQ for a failed completion.  Flushed work is the consequence of an
 * error, not the error. */
static bool find_failure(struct flow *f, struct ibv_cq *cq, bool receive)
{
	struct ibv_wc wc;

	while (cq && ibv_poll_cq(cq, 1, &wc) == 1) {
		if (wc.status == IBV_WC_SUCCESS ||
		    wc.status == IBV_WC_WR_FLUSH_ERR)
			continue;
		flow_completion_failed(f, &wc, receive);
		return true;
	}
	return false;
}

bool flow_find_failure(struct flow *f)
{
	bool found = f->failure.verb &&
		     f->failure.status != IBV_WC_WR_FLUSH_ERR;

	for (uint32_t i = 0; i < f->n_cqs && !found; i++)
		found = find_failure(f, f->cqs[i].send, false) ||
			find_failure(f, f->cqs[i].recv, true);
	return found;
}
