/* Tells the sender by RDMA writes how many receives are posted, where a
 * message without one would end the connection. */
#include "config.h"
#include "traffic/allowance.h"

#include <endian.h>

#include "traffic/post.h"

int allowance_tell(struct flow *f, struct flow_qp *q,
		   const struct flow_receives *r)
{
	struct allowance *a = &f->allowances[q - f->qps];
	struct ibv_send_wr *bad, wr = {
		.wr_id = q->tag,
		.opcode = IBV_WR_RDMA_WRITE,
		.send_flags = IBV_SEND_SIGNALED,
		.num_sge = 1,
	};
	int ret;

	if (!a->step || r->total - a->told < a->step ||
	    a->waiting == ALLOWANCE_WRITES)
		return 0;
	a->told = r->total;
	/* a write under way may take this value, too */
	a->ours = htobe64(a->told);
	wr.sg_list = &a->sge;
	wr.wr.rdma.remote_addr = a->remote;
	wr.wr.rdma.rkey = a->rkey;
	a->waiting++;
	ret = ibv_post_send(q->qp, &wr, &bad);
	return ret ? flow_verb_failed(f, "ibv_post_send", qp_index_of(q->tag),
				      ret) : 0;
}

int allowance_retire(struct flow *f, struct ibv_wc *wc, int n)
{
	int left = 0, ret = 0;

	for (int i = 0; i < n && !ret; i++) {
		struct flow_qp *q = &f->qps[qp_index_of(wc[i].wr_id)];

		if (wc[i].status || wc[i].opcode != IBV_WC_RDMA_WRITE) {
			wc[left++] = wc[i];
			continue;
		}
		f->allowances[q - f->qps].waiting--;
		ret = allowance_tell(f, q, q->receives);
	}
	return ret ?: left;
}

bool allowance_grew(struct flow *f)
{
	bool grew = false;

	for (uint32_t i = 0; i < f->n_qps; i++) {
		struct flow_qp *q = &f->qps[i];
		uint64_t told = be64toh(__atomic_load_n(
			&f->allowances[i].theirs, __ATOMIC_ACQUIRE));

		if (!q->allowed || told < q->allowed)
			continue;
		q->allowed = told + 1;
		flow_limit(q, q->limit);
		grew = true;
	}
	return grew;
}
