/* Sends and takes the notices and credits of verified writes. */
#include "config.h"
#include "traffic/credit.h"

#include <endian.h>

#include "traffic/post.h"
#include "traffic/verifier.h"

/* Post a send of WORD, as immediate data if there are any; its wr_id carries
 * NUMBER. */
static int post_word(const struct flow *f, struct flow_qp *q, uint32_t word,
		     uint64_t number)
{
	uint32_t big = htobe32(word);
	struct ibv_sge data = {
		.addr = (uintptr_t)&big,
		.length = sizeof(big),
	};
	struct ibv_send_wr *bad, wr = {
		.wr_id = q->tag | number,
		.opcode = IBV_WR_SEND_WITH_IMM,
		.send_flags = IBV_SEND_SIGNALED | f->signaled_flags,
		.imm_data = big,
		.qp_type.xrc.remote_srqn = q->remote_srqn,
	};

	if (f->verify->words) {
		wr.opcode = IBV_WR_SEND;
		wr.send_flags |= IBV_SEND_INLINE;
		wr.sg_list = &data;
		wr.num_sge = 1;
	}
	return ibv_post_send(q->qp, &wr, &bad);
}

uint64_t credit_room(struct flow *f, const struct flow_qp *q)
{
	const struct verify_qp *vq = verify_qp_of(f, q);

	if (!f->credits)
		return UINT64_MAX;
	return f->verify->capacity - (vq->requests - vq->retired);
}

int credit_notify(struct flow *f, struct flow_qp *q, uint64_t count,
		 uint64_t number)
{
	struct verify_qp *vq = verify_qp_of(f, q);

	f->verify->notice_at = clock_ticks(f->clock);
	return post_word(f, q, (uint32_t)count & ~CREDIT,
			 f->credits ? ++vq->requests : number);
}

int credit_send(struct flow *f, struct flow_qp *q)
{
	struct verify_qp *vq = verify_qp_of(f, q);

	vq->credit_due = !credit_room(f, q);
	if (vq->credit_due)
		return 0;
	return post_word(f, q, CREDIT | (uint32_t)vq->next, ++vq->requests);
}

uint64_t credit_number(struct flow *f, const struct flow_qp *q, uint64_t number)
{
	if (f->credits)
		return ++verify_qp_of(f, q)->requests;
	/* the completion of the notice behind it retires this message */
	return number - f->verify->notices;
}

int credit_retire(struct flow *f, const struct ibv_wc *wc)
{
	struct flow_qp *q = &f->qps[qp_index_of(wc->wr_id)];
	struct verify_qp *vq = verify_qp_of(f, q);
	int ret;

	vq->retired = wc->wr_id & FLOW_COUNT_MASK;
	ret = vq->credit_due ? credit_send(f, q) : 0;
	return ret ? flow_verb_failed(f, "ibv_post_send", qp_index_of(q->tag),
				      ret) : 0;
}

void credit_take(struct flow *f, struct flow_qp *q, uint64_t count)
{
	if (count <= q->completed || count > q->posted)
		return;
	f->completed += count - q->completed;
	q->completed = count;
}

int credit_idle(struct flow *f)
{
	struct verifier *v = f->verify;
	int ret = 0;

	if (!f->credits || !f->unreliable || !v->notice_at ||
	    clock_ticks(f->clock) - v->notice_at < v->resend_after)
		return 0;
	for (uint32_t i = 0; i < f->n_qps && !ret; i++) {
		struct flow_qp *q = &f->qps[i];

		if (q->posted > q->completed && credit_room(f, q))
			ret = credit_notify(f, q, q->posted, 0);
	}
	return ret ? flow_verb_failed(f, "ibv_post_send", 0, ret) : 0;
}
