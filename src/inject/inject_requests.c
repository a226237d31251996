#include "config.h"
#include "inject/faults.h"

typedef void change_request(struct run *run, struct flow_request *r);

/* Change the first send of each list of each QP, or ALL sends. */
static int change_requests(struct run *run, bool all, change_request *change)
{
	size_t length = flow_requests(run->result->params.plan.post_list);

	for (uint32_t i = 0; i < run->res.n_qps; i++) {
		/* the lists are adjacent */
		struct flow_request *r = run->res.qps[i].lists[0].requests;

		for (size_t k = 0; r && k < FLOW_LISTS * length; k++)
			if (all || k % length == 0)
				change(run, &r[k]);
	}
	return 0;
}

static void spoil_key(struct run *run, struct flow_request *r)
{
	(void)run;
	r->sge.lkey ^= INJECT_KEY;
}

int inject_first_lkey(struct run *run)
{
	return change_requests(run, false, spoil_key);
}

static void halve(struct run *run, struct flow_request *r)
{
	(void)run;
	r->sge.length = ATOMIC_SIZE / 2;
}

int inject_halve_atomics(struct run *run)
{
	return change_requests(run, true, halve);
}

static void lengthen(struct run *run, struct flow_request *r)
{
	r->sge.length = run->result->params.plan.mtu + 64;
}

int inject_longer_than_mtu(struct run *run)
{
	return change_requests(run, true, lengthen);
}

static void divide(struct run *run, struct flow_request *r)
{
	static struct ibv_sge pieces[1024];

	(void)run;
	r->wr.sg_list = pieces;
	r->wr.num_sge = sizeof(pieces) / sizeof(*pieces);
}

int inject_many_pieces(struct run *run)
{
	return change_requests(run, true, divide);
}

static void send_inline(struct run *run, struct flow_request *r)
{
	(void)run;
	r->wr.send_flags |= IBV_SEND_INLINE;
}

int inject_much_inline(struct run *run)
{
	/* the bandwidth loop sets the flags of single sends from their lists */
	for (uint32_t i = 0; i < run->res.n_qps; i++)
		for (int k = 0; k < FLOW_LISTS; k++)
			run->res.qps[i].lists[k].flags |= IBV_SEND_INLINE;
	return change_requests(run, true, send_inline);
}
