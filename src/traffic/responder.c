#include "config.h"
#include "traffic/responder.h"

#include "traffic/post.h"

static int repost(struct flow *f, const struct ibv_wc *wc)
{
	struct flow_qp *q = &f->qps[qp_index_of(wc->wr_id)];

	if (wc->status != IBV_WC_SUCCESS)
		return flow_completion_failed(f, wc);
	q->recv_posted--;
	f->received++;
	return post_receive(f, q);
}

int responder_run(struct flow *f, enum op op)
{
	struct ibv_wc wc[POLL_BATCH];
	enum phase phase;
	int n, ret = 0;

	(void)op;		/* what was sent does not matter here */
	do {
		phase = flow_phase(f);
		if (phase == PHASE_ABORT)
			return -ECANCELED;
		n = poll_batch(f, f->recv_cq, wc);
		for (int i = 0; i < n && !ret; i++)
			ret = repost(f, &wc[i]);
		if (n < 0 || ret)
			return n < 0 ? n : ret;
		tell_progress(f, f->received);
	} while (n > 0 || phase < PHASE_DRAIN);
	return 0;
}
