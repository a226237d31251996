/* Posting receives and taking messages: shared by all loops that do so. */
#pragma once

#include "traffic/allowance.h"
#include "traffic/credit.h"
#include "traffic/flow.h"
#include "traffic/post.h"
#include "traffic/verify.h"

/* Post the waiting receives of R.  Returns 0 or a negative errno. */
static inline int post_receives(struct flow *f, struct flow_receives *r)
{
	struct ibv_recv_wr *bad;
	int ret;

	ret = r->srq ? ibv_post_srq_recv(r->srq, &r->first->wr, &bad) :
		       ibv_post_recv(r->qp, &r->first->wr, &bad);
	if (__builtin_expect(ret != 0, 0))
		return flow_verb_failed(f, r->srq ? "ibv_post_srq_recv" :
						    "ibv_post_recv",
					(uint32_t)(r - f->receives), ret);
	r->outstanding += r->waiting;
	r->total += r->waiting;
	r->waiting = 0;
	return 0;
}

/* Queue receive SLOT of R for reposting with the next list, and post that list
 * if it is full.  Returns 0 or a negative errno. */
static ALWAYS_INLINE int repost(struct flow *f, struct flow_receives *r,
				uint32_t slot)
{
	struct flow_receive *entry = &r->entries[f->verify ? slot : r->waiting];

	entry->wr.next = NULL;
	if (r->waiting)
		r->last->wr.next = &entry->wr;
	else
		r->first = entry;
	r->last = entry;
	return ++r->waiting < r->list_length ? 0 : post_receives(f, r);
}

/* Take the message of receive completion WC and give the receive back. */
static ALWAYS_INLINE int take_receive(struct flow *f, const struct ibv_wc *wc)
{
	struct flow_receives *r = &f->receives[qp_index_of(wc->wr_id)];
	uint64_t sequence;
	int ret;

	if (__builtin_expect(wc->status != IBV_WC_SUCCESS, 0))
		return flow_completion_failed(f, wc, true);
	r->outstanding--;
	if (__builtin_expect(f->verify != NULL, 0)) {
		ret = verify_received(f, wc, &sequence);
		if (ret < 0)
			return ret;
	} else {
		f->received++;
	}
	ret = repost(f, r, (uint32_t)(wc->wr_id & FLOW_COUNT_MASK));
	if (__builtin_expect(f->allowances != NULL, 0) && !ret)
		ret = allowance_tell(f, &f->qps[r - f->receives], r);
	return ret;
}

/* True when the message of WC came to the group from somebody else. */
static inline bool is_of_other_sender(const struct flow *f,
				      const struct ibv_wc *wc)
{
	return wc->status == IBV_WC_SUCCESS && wc->src_qp != f->sender_qpn;
}

/* Give back the receive of WC, whose message does not count.  Returns 0 or a
 * negative errno. */
static inline int leave_out_receive(struct flow *f, const struct ibv_wc *wc)
{
	struct flow_receives *r = &f->receives[qp_index_of(wc->wr_id)];

	r->outstanding--;
	r->before++;
	f->others++;
	return repost(f, r, (uint32_t)(wc->wr_id & FLOW_COUNT_MASK));
}

/* Take a batch of messages, of which in a GROUP only those of the sender count;
 * *OTHERS, 0 before, becomes the number of the rest.  Returns how many counted,
 * or a negative errno. */
static ALWAYS_INLINE int take_batch(struct flow *f, const bool group,
				    int *others)
{
	struct ibv_wc wc[POLL_BATCH];
	int n = poll_batch(f, f->recv_cq, wc);

	for (int i = 0; i < n; i++) {
		const bool other = group && is_of_other_sender(f, &wc[i]);
		int ret = other ? leave_out_receive(f, &wc[i]) :
				  take_receive(f, &wc[i]);

		if (__builtin_expect(ret != 0, 0))
			return ret;
		if (group)
			*others += other;
	}
	if (group && n > 0)
		n -= *others;
	if (f->counts_arrivals && n > 0)
		f->polls.arrived_at = clock_ticks(f->clock);
	return n;
}

/* Take a batch of messages.  Returns the number of completions, or a negative
 * errno. */
static ALWAYS_INLINE int take_receives(struct flow *f)
{
	int others = 0;

	return take_batch(f, false, &others);
}

/* Switch to the next pair of completion queues, if there are several. */
static ALWAYS_INLINE void next_cqs(struct flow *f)
{
	if (__builtin_expect(f->n_cqs < 2, 1))
		return;
	f->cq_at = f->cq_at + 1 < f->n_cqs ? f->cq_at + 1 : 0;
	f->send_cq = f->cqs[f->cq_at].send;
	f->recv_cq = f->cqs[f->cq_at].recv;
}

/* Call after a poll that found nothing.  Returns 0 or a negative errno. */
static ALWAYS_INLINE int idle(struct flow *f)
{
	if (__builtin_expect(f->verify != NULL, 0)) {
		int ret = credit_idle(f);

		if (ret)
			return ret;
	}
	f->idle_polls++;
	return f->wait ? f->wait(f) : 0;
}
